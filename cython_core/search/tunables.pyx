"""The tunables of a search: each declared once, with meaning, default and range.

A new one is a line here and a field in tunables.pxd; the structs of the search are filled by name.
"""

from typing import NamedTuple

from cython_core.search.ancestors cimport POLICIES, STYLES


class Tunable(NamedTuple):
    """A number that may be changed for a search. Where the default is a whole number, every value is one."""

    default: float
    lowest: float
    highest: float
    meaning: str


cdef int MANY = 1_000_000_000

TUNABLES = {
    "policy": Tunable(0, 0, POLICIES - 1, "selection policy (ancestors.pxd)"),
    "explore": Tunable(0.5, 0, 100, "c at a new node, in win rate; the c of UCB1"),
    "explore_log": Tunable(0.25, 0, 100, "growth of c per e-fold of visits"),
    "explore_base": Tunable(500.0, 1, MANY, "visits after which c starts to grow"),
    "fpu_reduction": Tunable(0.05, 0, 1, "win rate by which an unvisited move is assumed to be below its parent"),
    "prior_cut": Tunable(0.995, 0, 1, "sum of the priors that get an edge at once"),
    "widen_visits": Tunable(1000, 0, MANY, "visits at which the remaining candidates get edges"),
    "statics": Tunable(1, 0, 1, "resolve fives, forced replies and open fours at leaves without search"),
    "own_vcf_nodes": Tunable(30, 0, MANY, "VCF at a leaf for the side to move, in stones; 0: none"),
    "other_vcf_nodes": Tunable(30, 0, MANY, "VCF at a leaf for the opponent as if we passed, in stones; 0: none"),
    "hot_visits": Tunable(200, 0, MANY, "visits at which a node gets a VCT search; 0: never"),
    "hot_vct_nodes": Tunable(2000, 0, 1_000_000, "its stones"),
    "hot_searches": Tunable(1, 0, 5, "VCT searches a node may get, each after 8 times the visits with 4 times the stones"),
    "rollout_share": Tunable(0.0, 0, 1, "lambda: weight of the rollouts beside the network; 0: none are played"),
    "estimate_share": Tunable(0.8, 0, 1, "weight of the static estimate beside the rollouts, without a network"),
    "rollouts": Tunable(1, 1, 1000, "per leaf"),
    "rollout_plies": Tunable(12, 0, 1024, "stones a rollout may add; the static estimate values the rest"),
    "rollout_style": Tunable(0, 0, STYLES - 1, "who plays them (ancestors.pxd)"),
    "min_root_visits": Tunable(0, 0, MANY, "visits every root move gets first"),
    "inner_noise": Tunable(0.0, 0, 1, "share of Dirichlet noise below the root; the root's is set by `add_noise`"),
}

DEFAULTS = {name: tunable.default for name, tunable in TUNABLES.items()}


cdef dict changed_values(dict values, dict changed):
    unknown = changed.keys() - TUNABLES.keys()
    if unknown:
        raise ValueError(f"no such tunable: {', '.join(sorted(unknown))}")
    for name, value in changed.items():
        tunable = TUNABLES[name]
        if not tunable.lowest <= value <= tunable.highest:
            raise ValueError(f"{name} lies within {tunable.lowest}..{tunable.highest}: {value}")
        if isinstance(tunable.default, int) and int(value) != value:
            raise ValueError(f"{name} is a whole number, not {value}")
    return {**values, **{name: type(DEFAULTS[name])(value) for name, value in changed.items()}}
