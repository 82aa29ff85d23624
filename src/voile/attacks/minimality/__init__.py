"""The minimality attack: worlds in which the publisher would have coarsened less are ruled out.

Read the files in this order:

    minimality          the attack: what the adversary knows, and what is reported
    candidates          who may be in which group, and which steps the method refused
    replayed_worlds     small releases: the method runs again on every world
    posterior           the belief about every candidate, from the steps below
    value_types         values that the requirement treats alike
    group_cases         the groups in which a refused step says something
    group_worlds        a group as a set of worlds, and the states in which its parts may be shown
    elimination         the worlds that remain once refused steps are known to fail
    kernel/             the loops that count worlds
    linked_groups       groups that depend on each other, because a refused step reaches over several
    drawn_worlds        such groups person by person, and worlds of them drawn at random
    whole_draws         estimates from drawn worlds, where many of them remain
    splitting           estimates where hardly any drawn world remains
    overlapping_groups  people who fit several groups
    exact_worlds        the same in exact fractions, for a few dozen people
    assignments         every way to assign values to people, and people to groups

A *world* assigns to every person one of the values that their group shows. A *step* is a finer way to show a group; its
*parts* would have been groups of their own. *Atoms* are the people of a group that no step separates.
"""

from voile.attacks.minimality.minimality import Minimality

__all__ = ["Minimality"]
