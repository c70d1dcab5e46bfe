"""Renga in this process, with other constants than the shipped ones: the player of tuning matches.

`@renga:explore=0.9,network=off` is Renga with that tunable of the search (cython_core.TUNABLES) and without a network;
`network=FILE` takes another network than the shipped one, `provider=cpu` runs it by ONNX Runtime, `batch=N` leaves per
call.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import cython_core as core
from bench.players import Control, PlayerFailure
from bench.simple_players import BoardPlayer
from brain.clock import Limits, Timer
from brain.network import Network
from brain.records import Request
from brain.thinker import Thinker
from brain.weights import WeightsError


class PresentNetwork(Network):
    """A network that is there when the game starts: matches compare players, not their start-up."""

    def load(self, rule: int, memory: int) -> None:
        try:
            self.load_now(rule)
        except WeightsError as error:
            raise PlayerFailure("error", str(error)) from error


def thinker_from(options: str, seed: int) -> Thinker:
    """The thinker that `name=value,...` describes; ValueError names what is not understood."""
    path, wanted, provider = None, True, "auto"
    changed: dict[str, Any] = {}
    for option in filter(None, options.split(",")):
        name, _, value = option.partition("=")
        if name == "network":
            path, wanted = None if value == "off" else Path(value), value != "off"
        elif name == "provider":
            provider = value
        elif name == "batch":
            changed[name] = int(value)
        elif name in core.DEFAULTS:
            changed[name] = type(core.DEFAULTS[name])(value)
        else:
            known = ", ".join(["network", "provider", "batch", *core.DEFAULTS])
            raise ValueError(f"@renga has no option {name!r}; there are {known}")
    network = PresentNetwork(lambda text: None, path, provider, wanted)
    return Thinker(seed=seed, network=network, **changed)


class RengaPlayer(BoardPlayer):
    """Uses all of its turn, as the other players here. A node limit makes it independent of the machine, a limit by
    processor time of what else the machine does."""

    def __init__(self, options: str, seed: int) -> None:
        super().__init__(seed)
        self._thinker = thinker_from(options, seed + 1)

    def new_game(self, width: int, height: int, rule: int, control: Control) -> None:
        super().new_game(width, height, rule, control)
        self._thinker.forget()
        self._thinker.warm_up(rule)

    def think(self, deadline: float) -> int:
        cpu_s = self.control.cpu_ms / 1000
        now = time.thread_time if cpu_s else time.perf_counter
        seconds = cpu_s or max(0.001, deadline - time.monotonic())
        limits = Limits(now(), seconds, seconds, max_nodes=self.control.nodes)
        return self._thinker.analyse(Request(self.board, limits), Timer(limits, now=now)).best.move
