"""Grows an opening book by own search: what we play at once, and what swap2 begins with.

Whoever has the turn in a position of ours gets one search. On our side the best moves are followed, on the other side
all that a sensible opponent may play, once with us as black and once as white; and the same after the three stones of
swap2. Every search is kept in `OUT.searches` as soon as it is done: the same command goes on after a kill, and one for
more plies or rules only adds to it. With the same network and simulations it always grows the same book.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

import cython_core as core
from brain.book import equals
from brain.book_file import Answer, BookError, BookFile, sealed, text_of
from brain.choice import Child, ranked
from brain.core_evaluator import CoreEvaluator
from brain.opening import first_move
from brain.position_key import PositionKey, key_of, keys_after, onto_key
from brain.records import Line
from training.files import WriteError, alone_with, naming, replacing
from training.relabel import whole_lines
from training.selfplay import append_line

SEED = 2026
BATCH = 16
"""Leaves per network call, where the network wants several; the core's does not."""
SMALLEST_TREE, SIMULATION_BYTES = 64 << 20, 1500
"""Room for all that a search finds: one that has to forget is another search."""
MOST_EQUALS = 2
"""Moves of ours that are kept of a position: each has a part of the book below it."""
WELL_VISITED = 0.25
"""A move counts as good as the best one only with this share of its visits."""
SENSIBLE, MOST_SENSIBLE = 0.05, 5
"""An opponent may play what has this share of the visits or of the prior, and no more moves than that."""
LEAST = 0.01
"""Of the visits: a move with less was looked at, no more."""
FAIR_GLANCE, FAIR = 0.1, 0.02
"""How far from one half three stones of swap2 may be, after a tenth of the simulations and after all of them."""
OFF_EDGE, SPREAD = 2, 6
"""Three stones are drawn from a square with sides of SPREAD cells, at most OFF_EDGE cells off the edges: there black's
second stone is worth least."""
MOST_DRAWN = 2000
"""Three stones that are looked at before the search for fair ones ends."""
SECONDS_BETWEEN_WORDS = 10.0

Ask = Callable[[PositionKey, int], tuple[Line, ...]]
"""Position, simulations -> its moves, best first, in the key's orientation; of those alike by symmetry only one."""


@dataclass(frozen=True)
class Plan:
    rules: tuple[int, ...]
    sizes: tuple[int, ...]
    simulations: int
    plies: int
    """Stones of the last positions in which we have an answer."""
    offers: int
    """Three stones for swap2, for each rule and size."""


def search(evaluator: CoreEvaluator, key: PositionKey, simulations: int) -> tuple[Line, ...]:
    """Asks one search that begins with an empty tree; moves that nobody will ask for are left out, and there are none
    where nothing defends."""
    if evaluator.rule != key.rule:
        evaluator.use_rule(key.rule)
    board = key.board()
    searcher = core.Searcher(max(SMALLEST_TREE, simulations * SIMULATION_BYTES), seed=SEED)
    searcher.set_position(board)
    evaluator.simulator(searcher, board, BATCH)(core.Worker(searcher), simulations)
    if searcher.proof_move is not None:
        # A decided game is not searched on.
        return (Line(searcher.proof_move, searcher.value, 0.0, 1.0, searcher.visits, searcher.proof),)
    return tuple(
        Line(child.cell, child.value, 0.0, child.prior, child.visits, child.proof)
        for child in ranked(merged(board, [Child(*child) for child in searcher.children()]))
        if child.visits >= LEAST * searcher.visits or child.prior >= SENSIBLE
    )


def merged(board: core.Board, children: list[Child]) -> list[Child]:
    """Moves that are the same by symmetry as one, with the visits and the prior of all of them."""
    onto = onto_key(board)
    alike: dict[int, list[Child]] = {}
    for child in children:
        alike.setdefault(min(symmetry[child.cell] for symmetry in onto), []).append(child)
    found = []
    for cell, group in alike.items():
        most, visits = max(group, key=lambda child: child.visits), sum(child.visits for child in group)
        value = sum(child.visits * child.value for child in group) / visits if visits else most.value
        prior = sum(child.prior for child in group)
        found.append(replace(most, cell=cell, visits=visits, value=value, prior=prior))
    return found


