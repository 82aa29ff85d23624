"""Count the ways to give a group's values to its people.

A group has people of several kinds (atoms) and values of several types, each with its count. A state says how many
values of each type some people have; the last type is not stored, because the number of people determines it. States
are numbered in mixed radix, so the state of a union of atoms is the sum of their states. Whether people in a state may
be shown as a group of their own is looked up in the table `may_show`, which has one row per number of people that
matters.

All weights are multinomial probabilities with the group's own shares, so nothing overflows.

    states        states, their probabilities, and which steps the states of all atoms allow
    convolution   one step, over the parts of the group: exact, for groups of thousands
    enumeration   several steps, world by world: exact, for small groups
    sampling      several steps, by random worlds: an estimate, for groups of any size
"""

from __future__ import annotations

from voile.attacks.minimality.kernel.convolution import convolve_parts
from voile.attacks.minimality.kernel.enumeration import enumerate_worlds
from voile.attacks.minimality.kernel.sampling import sample_worlds
from voile.attacks.minimality.kernel.states import list_states

__all__ = ["convolve_parts", "enumerate_worlds", "list_states", "sample_worlds"]
