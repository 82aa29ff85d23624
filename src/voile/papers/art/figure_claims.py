"""What the ART report prints about its experiments, as claims about the recomputed tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

from voile.papers.art.contenders import ANATOMY, CLOSENESS, EXACT, INJECTOR, MASK, PUBLISHED
from voile.papers.art.example_claims import FULL_READING
from voile.papers.claim import Claim

OTHERS = (ANATOMY, MASK, INJECTOR, CLOSENESS)
FIGURE = "report, section 5, figure 1"


def compare_ends(column: str, methods: Sequence[str]) -> Callable[[pl.DataFrame], str]:
    """Say whether a column is greater at the largest quasi-identifier than at the smallest, for each of the methods."""

    def look(frame: pl.DataFrame) -> str:
        falling = [name for name in methods if not _rises(frame, name, column)]
        return "increases" if not falling else f"not for {', '.join(falling)}"

    return look


def _rises(frame: pl.DataFrame, method: str, column: str) -> bool:
    line = frame.filter(method=method).sort(frame.columns[0])[column].drop_nulls()
    return bool(line[-1] >= line[0])


def rank_methods(column: str, methods: Sequence[str]) -> Callable[[pl.DataFrame], str]:
    """List methods by the mean of a column over all sizes, the greatest first."""

    def look(frame: pl.DataFrame) -> str:
        return ", ".join(sorted(methods, key=lambda name: -_mean(frame, name, column)))

    return look


def _mean(frame: pl.DataFrame, method: str, column: str) -> float:
    mean = frame.filter(method=method)[column].mean()
    assert isinstance(mean, float)
    return mean


def exceeds(column: str, method: str, others: Sequence[str]) -> Callable[[pl.DataFrame], bool]:
    """Say whether the mean of a column over all sizes is greater for one method than for each of the others."""
    return lambda frame: all(_mean(frame, method, column) > _mean(frame, other, column) for other in others)


def _grows_more(method: str, others: Sequence[str]) -> Callable[[pl.DataFrame], bool]:
    """Say whether the time of one method grows by more seconds than that of each of the others."""

    def growth(frame: pl.DataFrame, name: str) -> float:
        line = frame.filter(method=name).sort("qi_size")["seconds"]
        return float(line[-1] - line[0])

    return lambda frame: all(growth(frame, method) > growth(frame, other) for other in others)


def _list_above_bound(methods: Sequence[str]) -> Callable[[pl.DataFrame], str]:
    def look(frame: pl.DataFrame) -> str:
        above = [
            name for name in methods if (frame.filter(method=name)["delta"] > frame.filter(method=name)["bound"]).all()
        ]
        return ", ".join(above) or "none"

    return look


def _largest_groups(frame: pl.DataFrame) -> str:
    """Say which of the bucketizations has the fewest groups, so the largest."""
    return min((PUBLISHED, ANATOMY, INJECTOR), key=lambda name: _mean(frame, name, "groups"))


FIGURE_1 = (
    Claim(f"{FIGURE}(a)", "execution time increases with the size of the quasi-identifier", "yes",
          lambda frame: _rises(frame, PUBLISHED, "seconds") and _rises(frame, CLOSENESS, "seconds")),
    Claim(f"{FIGURE}(a)", "ART is slower than Anatomy and MASK", "yes", exceeds("seconds", PUBLISHED, (ANATOMY, MASK))),
    Claim(f"{FIGURE}(a)", "ART is slower than t-closeness (ART with the exact test)", "yes",
          exceeds("seconds", EXACT, (CLOSENESS,))),
    Claim(f"{FIGURE}(a)", "the increase is larger for ART than for Anatomy and MASK", "yes",
          _grows_more(PUBLISHED, (ANATOMY, MASK))),
    Claim(f"{FIGURE}(a)", "the increase is larger for ART than for t-closeness (ART with the exact test)", "yes",
          _grows_more(EXACT, (CLOSENESS,))),
    Claim(f"{FIGURE}(b)", "the error increases with the size of the quasi-identifier", "increases",
          compare_ends("error", (PUBLISHED, *OTHERS)),
          because="Anatomy and Injector show the quasi-identifier unchanged, and longer queries with wider conditions "
          "average over more groups; it increases for the other three"),
    Claim(f"{FIGURE}(b)", "the error of ART increases with the size of the quasi-identifier", "increases",
          compare_ends("error", (PUBLISHED,))),
    Claim(f"{FIGURE}(b)", "t-closeness, a global recoding, has the largest error", "yes",
          exceeds("error", CLOSENESS, (PUBLISHED, ANATOMY, MASK, INJECTOR))),
    Claim(f"{FIGURE}(b)", "the error of Injector is also small: below that of Anatomy", "yes",
          exceeds("error", ANATOMY, (INJECTOR,))),
    Claim("report, abstract and section 7; short paper, abstract", "ART incurs low information loss: its error is "
          "below that of the other methods or comparable", "yes", lambda frame: all(
              _mean(frame, PUBLISHED, "error") < _mean(frame, other, "error") for other in (MASK, ANATOMY, CLOSENESS))),
    Claim(f"{FIGURE}(c)", "the proportion of problematic tuples increases with the size of the quasi-identifier",
          "increases", compare_ends("problematic", OTHERS)),
    Claim(f"{FIGURE}(c)", "MASK has fewer privacy breaches than t-closeness, Anatomy and Injector", "yes",
          lambda frame: all(exceeds("problematic", other, (MASK,))(frame) for other in (CLOSENESS, ANATOMY, INJECTOR))),
    Claim(f"{FIGURE}(c); report, theorem 2; short paper, theorem 3", "there is no violation in ART: every table of it "
          "is r-robust", "none",
          lambda frame: "none" if frame.filter(method=PUBLISHED)["problematic"].max() == 0 else "some",
          because=f"{FULL_READING}; most protected rows are withheld at r = 10, or there would be more"),
    Claim(f"{FIGURE}(c)", "there is no violation in ART if the set is weighed only against its contrary", 0.0,
          lambda frame: frame.filter(method=PUBLISHED)["binary"].max()),
    Claim("report, theorem 2; short paper, theorem 3 (mended)", "there is no violation if groups are accepted by the "
          "exact posterior", 0.0, lambda frame: frame.filter(method=EXACT)["problematic_high"].max()),
    Claim("report, theorem 2", "ART publishes every tuple: merging goes on until the condition holds", "all",
          lambda frame: "all" if frame.filter(method=PUBLISHED)["withheld"].max() == 0 else "not all",
          because="a row to which the statistics give probability 0 under some column set can never be made up for; "
          "the closest candidates often are such rows, and groups of 10 r rows that still fail are given up"),
    Claim(f"{FIGURE}(d)", "the average deviation increases with the size of the quasi-identifier", "increases",
          compare_ends("delta", OTHERS)),
    Claim(f"{FIGURE}(d)", "Anatomy and Injector have average deviations above the bound of theorem 1",
          f"{ANATOMY}, {INJECTOR}", _list_above_bound((ANATOMY, INJECTOR))),
    Claim(f"{FIGURE}(d)", "the average deviation is largest in Anatomy and Injector, next in MASK and t-closeness",
          f"{ANATOMY}, {INJECTOR}, {MASK}, {CLOSENESS}",
          rank_methods("delta", (ANATOMY, INJECTOR, MASK, CLOSENESS)),
          because="global recoding ends in a handful of groups at t = 0.2, and a group of thousands of people holds "
          "the extremes of the whole table; the order of the other three is as printed"),
    Claim(f"{FIGURE}(d)", "without t-closeness the order is Anatomy, Injector, MASK", f"{ANATOMY}, {INJECTOR}, {MASK}",
          rank_methods("delta", (ANATOMY, INJECTOR, MASK))),
    Claim(f"{FIGURE}(d)", "the average deviation of MASK is below the bound of theorem 1", "below",
          lambda frame: "below" if _mean(frame, MASK, "delta") < _mean(frame, MASK, "bound") else "above",
          because="the bound is the mean ceiling of ART's groups that hold a case, which are small here; the report "
          "does not say how large its groups were"),
    Claim(f"{FIGURE}(d)", "MASK may breach privacy although its average deviation is small, because it is an average",
          "breaches", lambda frame: "breaches" if (frame.filter(method=MASK)["problematic"] > 0).all() else "none"),
    Claim(f"{FIGURE}(d)", "compared with Anatomy and Injector, ART forms the largest groups", PUBLISHED,
          _largest_groups,
          because="rows without a protected value stay alone where nobody needs them, and most protected rows are "
          "withheld at r = 10; groups that hold a case are as large as needed"),
    Claim("report, section 5", "all methods are run with l = r = 10: nobody is out of reach", "all",
          lambda frame: "all" if frame["gap"].is_null().all() else "gaps"),
)  # fmt: skip


FACTOR_R = (
    Claim("report, section 5, factor (2)", "r is varied for all methods; ART has no violation at any r", "none",
          lambda frame: "none" if frame.filter(method=PUBLISHED)["problematic"].max() == 0 else "some",
          because=FULL_READING),
    Claim("report, section 5, factor (2)", "l = r is set for Anatomy and Injector at every r", "all",
          lambda frame: "all" if frame.filter(pl.col("method").is_in([ANATOMY, INJECTOR]))["gap"].is_null().all()
          else "gaps"),
)  # fmt: skip