def ours(lines: Sequence[Line]) -> tuple[Line, ...]:
    """The best move, and others as good."""
    enough = [line for line in lines if line.visits >= WELL_VISITED * lines[0].visits]
    return tuple(equals(enough)[:MOST_EQUALS])


def theirs(lines: Sequence[Line]) -> tuple[Line, ...]:
    """The moves of a sensible opponent, the likeliest first."""
    visits = sum(line.visits for line in lines)
    likely = [line for line in lines if line.prior >= SENSIBLE or line.visits >= SENSIBLE * visits]
    return tuple(sorted(likely, key=lambda line: (line.visits, line.prior), reverse=True)[:MOST_SENSIBLE])


def after_ours(key: PositionKey, lines: Sequence[Line]) -> dict[PositionKey, None]:
    """The positions after the moves that we may play, in their order."""
    return dict.fromkeys(keys_after(key.board(), [line.move for line in ours(lines)]).values())


def after_theirs(key: PositionKey, lines: Sequence[Line]) -> dict[PositionKey, None]:
    """Those after an opponent's moves: the sensible ones, and the first moves that people play without a thought."""
    board = key.board()
    known = first_move(board)
    cells = [*(line.move for line in theirs(lines)), *([] if known is None else [known])]
    return dict.fromkeys(keys_after(board, cells).values())


def is_open(lines: Sequence[Line]) -> bool:
    """Is the position undecided? What is proven needs no book."""
    return bool(lines) and lines[0].proof is None


def answers_from(start: PositionKey, own: int, plan: Plan, ask: Ask) -> dict[PositionKey, Answer]:
    """Our answers in what may follow on a position, and in itself where it is our turn."""
    found: dict[PositionKey, Answer] = {}
    positions = {start: None}
    for ply in range(start.ply, plan.plies + 1):
        following: dict[PositionKey, None] = {}
        for key in positions:
            if ply == plan.plies and key.side != own:
                continue
            lines = ask(key, plan.simulations)
            if not is_open(lines):
                continue
            if key.side == own:
                found[key] = Answer(key, ours(lines))
                following |= after_ours(key, lines)
            else:
                following |= after_theirs(key, lines)
        positions = following
    return found


