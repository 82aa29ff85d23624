"""Wong, Fu, Wang, Pei: Minimality attack in privacy preserving data publishing (VLDB 2007), and its slides."""

from __future__ import annotations

from voile.papers.minimality import experiments
from voile.papers.minimality.counted_worlds import GLOBAL_CLAIMS, POSSIBILITY_CLAIMS, global_recoding, possibilities
from voile.papers.minimality.distortion_examples import DISTORTION_CLAIMS, distortion_examples
from voile.papers.minimality.examples import EXAMPLE_CLAIMS, examples
from voile.papers.minimality.masking import KEYS, MASKING_CLAIMS, STEP_CLAIMS, mask_steps, masking
from voile.papers.minimality.published_examples import PUBLISHED_CLAIMS, published_examples
from voile.papers.minimality.real_example import REAL_CLAIMS, TABLE_CLAIMS, adult_table, real_example
from voile.papers.minimality.slide_tables import TABLE_VERDICTS, judge_tables
from voile.papers.paper import Item, Paper

SMALL = (
    Item(
        "tables",
        "Every table of the slides, judged by its requirement",
        judge_tables,
        note="Groups and values are those that the slides print; the models are voile's. Linked is the largest share "
        "of cancer, HIV or 1st-4th in a group. The slides call a table 2-diverse if at most half of each group has "
        "cancer. They print satisfies or does not satisfy for e.g. 1 and e.g. 2; for the tables of the FAQ we read it "
        "from their order (a table that is shown as it is, one that is generalized, and its release). The hardness "
        "proof (exact cover by 3-sets) has nothing to compute.",
        claims=TABLE_VERDICTS,
    ),
    Item(
        "possibilities",
        "The adversary's reasoning about the released e.g. 2",
        possibilities,
        note="Assignments counts the ways to give the values of group Q to its people.",
        claims=POSSIBILITY_CLAIMS,
    ),
    Item(
        "examples",
        "Belief before and after the attack, for every requirement of the slides",
        examples,
        note="Before takes every assignment of a group's values to its people as equally likely. The slides print no "
        "example of (alpha,k)-anonymity; ours is a table of three and six people. Their example of (0.6,2)-safety is "
        "counted as they do, by shares; by the definition of (c,k)-safety its first table is not safe, so there is one "
        "of our own, judged by the model: belief reaches 2/3, above c, without any rule. It was chosen among two small "
        "tables, four values of c and k = 1 or 2; in others belief stays below c, and for k = 2 the first table is "
        "published as one group, where counting on paper eliminates nothing.",
        claims=EXAMPLE_CLAIMS,
    ),
    Item(
        "published",
        "The slides' tables, published by local recoding and then attacked",
        published_examples,
        note="Written is the belief counted over all tables that explain the release; attack is what voile's attack "
        "reaches, which runs the method again on every such table. Expected is the belief about the first kind that "
        "follows from the slides' reasoning. Before is belief without knowing the method. In personalized privacy "
        "everybody guards their own node; the adversary supposes that people guard elementary. In sequential releases "
        "the table was published before by full-domain, and 2-diversity must hold in the join as well.",
        claims=PUBLISHED_CLAIMS,
    ),
    Item(
        "global",
        "Global recoding, the general formula",
        global_recoding,
        note="After is the closed form, counted is belief counted over all tables one by one.",
        claims=GLOBAL_CLAIMS,
    ),
    Item(
        "masking-steps",
        "The four steps of MASK on six people",
        mask_steps,
        note="Step 1 is local recoding with k = 2, step 4 MASK itself with the paper's sampling, once for each key.",
        claims=STEP_CLAIMS,
        seed=f"the keys 0 to {KEYS - 1}",
    ),
    Item(
        "masking",
        "What an adversary who knows MASK believes",
        masking,
        note="All groups have one size. With the published sampling, belief exceeds 1/l; where groups to imitate are "
        "drawn in proportion to their slack it does not. voile's MASK imitates no groups: its channels keep 1/l for "
        "groups of all sizes.",
        claims=MASKING_CLAIMS,
    ),
    Item(
        "distortion",
        "The measurement of distortion",
        distortion_examples,
        note="A few people with one column, published with 2-anonymity by full-domain and measured.",
        claims=DISTORTION_CLAIMS,
    ),
)
PAPER = Paper(
    "minimality",
    "Minimality attack in privacy preserving data publishing (VLDB 2007)",
    (
        *SMALL,
        Item("adult-table", "The Adult data set", adult_table, table="adult", claims=TABLE_CLAIMS),
        Item(
            "adult-80",
            "The real example: aged 80, married, spouse absent",
            real_example,
            note="The whole table is published by local recoding with 2-diversity of the four lowest educations, and "
            "attacked with a register of everybody; the quick form takes the people aged 75 and more and those without "
            "pay. Work class has the slides' taxonomy (with pay, without pay). The slides' three rows come out of it "
            "as printed.",
            table="adult",
            claims=REAL_CLAIMS,
        ),
        *experiments.ITEMS,
    ),
)
