"""Wong, Fu, Wang, Pei: Minimality attack in privacy preserving data publishing (VLDB 2007), and its slides."""

from __future__ import annotations

from voile.flow.report.figures import Figure
from voile.papers.minimality.examples import examples, global_recoding, masking
from voile.papers.minimality.experiments import global_experiment, local_experiment, real_example
from voile.papers.minimality.published_examples import published_examples
from voile.papers.paper import Item, Paper

PAPER = Paper(
    "minimality",
    "Minimality attack in privacy preserving data publishing (VLDB 2007)",
    (
        Item(
            "examples",
            "Every example of the slides and the FAQ",
            examples,
            note="Naive belief takes every assignment of a group's values to its people as equally likely. The "
            "(0.6,2)-safety example is counted as the slides do, by shares; under the definition of (c,k)-safety a "
            "table with one HIV in a group of three is not safe, and the slides show 12 rows once and 13 rows later.",
        ),
        Item(
            "published",
            "The slides' tables, published by local recoding and then attacked",
            published_examples,
            note="Written is the belief counted over all tables that explain the release; attack is what voile's "
            "attack reaches, which runs the method again on every such table. Before is belief without knowing the "
            "method. Among equal choices the slides borrow Lung and 20k, local recoding the first value in order. In "
            "personalized privacy everybody guards their own node; the adversary supposes that people guard "
            "elementary.",
        ),
        Item("global", "Global recoding, the closed form", global_recoding),
        Item(
            "masking",
            "MASK: the distribution of the slides, and what an adversary who knows the method believes",
            masking,
            note="All groups have one size. With the published sampling, belief exceeds 1/l (0.58 for theta 0.4 in "
            "groups of 2); where groups to imitate are drawn in proportion to their slack it does not. voile's MASK "
            "imitates no groups: its channels keep 1/l for groups of all sizes.",
        ),
        Item("adult-80", "The real example: aged 80, married, spouse absent", real_example, takes_table=True),
        *(
            Item(
                name,
                f"MASK against an algorithm that ignores the attack, {recoding}",
                compute,
                figures=(
                    Figure("columns", "seconds", "line", "quasi-identifier columns", "execution time (s)"),
                    Figure("columns", "distortion", "line", "quasi-identifier columns", "distortion"),
                ),
                note="Sensitive are the four lowest educations; changed is the share of sensitive cells that MASK "
                "changed, with voile's fixed channels and with the paper's sampling, which promises less. An empty row "
                "means that no release keeps the promise.",
                takes_table=True,
            )
            for name, recoding, compute in (
                ("experiment-global", "global recoding (full-domain)", global_experiment),
                ("experiment-local", "local recoding (Mondrian)", local_experiment),
            )
        ),
    ),
)