def drawn(rule: int, size: int) -> Iterator[PositionKey]:
    """Three stones near a corner, black, white, black, no two the same by symmetry."""
    chance, seen = random.Random(f"{SEED} {rule} {size}"), set()
    spread = min(SPREAD, size)
    for _ in range(MOST_DRAWN):
        left, top = (chance.randint(0, min(OFF_EDGE, size - spread)) for _ in "xy")
        board = core.Board(size, size, rule)
        for place in chance.sample(range(spread * spread), 3):
            board.play(core.cell(left + place % spread, top + place // spread))
        key = key_of(board)
        if key not in seen:
            seen.add(key)
            yield key


def offers(rule: int, size: int, plan: Plan, ask: Ask) -> Iterator[Answer]:
    """Three stones after which neither colour is better, with white's answers."""
    left = plan.offers
    for key in drawn(rule, size) if left else ():
        if not is_fair(ask(key, max(1, plan.simulations // 10)), FAIR_GLANCE):
            continue
        lines = ask(key, plan.simulations)
        if is_fair(lines, FAIR):
            yield Answer(key, ours(lines), offer=True)
            left -= 1
            if not left:
                return


def is_fair(lines: Sequence[Line], tolerance: float) -> bool:
    return is_open(lines) and abs(lines[0].value - 0.5) <= tolerance


def grown(rule: int, size: int, plan: Plan, ask: Ask) -> dict[PositionKey, Answer]:
    """The part of the book for a rule and size."""
    found: dict[PositionKey, Answer] = {}
    empty = key_of(core.Board(size, size, rule))
    for own in (core.BLACK, core.WHITE):
        found |= answers_from(empty, own, plan, ask)
    for offer in offers(rule, size, plan, ask):
        found |= answers_from(offer.key, core.BLACK, plan, ask)  # after a swap we are white: that is the offer itself
        found[offer.key] = offer
    return found


class Searches:
    """All searches that were done with a network, in a file of one line each."""

    def __init__(self, path: Path, file: BinaryIO, evaluator: CoreEvaluator, say: Callable[[str], None]) -> None:
        """`file` is `path`, opened to append whole lines; WriteError if they are another network's."""
        self._file, self._evaluator, self._say = file, evaluator, say
        self._known: dict[tuple[PositionKey, int], tuple[Line, ...]] = {}
        self._made, self._began = 0, time.monotonic()
        self._told = self._began
        heading = json.dumps({"network": evaluator.metadata["network"]})
        first, *rest = path.read_text(encoding="ascii", errors="replace").splitlines() or [heading]
        if first != heading:
            raise WriteError(f"{path}: has searches of another network; move it away, or name another --out")
        if not path.stat().st_size:
            append_line(file, heading)
        for number, line in enumerate(rest, 2):
            try:
                rule, width, height, stones, simulations, lines = json.loads(line)
                key = PositionKey(rule, width, height, bytes.fromhex(stones))
                self._known[key, simulations] = tuple(
                    Line(cell, value, 0.0, prior, visits, proof) for cell, value, prior, visits, proof in lines
                )
            except (TypeError, ValueError) as error:
                raise WriteError(f"{path}, line {number}: no search of ours: {error}") from error

    def ask(self, key: PositionKey, simulations: int) -> tuple[Line, ...]:
        """What a search says: an `Ask`."""
        if (key, simulations) not in self._known:
            lines = search(self._evaluator, key, simulations)
            told = [[line.move, line.value, line.prior, line.visits, line.proof] for line in lines]
            append_line(self._file, json.dumps([key.rule, key.width, key.height, key.stones.hex(), simulations, told]))
            self._known[key, simulations] = lines
            self._made += 1
            self._tell(key)
        return self._known[key, simulations]

    def _tell(self, key: PositionKey) -> None:
        now = time.monotonic()
        if now - self._told >= SECONDS_BETWEEN_WORDS:
            self._told = now
            place = f"{core.RULE_BOOK[key.rule].name} {key.width}x{key.height}"
            each = (now - self._began) / self._made
            self._say(f"{place}, {key.ply} stones: {len(self._known)} searches, {each:.2f} s each")


def grow(plan: Plan, network: Path, out: Path, say: Callable[[str], None]) -> int:
    """Writes the book; how many positions it has."""
    evaluator = CoreEvaluator.load(plan.rules[0], network)
    out.parent.mkdir(parents=True, exist_ok=True)
    log = out.with_name(f"{out.name}.searches")
    log.touch()
    found: dict[PositionKey, Answer] = {}
    with alone_with(log):
        whole_lines(log)
        with log.open("ab", buffering=0) as file, naming(log):
            searches = Searches(log, file, evaluator, say)
            for rule in dict.fromkeys(plan.rules):
                for size in dict.fromkeys(plan.sizes):
                    part = grown(rule, size, plan, searches.ask)
                    offered = sum(answer.offer for answer in part.values())
                    say(f"{core.RULE_BOOK[rule].name} {size}x{size}: {len(part)} positions, {offered} for swap2")
                    found |= part
    remark = f"grown by {plan.simulations} simulations a position with the network {evaluator.metadata['network']}"
    return _write(out, text_of(found.values(), remark))


def seal(path: Path) -> int:
    """Checks a book that a person has edited and gives it its checksum; BookError names the first line that cannot be,
    and the file stays as it was. How many positions it has."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise BookError(f"book {path} is no text in UTF-8") from error
    return _write(path, sealed(text))


def _write(path: Path, text: str) -> int:
    """A book takes the place of `path` if it can be read; BookError if not. How many positions it has."""
    data = text.encode("utf-8")
    positions = len(BookFile(path, data))
    with replacing(path) as part:
        part.write_bytes(data)
    return positions
