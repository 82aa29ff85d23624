"""What the ART papers print about their small examples, the bound of Theorem 1 and its properties."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from voile.papers.claim import Claim

FULL_READING = (
    "the proof takes the probabilities of the group's other values to sum to 1 - f, which they need not; by equations "
    "1 to 3 belief exceeds 1/r in groups that meet the condition"
)


def cell(column: str, row: int) -> Callable[[pl.DataFrame], float]:
    """Return a function that looks up one number of an item's table."""
    return lambda frame: frame[column][row]


TWO_PEOPLE = (
    Claim(
        "report, example 2; short paper, example 1",
        "without statistics each of two people has a 50 % chance of the disease",
        0.5,
        cell("belief by 2-diversity", 0),
    ),
    Claim("report, table 4; short paper, table IV", "the probability for a man (an American) is 0.1", 0.1,
          cell("prior of lung cancer", 0)),
    Claim("report, table 4; short paper, table IV", "the probability of the contrary is 0.9 for him", 0.9,
          lambda frame: 1 - frame["prior of lung cancer"][0]),
    Claim("report, table 4; short paper, table IV", "the probability for a woman (a Japanese) is 0.003", 0.003,
          cell("prior of lung cancer", 1)),
    Claim("report, table 4; short paper, table IV", "the probability of the contrary is 0.997 for her", 0.997,
          lambda frame: 1 - frame["prior of lung cancer"][1]),
    Claim("report, table 4", "the probability for a French is 0.05, of the contrary 0.95", 0.95,
          lambda frame: 1 - frame["prior of lung cancer"][2]),
    Claim(
        "report, example 2; short paper, example 1",
        "with the statistics the threshold of 50 % is violated: one of the two has a higher chance",
        "above 0.5",
        lambda frame: "above 0.5" if frame["belief with the prior"][0] > 0.5 else "not above 0.5",
    ),
    Claim("report, example 3", "6,000 of 100,000 people have the disease: a probability of 0.06", 0.06,
          lambda frame: 6_000 / 100_000),
)  # fmt: skip


def _world(number: int, weight: float, share: float, because: str = "") -> tuple[Claim, Claim]:
    where = f"report, table 5(b), world {number}"
    return (
        Claim(where, f"the weight of the world is {weight:g}", weight, cell("weight", number - 1)),
        Claim(where, f"its probability is {share:g}", share, cell("probability", number - 1), because=because),
    )


SLIP = "0.16/0.33 is 0.4848; the text of the example says 0.48, so the table has a slip"
FOUR_PEOPLE = (
    *_world(1, 0.16, 0.43, SLIP),
    *(claim for number in (2, 3, 4, 5) for claim in _world(number, 0.04, 0.12)),
    *_world(6, 0.01, 0.03),
    Claim("report, example 4", "the weights of all worlds sum to 0.33", 0.33,
          lambda frame: frame["weight"].sum()),
    Claim("report, example 4", "the probability of the first world is 0.48", 0.48, cell("probability", 0)),
    Claim(
        "report, example 4",
        "p(t1 : x) is 0.72",
        0.72,
        cell("probability", 6),
        because="the sum is 24/33 = 0.7273; the report adds the rounded terms 0.48 + 0.12 + 0.12",
    ),
    Claim("report, example 4", "this exceeds the bound of 2-diversity, 0.5", "above 0.5",
          lambda frame: "above 0.5" if frame["probability"][6] > 0.5 else "not above 0.5"),
    Claim("short paper, section III", "a group of N has N!/(f1! ... fm!) worlds: 6 in this group", 6,
          lambda frame: frame["weight"].drop_nulls().len()),
)  # fmt: skip

SIZES = (
    Claim("report, section 4.1; short paper, section IV", "the two probabilities differ by 0.1 - 0.003 = 0.097", 0.097,
          cell("deviation", 0)),
    Claim("report, section 4.1", "the greatest probability of the running example is 0.1", 0.1, cell("f_max", 0)),
    Claim("report, section 4.1", "the deviation of the likelier person is 0", 0.0, cell("least deviation", 0)),
    Claim("report, section 4.1", "three people with 0.1, 0.08, 0.09 deviate by 0.02", 0.02, cell("deviation", 1)),
    Claim("report, section 4.1", "their ceiling is 0.0474 for r = 2", 0.0474, cell("ceiling", 1)),
    Claim("report, section 4.1", "0.02 is below it, so p(t : x) is at most 1/2 for all three", "yes",
          lambda frame: bool(frame["within"][1] and frame["greatest belief (binary)"][1] <= 0.5)),
)  # fmt: skip


