"""Whether `compare` would choose well: the order of nine releases of Adult by `marginals`, beside what learners lose.

python bench/choosing.py [draws, default 5]

A boosted classifier learns the salary class from completions of each release, and is tested on rows that no release
has. The loss is that of the area under the curve, against a classifier that learned from the rows themselves. Needs
scikit-learn, and UCI Adult in ../shared/data.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
from scipy.stats import spearmanr
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder

import voile as vl
from voile.measures.base import Measure
from voile.plugins.registry import registered_classes

ADULT = Path(__file__).parents[2] / "shared" / "data" / "adult.csv"
QUASI = ["age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country"]
TARGET = "salary-class"
KEY = vl.Key(bytes(32))


def list_releases() -> dict[str, tuple[vl.Policy, vl.Method]]:
    """The nine requests."""
    k = vl.KAnonymity(k=5)
    distinct = vl.Policy(k, vl.LDiversity(l=2, form="distinct"))
    close = vl.Policy(k, vl.TCloseness(t=0.2))
    return {
        "mondrian k=5": (vl.Policy(k), vl.Mondrian()),
        "mondrian k=10": (vl.Policy(vl.KAnonymity(k=10)), vl.Mondrian()),
        "mondrian k=5, distinct l=2": (distinct, vl.Mondrian()),
        "mondrian k=5, t=.2": (close, vl.Mondrian()),
        "mondrian k=5, hierarchies": (vl.Policy(k), vl.Mondrian(recoding="hierarchy")),
        "full-domain k=5, 5 % withheld": (vl.Policy(k), vl.FullDomain(suppression=0.05)),
        "full-domain k=5, 0 % withheld": (vl.Policy(k), vl.FullDomain(suppression=0.0)),
        "full-domain k=5, t=.2": (close, vl.FullDomain(suppression=0.0)),
        "cluster k=5": (vl.Policy(k), vl.Cluster()),
    }


def score_learner(tables: list[pl.DataFrame], test: pl.DataFrame) -> float:
    """The mean area under the curve of classifiers that learned from these tables, on rows that none of them has."""
    scores = []
    for table in tables:
        known = [name for name in QUASI if table[name].null_count() < table.height]  # a column may be lost entirely
        texts = [name for name in known if test.schema[name] == pl.String]
        encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, dtype=np.float64)
        learner = make_pipeline(
            make_column_transformer((encoder, texts), remainder="passthrough"),
            HistGradientBoostingClassifier(random_state=0),
        )
        learner.fit(table.select(known).to_pandas(), table[TARGET].to_numpy() == ">50K")
        chance = learner.predict_proba(test.select(known).to_pandas())[:, 1]
        scores.append(roc_auc_score(test[TARGET].to_numpy() == ">50K", chance))
    return float(np.mean(scores))


def main() -> None:
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    frame = vl.datasets.adult(ADULT) if ADULT.exists() else None
    if frame is None:
        raise SystemExit("UCI Adult is not in ../shared/data.")
    frame = frame.select(*QUASI, TARGET).drop_nulls()
    is_test = np.random.default_rng(0).random(frame.height) < 0.3
    train, test = frame.filter(~is_test), frame.filter(is_test)
    trees = ADULT.parent / "hierarchies"
    schema = vl.Schema(
        quasi=QUASI, sensitive=[TARGET], hierarchies={name: str(trees / f"{name}.csv") for name in QUASI}
    )
    data = vl.read(train, schema)
    whole = score_learner([train], test)
    names = [
        name
        for name in ("marginals", "certainty", "query-error", "divergence")
        if name in registered_classes("measures")
    ]
    measures: list[Measure] = [registered_classes("measures")[name]() for name in names]  # type: ignore[misc]
    print(f"AUC of a classifier that learned from the rows themselves: {whole:.3f}")
    found = []
    for title, (policy, method) in list_releases().items():
        release = vl.publish(data, policy, method, key=KEY)
        start = time.process_time()
        losses = [vl.measure(data, release, [measure]).items[0] for measure in measures]
        seconds = time.process_time() - start
        auc = score_learner(list(release.complete(m=draws)), test)
        found.append((title, whole - auc, [loss.value for loss in losses]))
        shown = "  ".join(f"{loss.measure} {loss.value:.4f}" for loss in losses)
        print(f"{title:32} AUC {auc:.3f}  {shown}  ({seconds:.1f} CPU s)", flush=True)
    for place, name in enumerate(names):
        rank = spearmanr([loss for _, loss, _ in found], [values[place] for _, _, values in found]).statistic
        print(f"Spearman correlation of {name} with the loss of AUC: {rank:.2f}")


if __name__ == "__main__":
    main()
