"""`Game`: a record with variations, comments, marks and evaluations.

Owns the tree. `sgf` and `psq` translate it from and to text, `files` keeps it on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from renga.board import Board
from renga.notation import COLOURS, Colour, Move, MoveLike, read_move, read_rule, read_size

Mark: TypeAlias = Literal["cross", "circle", "square", "triangle"]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What an engine thought of the position after a node's move."""

    win_rate: float
    """Of black, 0..1, whoever's turn it is."""
    visits: int = 0
    mate: int | None = None
    """Plies to the proven end: positive if black wins, negative if white does; None if nothing is proven."""
    pv: tuple[Move, ...] = ()
    """The expected continuation."""


@dataclass(eq=False, slots=True)
class Node:
    """A move of a game tree, with what was written about it; the root has none. `node.play("h8")` adds a reply."""

    game: Game = field(repr=False)
    parent: Node | None = field(default=None, repr=False)
    move: Move | None = None
    """The stone; None in the root, where stones are set up, and for a pass."""
    colour: Colour | None = None
    """Who moved; None where nobody did."""
    children: list[Node] = field(default_factory=list, repr=False)
    """The replies: the main line first, then the variations."""
    comment: str = ""
    marks: dict[Move, Mark] = field(default_factory=dict)
    labels: dict[Move, str] = field(default_factory=dict)
    evaluation: Evaluation | None = None
    ms: int | None = None
    """Time the move took."""
    setup: dict[Move, Colour | None] = field(default_factory=dict)
    """Stones put down (or, None, taken away) without a move."""
    turn: Colour | None = None
    """Whose turn it is, where that is not plain from the moves."""
    properties: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Whatever else an SGF file said of this node, as it was written."""

    def play(self, move: MoveLike) -> Node:
        """The child with this move, added as the last variation where there is none yet. ValueError if the move is
        not possible."""
        board = self.board()
        colour = board.turn
        found = board.play(move)
        for child in self.children:
            if (child.move, child.colour) == (found, colour):
                return child
        return self.add(found, colour)

    def add(self, move: Move | None, colour: Colour | None) -> Node:
        """A new last child, which the rules need not allow: records hold fouls, passes and moves after the end."""
        child = Node(self.game, self, move, colour)
        self.children.append(child)
        return child

    def remove(self) -> None:
        """Takes this node and everything after it out of the tree."""
        if self.parent is None:
            raise ValueError("the root of a game cannot be removed")
        self.parent.children.remove(self)
        self.parent = None

    def promote(self) -> None:
        """Makes this node and everything before it the main line."""
        node = self
        while node.parent is not None:
            siblings = node.parent.children
            siblings.remove(node)
            siblings.insert(0, node)
            node = node.parent

    def path(self) -> list[Node]:
        """The nodes from the root to this one, both included."""
        nodes: list[Node] = []
        node: Node | None = self
        while node is not None:
            nodes.append(node)
            node = node.parent
        return nodes[::-1]

    def main_line(self) -> list[Node]:
        """This node and the first reply to it, and so on to the end."""
        nodes = [self]
        while nodes[-1].children:
            nodes.append(nodes[-1].children[0])
        return nodes

    def board(self) -> Board:
        """The position after this node's move. ValueError if a move of the record hits an occupied cell."""
        board = self.game.empty_board()
        stones: dict[Move, Colour] = {}
        turn: Colour = "black"
        for number, node in enumerate(self.path()):
            for move, colour in node.setup.items():
                stones.pop(move, None)
                if colour is not None:
                    stones[move] = colour
            if node.move is not None and node.colour is not None:
                if node.move in stones:
                    raise ValueError(f"move {number}: {node.move} is occupied")
                stones[node.move] = node.colour
            turn = node._turn_after(turn, stones)
        for move, colour in stones.items():
            board._put(move, colour)
        board._core.settle()
        board._core.side = COLOURS.index(turn)
        return board

    def _turn_after(self, before: Colour, stones: dict[Move, Colour]) -> Colour:
        if self.turn is not None:
            return self.turn
        if self.colour is not None:
            return "white" if self.colour == "black" else "black"
        if self.children and self.children[0].colour is not None:
            return self.children[0].colour
        if not self.setup:
            return before
        colours = list(stones.values())
        return "white" if colours.count("black") > colours.count("white") else "black"

    def _content(self) -> tuple[object, ...]:
        """Everything but the links to other nodes."""
        return (
            self.move, self.colour, len(self.children), self.comment, self.marks, self.labels, self.evaluation, self.ms,
            self.setup, self.turn, self.properties,
        )  # fmt: skip


