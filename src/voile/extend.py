"""What the author of a plug-in imports: the contracts and the types that they use.

A model says what is promised, a method how it is published, an attack how it is broken, a measure what is lost;
`voile.testing` has a check for each of these contracts. An engine says where the rows are. Defining a frozen dataclass
with a `name` registers it.
"""

from voile.adversaries.adversary import Adversary, Knowledge
from voile.adversaries.presets import Preset
from voile.adversaries.prior import Prior
from voile.adversaries.replayed_beliefs import ReplayedBeliefs
from voile.attacks.base import Attack, Guess, PiecewiseAttack, RawTable, Target, UsesHistory, most_frequent_share
from voile.engines.base import Engine, Source
from voile.engines.memory import load_frame
from voile.errors import (
    DataError,
    EngineError,
    PolicyError,
    SpecError,
    Unsatisfiable,
    option,
    parameter,
    raise_together,
)
from voile.measures.base import ByGroup, Measure, Outline, View
from voile.methods.base import (
    CompletesHierarchies,
    CoversAlgorithm,
    FollowsNoKey,
    FormsGroupsAgain,
    JudgesSets,
    KeepsSeats,
    Method,
    Partitionable,
    Replayable,
    ShowsItsKnobs,
    Steerable,
    WarnsOfAbsence,
)
from voile.methods.refusals import (
    AccountsForRefusals,
    ExplainsRefusals,
    IgnoresValues,
    RefusedSteps,
    RefusesByTotals,
    SpanningStep,
)
from voile.models.abilities import (
    AcceptsDistinctValues,
    BoundsByRate,
    CountsPeople,
    HasColumnParameters,
    LearnsFromTable,
    NamesRates,
    NamesValues,
    ProtectsSets,
    ProtectsValues,
    SurvivesCuts,
    WrapsRequirement,
)
from voile.models.base import GivesAdvice, Model, Verification
from voile.models.evidence import Evidence
from voile.models.kinds import FollowsPeople, PriorModel, ProcessModel, SizeModel, SpansReleases
from voile.models.policy import Policy
from voile.plugins.registry import Plugin, knob, learned_field
from voile.releases.cells.cell_choice import ancestor_cells, level_cells, tight_cells
from voile.releases.certificate import Claim
from voile.releases.linked_tables import show_buckets
from voile.releases.release import Release
from voile.releases.shapes.generalized import show_boxes
from voile.results import Answer, Belief, Loss
from voile.tables.group_counts import Counts, at_most, sizes_only, tally
from voile.tables.microdata import Microdata
from voile.tables.part_protocol import Parts, PartsInMemory
from voile.tables.row_protocol import WITHHELD, Histogram, Rows, Table
from voile.tables.schema import Column, Columns, Schema

__all__ = [
    "WITHHELD",
    "AcceptsDistinctValues",
    "AccountsForRefusals",
    "Adversary",
    "Answer",
    "Attack",
    "Belief",
    "BoundsByRate",
    "ByGroup",
    "Claim",
    "Column",
    "Columns",
    "CompletesHierarchies",
    "Counts",
    "CountsPeople",
    "CoversAlgorithm",
    "DataError",
    "Engine",
    "EngineError",
    "Evidence",
    "ExplainsRefusals",
    "FollowsNoKey",
    "FollowsPeople",
    "FormsGroupsAgain",
    "GivesAdvice",
    "Guess",
    "HasColumnParameters",
    "Histogram",
    "IgnoresValues",
    "JudgesSets",
    "KeepsSeats",
    "Knowledge",
    "LearnsFromTable",
    "Loss",
    "Measure",
    "Method",
    "Microdata",
    "Model",
    "NamesRates",
    "NamesValues",
    "Outline",
    "Partitionable",
    "Parts",
    "PartsInMemory",
    "PiecewiseAttack",
    "Plugin",
    "Policy",
    "PolicyError",
    "Preset",
    "Prior",
    "PriorModel",
    "ProcessModel",
    "ProtectsSets",
    "ProtectsValues",
    "RawTable",
    "RefusedSteps",
    "RefusesByTotals",
    "Release",
    "Replayable",
    "ReplayedBeliefs",
    "Rows",
    "Schema",
    "ShowsItsKnobs",
    "SizeModel",
    "Source",
    "SpanningStep",
    "SpansReleases",
    "SpecError",
    "Steerable",
    "SurvivesCuts",
    "Table",
    "Target",
    "Unsatisfiable",
    "UsesHistory",
    "Verification",
    "View",
    "WarnsOfAbsence",
    "WrapsRequirement",
    "ancestor_cells",
    "at_most",
    "knob",
    "learned_field",
    "level_cells",
    "load_frame",
    "most_frequent_share",
    "option",
    "parameter",
    "raise_together",
    "show_boxes",
    "show_buckets",
    "sizes_only",
    "tally",
    "tight_cells",
]
