"""The adversaries that voile knows by name, from the one who knows least. Each is a story and the attacks it leads to.

Attacks that need a register of the population take the one that is given, or the table itself: the worst register there
can be.
"""

from __future__ import annotations

from voile.core.preset import Preset

Preset(
    "neighbour",
    "a neighbour with the voter list",
    "Lives next door and knows that you are in the table. Takes your age, sex and address from the voter list, "
    "looks for the rows that fit, and reads off what they have in common.",
    ("linking", "homogeneity"),
)
Preset(
    "friend",
    "a friend who can rule things out",
    "Knows you well enough to know what you do not have: two diagnoses, or an occupation, that cannot be yours. "
    "Strikes those, and sees what is left in your group.",
    ("homogeneity", "elimination:values=2", "exclusion"),
)
Preset(
    "employer",
    "an employer who knows one of your secrets",
    "Has one sensitive fact about you on file, such as your occupation or your salary, and looks for another, "
    "such as your diagnosis. Only a table with several sensitive columns has this to offer.",
    ("chain", "exclusion"),
)
Preset(
    "insurer",
    "an insurer with published health statistics",
    "Knows how common every disease is in the whole table and for people like you, by age, sex and district. "
    "Weighs the values of your group by those rates, and raises your premium if the answer is likely enough.",
    ("homogeneity", "skewness", "prior"),
)
Preset(
    "statistician",
    "a statistician who knows the algorithm",
    "Has read the papers. Knows which method made the release and with which parameters, has a register of the "
    "people in it, and asks why the method grouped them so and not more finely; or runs it again.",
    ("prior", "minimality", "replay"),
)
Preset(
    "colleague",
    "a colleague who knows half of the ward",
    "Works where the data come from and knows the true values of every second person in the table. Strikes them "
    "from your group: what is left is more likely yours.",
    ("homogeneity", "corruption:corrupted=0.5"),
)
Preset(
    "thief",
    "a thief with everybody’s file but yours",
    "Has the true value of everybody else in the table, from a leak. Where true values are published, yours is "
    "what is left over; only a release of disturbed values has an answer to this one.",
    ("corruption:corrupted=1",),
)
