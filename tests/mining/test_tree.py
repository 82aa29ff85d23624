"""Trees learned from classes that went through a channel."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from voile.mining.training import Classes, Training
from voile.mining.tree import BINS, grow, make_feature
from voile.releases.randomized_response import Channel
from voile.tables.secret_key import Key


def make_training_set(keep: float, rows: int = 20_000, skewed: bool = False) -> tuple[Training, np.ndarray]:
    """People whose class follows from one number and one category, seen through a channel."""
    rng = np.random.default_rng(2)
    age, city = rng.integers(0, 100, rows), rng.choice(["a", "b", "c"], rows)
    true_classes = ((age > 60) & (city != "b")).astype(np.int64)
    # a domain of ten values: the first class has five of them, or eight
    classes = Classes(np.repeat([0, 1], [8, 2] if skewed else [5, 5]), ("no", "yes"))
    values = np.where(true_classes == 1, 9, 0)
    published_classes = classes.of_code[Channel(keep, 10).perturb(values, Key(bytes(32)), "test")]
    frame = pl.DataFrame({"age": age, "city": city, "noise": rng.random(rows)})
    return Training(frame, published_classes, np.ones(rows), classes, Channel(keep, 10)), true_classes


@pytest.mark.parametrize("keep", [1.0, 0.5, 0.3])
@pytest.mark.parametrize("skewed", [False, True])
def test_it_learns_through_the_channel(keep: float, skewed: bool) -> None:
    training_set, true_classes = make_training_set(keep, skewed=skewed)
    tree = grow(training_set, max_depth=4)
    assert (tree.decide(training_set.X) == true_classes).mean() > 0.97


def test_reconstruction_is_essential_for_uneven_classes() -> None:
    """If classes cover unequal parts of the domain, redrawn values look like the larger class unless corrected."""
    training_set, true_classes = make_training_set(0.3, skewed=True)
    naive = Training(training_set.X, training_set.y, training_set.weight, training_set.classes, Channel(1.0, 10))
    naive_accuracy, accuracy = (
        (grow(table, 4).decide(training_set.X) == true_classes).mean() for table in (naive, training_set)
    )
    assert naive_accuracy < accuracy - 0.05


def test_nothing_is_learned_where_nothing_is_kept() -> None:
    training_set, _ = make_training_set(0.0)
    assert len(grow(training_set).column) == 1


def test_noise_alone_makes_no_cut() -> None:
    rng = np.random.default_rng(5)
    frame = pl.DataFrame({f"x{n}": rng.random(3000) for n in range(5)})
    classes = Classes(np.array([0, 1]), ("a", "b"))
    for seed in range(5):
        labels = np.random.default_rng(seed).integers(0, 2, 3000)
        training_set = Training(frame, labels, np.full(3000, 4.0), classes, Channel(0.3, 2))
        assert len(grow(training_set).column) == 1


def test_numbers_share_bins_and_unknown_categories_have_none() -> None:
    numeric_feature = make_feature(pl.Series("x", np.arange(10_000)))
    assert numeric_feature.bins <= BINS + 1
    codes = numeric_feature.codes(pl.Series([0, 5000, 9999, 10**6, None]))
    assert (np.diff(codes[:3]) > 0).all()
    assert codes[3] == codes[2]
    assert codes[4] == numeric_feature.bins - 1
    text_feature = make_feature(pl.Series("c", ["x", "y", None]))
    assert text_feature.codes(pl.Series(["y", "z", None, "x"])).tolist() == [1, -1, 2, 0]


def test_enum_columns_have_the_bins_of_their_texts() -> None:
    feature = make_feature(pl.Series("city", ["x", "z", "y"]))
    column = pl.Series("city", ["x", "y", None, "unseen", "z"], dtype=pl.Enum(["unseen", "z", "x", "y"]))
    assert feature.codes(column).tolist() == feature.codes(column.cast(pl.String)).tolist() == [0, 1, 3, -1, 2]
