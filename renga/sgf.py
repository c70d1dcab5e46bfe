"""SGF (FF[4], GM[4]): a game tree from and to text.

What `Game` and `Node` have words for is translated; every other property is kept as it was written. Points are two
letters, `aa` at the upper left. Two properties are our own: `RG[win=0.534 visits=2000 mate=-7 pv=h8i9]` is an
evaluation as black sees it (`Evaluation`), `MS[1500]` the milliseconds a move took.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable

from renga.game import Evaluation, Game, Mark, Node
from renga.notation import RULES, Colour, Move, Rule, read_code, read_move, write_code
from renga.sgf_text import Properties, RawNode, escaped, parse

MARKS: dict[str, Mark] = {"MA": "cross", "CR": "circle", "SQ": "square", "TR": "triangle"}
COLOUR_OF: dict[str, Colour] = {"B": "black", "W": "white"}
SETUP: dict[str, Colour | None] = {"AB": "black", "AW": "white", "AE": None}
HEADERS = {"PB": "black", "PW": "white", "EV": "event", "DT": "date", "RE": "result"}
ROOT = ("FF", "GM", "CA", "SZ", "AP")
"""Properties of every root that we write ourselves."""
DEFAULT_SIZE = "15"


def read_sgf(data: bytes | str, rule: str | None = None) -> Game:
    """The first game of an SGF text; ValueError with line and column where it makes no sense."""
    raw = parse(data)
    game = _new_game(raw[0], rule)
    nodes = [game.root]
    for index, source in enumerate(raw):
        node = nodes[index] if index == 0 else Node(game, nodes[source.parent])
        try:
            if index:
                nodes.append(node)
                nodes[source.parent].children.append(node)
            _Reader(game, node).read(source.properties)
        except ValueError as error:
            raise ValueError(f"{source.place}: {error}") from None
    _check_cells(raw, nodes)
    return game


def _new_game(root: RawNode, rule: str | None) -> Game:
    """An empty game of the size and rule that the root names."""
    try:
        kind = _one(root.properties.get("GM", ("4",)))
        if kind.strip() != "4":
            raise ValueError(f"GM[{kind[:20]}] is not five in a row, which is GM[4]")
        size = _one(root.properties.get("SZ", (DEFAULT_SIZE,)))
        match = re.fullmatch(r"\s*([0-9]{1,3})(?:\s*:\s*([0-9]{1,3}))?\s*", size)
        if match is None:
            raise ValueError(f"SZ[{size[:20]}] is no board size")
        return Game(int(match[1]), int(match[2] or match[1]), rule=rule or _rule_in(root.properties) or "freestyle")
    except ValueError as error:
        raise ValueError(f"{root.place}: {error}") from None


def _rule_in(properties: Properties) -> Rule | None:
    text = _one(properties.get("RU", ("",))).lower()
    return next((rule for rule in sorted(RULES, key=len, reverse=True) if rule in text), None)


def _check_cells(raw: list[RawNode], nodes: list[Node]) -> None:
    """No move of the record may stand on a stone."""
    # Depth first with one set of stones: a node's own stones are taken away when all below it is done.
    stones: set[Move] = set()
    waiting: list[tuple[int, bool]] = [(0, False)]
    undo: dict[int, tuple[set[Move], set[Move]]] = {}
    children: dict[int, list[int]] = {}
    for index, source in enumerate(raw[1:], 1):
        children.setdefault(source.parent, []).append(index)
    while waiting:
        index, done = waiting.pop()
        node = nodes[index]
        if done:
            added, taken = undo.pop(index)
            stones -= added
            stones |= taken
            continue
        gone = {move for move, colour in node.setup.items() if colour is None} & stones
        put = {move for move, colour in node.setup.items() if colour is not None} - stones
        stones -= gone
        stones |= put
        if node.move is not None:
            if node.move in stones:
                raise ValueError(f"{raw[index].place}: {node.move} is occupied")
            put.add(node.move)
            stones.add(node.move)
        undo[index] = put, gone
        waiting.append((index, True))
        waiting.extend((child, False) for child in children.get(index, ()))


class _Reader:
    """Fills one node from its properties."""

    def __init__(self, game: Game, node: Node) -> None:
        self.game, self.node = game, node

    def read(self, properties: Properties) -> None:
        node, game = self.node, self.game
        is_root = node.parent is None
        for name, values in properties.items():
            if name in COLOUR_OF:
                self._read_move(name, values)
            elif name in SETUP:
                node.setup.update(dict.fromkeys(self._points(values), SETUP[name]))
            elif name == "PL":
                node.turn = self._colour(_one(values))
            elif name == "C":
                node.comment = _one(values)
            elif name in MARKS:
                node.marks.update(dict.fromkeys(self._points(values), MARKS[name]))
            elif name == "LB":
                node.labels.update(map(self._label, values))
            elif name == "RG":
                node.evaluation = self._evaluation(_one(values))
            elif name == "MS":
                node.ms = _whole(_one(values), "MS")
            elif is_root and name in HEADERS:
                setattr(game, HEADERS[name], " ".join(_one(values).split()))
            elif not (is_root and (name in ROOT or (name == "RU" and _rule_in(properties)))):
                node.properties[name] = values

    def _read_move(self, name: str, values: tuple[str, ...]) -> None:
        if self.node.colour is not None:
            raise ValueError("two moves in one node")
        self.node.colour = COLOUR_OF[name]
        text = _one(values).strip()
        # tt is how old files write a pass, on boards that have no such point.
        is_pass = not text or (text == "tt" and max(self.game.width, self.game.height) < 20)
        self.node.move = None if is_pass else self._point(text)

    @staticmethod
    def _colour(text: str) -> Colour:
        word = text.strip().lower()
        for colour in COLOUR_OF.values():
            if word in (colour, colour[0]):
                return colour
        raise ValueError(f"PL[{text[:20]}] is no colour")

    def _point(self, text: str) -> Move:
        """`hh`, or `h8` as some programs write it."""
        text = text.strip()
        if not re.fullmatch("[a-zA-Z]{2}", text):
            return self.game.move(text)
        x, y = ("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".index(letter) for letter in text)
        if x >= self.game.width or y >= self.game.height:
            raise ValueError(f"{text} is off the {self.game.width}x{self.game.height} board")
        return Move(x, y, self.game.height)

    def _points(self, values: Iterable[str]) -> list[Move]:
        """Points, and rectangles of them written as two corners: `aa:cc`."""
        points: list[Move] = []
        for value in values:
            if len(points) > self.game.width * self.game.height:
                raise ValueError("a list of points that names some of them again and again")
            if not value.strip():
                continue
            first, _, last = value.partition(":")
            start = self._point(first)
            end = self._point(last) if last else start
            points += [
                read_move((x, y), self.game.width, self.game.height)
                for y in range(start.y, end.y + 1)
                for x in range(start.x, end.x + 1)
            ]
        return points

    def _label(self, value: str) -> tuple[Move, str]:
        point, colon, text = value.partition(":")
        if not colon:
            raise ValueError(f"LB[{value[:20]}] is no label: it has no colon")
        return self._point(point), text

    def _evaluation(self, text: str) -> Evaluation:
        words = dict(word.partition("=")[::2] for word in text.split())
        try:
            rate = float(words.get("win", "nan"))
        except ValueError:
            rate = math.nan
        if not 0 <= rate <= 1:
            raise ValueError(f"RG[{text[:40]}] is no evaluation: win is a number from 0 to 1")
        mate = _whole(words["mate"], "RG mate") if "mate" in words else None
        pv = read_code(words.get("pv", ""), self.game.width, self.game.height)
        visits = _whole(words.get("visits", "0"), "RG visits")
        return Evaluation(rate, visits, mate, tuple(move for move in pv if move is not None))


def _one(values: tuple[str, ...]) -> str:
    """The only value of a property that has one; of several the first counts."""
    return values[0]


def _whole(text: str, name: str) -> int:
    if not re.fullmatch(r"\s*[+-]?[0-9]{1,15}\s*", text):
        raise ValueError(f"{name}: {text[:20]!r} is no whole number")
    return int(text)


# Writing


def write_sgf(game: Game) -> str:
    """The game as the text of an SGF file, to be encoded as UTF-8."""
    parts: list[str] = []
    waiting: list[Node | str] = [game.root]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            parts.append(item)
            continue
        parts.append(_node_text(item))
        if len(item.children) == 1:
            waiting.append(item.children[0])
        else:
            # The stack is popped from its end, so that the first child comes first.
            for child in reversed(item.children):
                waiting += [")", child, "\n("]
    return "(" + "".join(parts) + ")\n"


def _node_text(node: Node) -> str:
    text = ";" if node.parent is not None else _root_text(node.game)
    write = _Writer()
    if node.colour is not None:
        write.add(node.colour[0].upper(), [_point_text(node.move) if node.move else ""])
    for name, setup in SETUP.items():
        write.points(name, (move for move, colour in node.setup.items() if colour == setup))
    if node.turn is not None:
        write.add("PL", [node.turn[0].upper()])
    write.texts("C", [node.comment] if node.comment else [])
    for name, mark in MARKS.items():
        write.points(name, (move for move, found in node.marks.items() if found == mark))
    write.texts("LB", [f"{_point_text(move)}:{label}" for move, label in node.labels.items()])
    if node.evaluation is not None:
        write.add("RG", [_evaluation_text(node.evaluation)])
    if node.ms is not None:
        write.add("MS", [str(node.ms)])
    for name, values in node.properties.items():
        write.texts(name, values)
    return text + "".join(write.parts)


def _root_text(game: Game) -> str:
    size = str(game.width) if game.width == game.height else f"{game.width}:{game.height}"
    text = f";FF[4]GM[4]CA[UTF-8]AP[Renga]SZ[{size}]"
    if "RU" not in game.root.properties:
        text += f"RU[{game.rule}]"
    for name, header in HEADERS.items():
        value = " ".join(str(getattr(game, header)).split())
        if value:
            text += f"{name}[{escaped(value)}]"
    return text + "\n"


class _Writer:
    def __init__(self) -> None:
        self.parts: list[str] = []

    def add(self, name: str, values: Iterable[str], form: Callable[[str], str] = str) -> None:
        written = "".join(f"[{form(value)}]" for value in values)
        if written:
            self.parts.append(name + written)

    def points(self, name: str, moves: Iterable[Move]) -> None:
        self.add(name, map(_point_text, moves))

    def texts(self, name: str, values: Iterable[str]) -> None:
        self.add(name, values, escaped)


def _point_text(move: Move) -> str:
    return "".join(chr(ord("a") + at) if at < 26 else chr(ord("A") + at - 26) for at in move)


def _evaluation_text(seen: Evaluation) -> str:
    words = [f"win={seen.win_rate!r}", f"visits={seen.visits}"]
    if seen.mate is not None:
        words.append(f"mate={seen.mate}")
    if seen.pv:
        words.append(f"pv={write_code(seen.pv)}")
    return " ".join(words)