class Game:
    """A game record: `game.root` is the tree's root, `game.main_line()` the moves as they were played."""

    __hash__ = None  # type: ignore[assignment]  # a record changes

    def __init__(self, width: int = 15, height: int | None = None, *, rule: str = "freestyle") -> None:
        self.width, self.height = read_size(width if height is None else (width, height))
        self.rule = read_rule(rule)
        self.black = ""
        """Who played black; empty if nobody said."""
        self.white = ""
        self.event = ""
        self.date = ""
        self.result = ""
        """As SGF writes it: "B+", "W+R", "0" for a draw; empty if unknown."""
        self.root = Node(self)

    @classmethod
    def from_board(cls, board: Board) -> Game:
        """The moves of a board as a record; stones that did not come in turn are set up at the root."""
        game = cls(board.width, board.height, rule=board.rule)
        game.result = {"black": "B+", "white": "W+"}.get(board.winner or "", "")
        colours = list(board.stones.values())
        if all(colour == COLOURS[index % 2] for index, colour in enumerate(colours)):
            node = game.root
            for move, colour in board.stones.items():
                node = node.add(move, colour)
            if board.turn != COLOURS[len(colours) % 2]:
                node.turn = board.turn
        else:
            game.root.setup.update(board.stones)
            game.root.turn = board.turn
        return game

    def empty_board(self) -> Board:
        return Board(self.width, self.height, rule=self.rule)

    def main_line(self) -> list[Node]:
        """The first node after the root, the first reply to it, and so on."""
        return self.root.main_line()[1:]

    def nodes(self) -> Iterator[Node]:
        """Every node, each before its children, the main line first."""
        waiting = [self.root]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))

    def rotated(self) -> Game:
        """The same record after a quarter turn clockwise."""
        height = self.height
        return self._transformed(height, self.width, lambda move: Move(height - 1 - move.y, move.x, self.width))

    def mirrored(self) -> Game:
        """The same record with left and right exchanged."""
        width = self.width
        return self._transformed(width, self.height, lambda move: Move(width - 1 - move.x, move.y, move.height))

    def __eq__(self, other: object) -> bool:
        """The same headers and the same tree, with everything written in it."""
        if not isinstance(other, Game):
            return NotImplemented
        return self._headers() == other._headers() and all(
            mine._content() == theirs._content()
            for mine, theirs in zip(self.nodes(), other.nodes(), strict=False)
        )

    def _headers(self) -> tuple[object, ...]:
        return self.width, self.height, self.rule, self.black, self.white, self.event, self.date, self.result

    def _transformed(self, width: int, height: int, place: Callable[[Move], Move]) -> Game:
        game = Game(width, height, rule=self.rule)
        game.black, game.white, game.event = self.black, self.white, self.event
        game.date, game.result = self.date, self.result
        twins = {id(self.root): game.root}
        for node in self.nodes():
            twin = twins[id(node)]
            twin.comment, twin.ms, twin.turn = node.comment, node.ms, node.turn
            twin.properties = dict(node.properties)
            twin.marks = {place(move): mark for move, mark in node.marks.items()}
            twin.labels = {place(move): label for move, label in node.labels.items()}
            twin.setup = {place(move): colour for move, colour in node.setup.items()}
            if node.evaluation is not None:
                seen = node.evaluation
                twin.evaluation = Evaluation(seen.win_rate, seen.visits, seen.mate, tuple(map(place, seen.pv)))
            for child in node.children:
                twins[id(child)] = twin.add(child.move and place(child.move), child.colour)
        return game

    def move(self, move: MoveLike) -> Move:
        """A cell of this game's board; ValueError if it is off the board."""
        return read_move(move, self.width, self.height)
