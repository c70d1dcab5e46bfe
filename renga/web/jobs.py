"""The kinds of work of the engine's process. Each is asked once, may be stopped from another thread, and answers.

`run(arguments, update)` blocks and returns the answer; `stop()` makes it return soon with what it has.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import renga
from renga.verify import Refuted, Unusable
from renga.web.positions import board_of

Answer = dict[str, Any]
Update = Callable[[Answer], None]

REPORTS_S = 0.05
"""How often a live analysis reports how it stands: more often than the worker passes on, which then never waits."""
PRIORS = 60
"""Moves whose prior is shown, where it is asked for."""
REVIEW_NODES = 20_000
"""Of the solver that looks for a forced win in each position of a review."""
EVEN_S = 3.0
"""For the balance finder and for each step of swap2."""
LARGEST_PROOF = 20_000
"""Nodes of a proof that are sent to the page; the replies beyond are answered when they are asked for."""


class Job:
    """Work that `engine.stop` ends; what the engine cannot end, the end of its process does."""

    def __init__(self, engine: renga.Engine) -> None:
        self.engine = engine
        self.stopped = False

    def run(self, arguments: dict[str, Any], update: Update) -> Answer:
        raise AssertionError("every kind of work has its own")

    def stop(self) -> None:
        self.stopped = True
        self.engine.stop()


class Analyse(Job):
    """Live analysis of `lines` moves until stopped, or for `seconds`; `prior` adds what the network expected."""

    stream: renga.AnalysisStream | None = None

    def run(self, arguments: dict[str, Any], update: Update) -> Answer:
        board = board_of(arguments["position"])
        if board.is_over:
            return {"over": True}
        lines, prior, seconds = arguments["lines"], arguments["prior"], arguments["seconds"]
        limit = None if seconds is None else renga.Limit(seconds=seconds)
        answer: Answer = {}
        shown = max(lines, PRIORS) if prior else lines
        with self.engine.analysis(board, limit, lines=shown, interval=REPORTS_S) as self.stream:
            if self.stopped:  # before there was a stream to stop
                self.stream.stop()
            for analysis in self.stream:
                answer = report(analysis, lines, prior)
                update(answer)
        return answer

    def stop(self) -> None:
        self.stopped = True
        if self.stream is not None:
            self.stream.stop()


class Move(Job):
    """A decision, by level or by time."""

    def run(self, arguments: dict[str, Any], update: Update) -> Answer:
        board = board_of(arguments["position"])
        seconds = arguments["seconds"]
        limit = None if seconds is None else renga.Limit(seconds=seconds)
        move = self.engine.play(board, limit, level=arguments["level"])
        return {} if self.stopped else {"move": str(move)}


class Solve(Job):
    """A forced win of the side to move, with its proof."""

    def run(self, arguments: dict[str, Any], update: Update) -> Answer:
        board = board_of(arguments["position"])
        found = renga.solve(board, method=arguments["method"], nodes=arguments["nodes"])
        return {
            "win": found.win,
            "exhausted": found.exhausted,
            "line": list(map(str, found.line)),
            "plies": found.plies,
            "nodes": found.nodes,
            "proof": None if found.proof is None else flat_proof(found.proof),
        }


class Certify(Job):
    """The proof of a forced win as a file that anyone can check, and what that check found."""

    def run(self, arguments: dict[str, Any], update: Update) -> Answer:
        board = board_of(arguments["position"])
        try:
            found = renga.solve(board, method=arguments["method"], nodes=arguments["nodes"], certify=True)
        except (Refuted, Unusable) as error:
            raise ValueError(f"no certificate could be made: {error}") from None
        if found.certificate is None:
            return {"text": None}
        _, plies, lines, positions = found.certificate.verified
        return {"text": found.certificate.text, "plies": plies, "lines": lines, "positions": positions}


class Balance(Job):
    """The next one or two moves that leave the game most even."""

    def run(self, arguments: dict[str, Any], update: Update) -> Answer:
        board = board_of(arguments["position"])
        found = self.engine.balance(board, moves=arguments["moves"], limit=renga.Limit(seconds=EVEN_S))
        return {"moves": list(map(str, found.moves)), "win_rate": found.win_rate}


class Swap2(Job):
    """Stones to place, or the colour that the engine takes."""

    def run(self, arguments: dict[str, Any], update: Update) -> Answer:
        board = board_of(arguments["position"])
        found = self.engine.swap2(board, limit=renga.Limit(seconds=EVEN_S))
        if found.swap:
            return {"takes": "black"}
        if len(found.moves) == 1:  # white's move: it stays white, and is asked for the move when the game goes on
            return {"takes": "white"}
        return {"stones": list(map(str, found.moves))}


class Evaluate(Job):
    """One position of a review: the evaluation to be kept, as black sees it."""

    def run(self, arguments: dict[str, Any], update: Update) -> Answer:
        board = board_of(arguments["position"])
        if board.is_over:
            rate = {"black": 1.0, "white": 0.0, None: 0.5}[board.winner]
            return {"evaluation": {"win_rate": rate, "visits": 0, "mate": None, "pv": []}}
        found = renga.solve(board, method="vct", nodes=REVIEW_NODES)
        if self.stopped:
            return {}
        mate: int | None
        if found.win:
            rate, visits, mate, line = 1.0, found.nodes, found.plies, found.line
        else:
            best = self.engine.analyse(board, renga.Limit(seconds=arguments["seconds"])).best
            rate, visits, mate, line = best.win_rate, best.visits, best.mate, best.pv
        if self.stopped:
            return {}
        if board.turn == "white":
            rate, mate = 1 - rate, None if mate is None else -mate
        return {"evaluation": {"win_rate": rate, "visits": visits, "mate": mate, "pv": list(map(str, line))}}


KINDS: dict[str, type[Job]] = {
    "analyse": Analyse,
    "move": Move,
    "solve": Solve,
    "certify": Certify,
    "balance": Balance,
    "swap2": Swap2,
    "evaluate": Evaluate,
}


def report(analysis: renga.Analysis, lines: int, prior: bool) -> Answer:
    """An analysis for the page; win rates and mates are those of the side to move."""
    answer: Answer = {
        "lines": [
            {
                "move": str(line.move),
                "win_rate": round(line.win_rate, 4),
                "visits": line.visits,
                "mate": line.mate,
                "pv": list(map(str, line.pv)),
            }
            for line in analysis.lines[:lines]
        ],
        "visits": analysis.visits,
        "speed": round(analysis.speed),
        "depth": analysis.depth,
        "seconds": round(analysis.seconds, 2),
    }
    if prior:
        answer["prior"] = {str(line.move): round(line.prior, 3) for line in analysis.lines if line.prior >= 0.005}
    return answer


def flat_proof(proof: renga.Proof) -> list[dict[str, Any]]:
    """A proof as a list, its root first: replies name the place of what answers them.

    Proofs are deeper than a nested message may be, and different orders of moves share their ends.
    """
    places: dict[int, int] = {id(proof): 0}
    order = [proof]
    for node in order:
        for child in node.replies.values():
            if id(child) not in places and len(order) < LARGEST_PROOF:
                places[id(child)] = len(order)
                order.append(child)
    return [
        {
            "move": str(node.move),
            "replies": {str(move): places[id(child)] for move, child in node.replies.items() if id(child) in places},
            "threat": list(map(str, node.threat)),
        }
        for node in order
    ]