def list_ceilings(printed: list[tuple[int, int, float, float]]) -> tuple[Claim, ...]:
    """Return the claims of the table of ceilings."""
    return tuple(
        Claim(
            f"report, table 7; short paper, table V: N = {n}, r = {r}, f_max = {f:g}",
            f"the ceiling is {ceiling:.4f}",
            f"{ceiling:.4f}",
            cell("ceiling", row),
            agrees=lambda text, ours: text == f"{ours:.4f}",
        )
        for row, (n, r, f, ceiling) in enumerate(printed)
    )


THEOREM_1 = (
    Claim(
        "report and short paper, theorem 1",
        "a group in which every deviation is within the ceiling keeps belief in x within 1/r",
        "always",
        lambda frame: "always" if frame["r-robust"].all() else "not always",
        because=FULL_READING,
    ),
    Claim(
        "report, proof of theorem 1 (x against not x)",
        "in the reading of the proof the condition keeps belief within 1/r",
        "always",
        lambda frame: "always" if (frame["belief, binary reading"] <= frame["bound"] + 1e-9).all() else "not always",
    ),
    Claim(
        "report, section 1; short paper, section I",
        "the approximation of Li and others has no guarantee: it may understate belief",
        "understates",
        lambda frame: (
            "understates"
            if (frame["estimate of Li and others"] < frame["belief, full reading"]).any()
            else "never understates"
        ),
    ),
)
ONE_PASS = (
    Claim(
        "report, section 4.2, step 2",
        "one pass over the sensitive values ends with every group within the condition for every value",
        "always",
        lambda frame: "always" if frame["condition"][2] else "not always",
        because="the row that mends y widens the deviation of x, which was finished; the pass must be repeated",
    ),
)
SPLIT = (
    Claim(
        "report, section 4; short paper, sections I and IV",
        "robustness is not monotone: two women and two men may violate privacy, and the two halves preserve it",
        "whole violates, halves preserve",
        lambda frame: (
            "whole violates, halves preserve" if frame["r-robust"].to_list() == [False, True, True] else "otherwise"
        ),
    ),
)


def _rises(frame: pl.DataFrame) -> str:
    parts = frame.filter((pl.col("f_max") > 0) & (pl.col("f_max") < 1)).sort("N").partition_by("r", "f_max")
    return "increasing" if all((part["ceiling"].diff().drop_nulls() > 0).all() for part in parts) else "not increasing"


def _reach_top(frame: pl.DataFrame) -> str:
    large = frame.filter((pl.col("N") == 10**7) & (pl.col("f_max") > 0) & (pl.col("f_max") < 1))
    return "f_max" if (large["ceiling"] > 0.999 * large["f_max"]).all() else "less"


def _shrink_near_ends(frame: pl.DataFrame) -> str:
    """Say whether the ceiling at f_max = 0.02 and 0.98 is below that at 0.5, for every r and up to 20 people."""
    small = frame.filter((pl.col("N") > pl.col("r")) & (pl.col("N") <= 20)).sort("r", "N")
    lines = {f: small.filter(f_max=f)["ceiling"] for f in (0.02, 0.5, 0.98)}
    return "smaller" if (lines[0.02] < lines[0.5]).all() and (lines[0.98] < lines[0.5]).all() else "not smaller"


BOTH = "report, section 4.1; short paper, section IV"
LEMMA_1 = (
    Claim(
        "report, lemma 1; short paper, theorem 2",
        "the ceiling increases with the size of the group",
        "increasing",
        _rises,
    ),
    Claim(
        BOTH,
        "at N = r the ceiling is 0",
        0.0,
        lambda frame: frame.filter(pl.col("N") == pl.col("r"))["ceiling"].max(),
    ),
    Claim(BOTH, "in extremely large groups the ceiling is f_max: every deviation is allowed", "f_max", _reach_top),
    Claim(
        BOTH,
        "at f_max = 0 and f_max = 1 the ceiling is 0",
        0.0,
        lambda frame: frame.filter(pl.col("f_max").is_in([0.0, 1.0]))["ceiling"].max(),
    ),
    Claim(
        BOTH,
        "the ceiling is small where f_max is near 0 or 1 (groups of up to 20 people)",
        "smaller",
        _shrink_near_ends,
    ),
)
