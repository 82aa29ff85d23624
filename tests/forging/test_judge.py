"""The judge finds no fault in honest folders, and finds those of named forgeries."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest

from forging.forgery import Forgery
from forging.honest_folders import ANSWERS
from forging.judge import Judge
from forging.judge.claims import closeness_faults
from forging.named import NAMED
from forging.random_forgeries import load_honest

# what only verify or a parser of Parquet pages can see
BEYOND_THE_JUDGE = (
    "a_larger_p_than_epsilon_allows",
    "blank_lines",
    "a_name_of_a_hierarchy_with_other_values",
    "a_hierarchy_that_merges_all_values",
    "a_longer_list_of_a_perturbed_column",
    "bytes_between_the_rows_and_the_footer",
    "values_in_the_dictionary_of_a_column_that_no_row_has",
    "an_indicator_that_is_called_values",
    "a_message_behind_the_arrow_schema",
    "page_statistics_that_lie",
    "a_tool_in_other_digits",
    "values_with_hangul_fillers",
    "twenty_thousand_bytes_that_belong_to_no_column",
    "a_message_in_the_version_of_the_tool",
    "a_text_that_is_stored_for_every_row",
    "a_text_that_is_stored_for_every_row_of_two_row_groups",
    "a_number_that_is_stored_for_every_row",
    "compressed_blocks_that_hold_nothing",
    "tails_in_the_words_only",
    "a_value_beyond_the_tails",
    "more_people_in_the_tails_than_there_are",
    "tails_of_two_people",
    "tails_of_a_column_that_is_not_sensitive",
)


@pytest.fixture(scope="module")
def judge(honest_folders: dict[str, Path]) -> Judge:
    return Judge(load_honest(honest_folders))


@pytest.mark.parametrize("name", ANSWERS)
def test_the_judge_has_no_complaint_about_an_honest_folder(
    name: str, judge: Judge, honest_folders: dict[str, Path]
) -> None:
    assert judge.complaints(honest_folders[name], name) == []


def test_the_judge_complains_of_named_forgeries(judge: Judge, honest_folders: dict[str, Path], tmp_path: Path) -> None:
    missed = []
    for name, named in NAMED.items():
        if not named.misleads or name in BEYOND_THE_JUDGE:
            continue
        for folder in named.folders:
            forgery = Forgery(honest_folders[folder])
            named.forge(forgery)
            forgery.write(tmp_path / "forged")
            if not judge.complaints(tmp_path / "forged", folder):
                missed.append(f"{name}, {folder}")
            shutil.rmtree(tmp_path / "forged")
    assert missed == []


def test_the_judge_measures_closeness() -> None:
    tree = [["flu", "viral", "*"], ["HIV", "viral", "*"], ["acne", "other", "*"], ["gout", "other", "*"]]
    groups = {1: Counter(flu=2), 2: Counter(HIV=2)}
    for distance, reached in (("equal", 1 / 2), ("hierarchical", 1 / 4)):
        near = {"parameters": {"t": reached + 0.01, "distance": distance}}
        far = {"parameters": {"t": reached - 0.01, "distance": distance}}
        assert list(closeness_faults(near, dict(groups), tree)) == []
        assert list(closeness_faults(far, dict(groups), tree)) != []
