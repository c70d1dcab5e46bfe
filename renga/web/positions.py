"""Positions and games as the page writes them, to `renga`'s boards and games, and back.

A position is {width, height, rule, black, white, turn, moves}: stones placed beforehand, whose turn it was then, and
the moves since. A game has the same beginning and `nodes`, a flat list in which every node names its parent by number,
so that a long game is not a deep record. What does not fit raises a ValueError that says what and where.
"""

from __future__ import annotations

import re
from typing import Any, get_args

import renga
from renga.game import Mark

MARKS = get_args(Mark)
TITLES = ("black", "white", "event", "date", "result")
MOST_NODES = 20_000
LONGEST_TEXT = 100_000


def text(message: dict[str, Any], name: str, longest: int = LONGEST_TEXT) -> str:
    """A string of a message."""
    value = message.get(name)
    if not isinstance(value, str) or len(value) > longest:
        raise ValueError(f"{name} must be a text of at most {longest} characters")
    return value


def whole(message: dict[str, Any], name: str, low: int, high: int) -> int:
    """A whole number of a message, within bounds."""
    value = message.get(name)
    if type(value) is not int or not low <= value <= high:
        raise ValueError(f"{name} must be a whole number from {low} to {high}")
    return value


def number(message: dict[str, Any], name: str, low: float, high: float) -> float:
    """A number of a message, within bounds."""
    value = message.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise ValueError(f"{name} must be a number from {low} to {high}")
    return float(value)


def names(record: dict[str, Any], name: str) -> list[str]:
    """A list of cells; missing means none."""
    value = record.get(name, [])
    if not isinstance(value, list) or not all(isinstance(cell, str) for cell in value):
        raise ValueError(f"{name} must be a list of cells such as 'h8'")
    return value


def board_of(position: Any) -> renga.Board:
    """The board of a position; ValueError says which move is impossible and why."""
    if not isinstance(position, dict):
        raise ValueError("a position must be an object")
    size = (position.get("width"), position.get("height"))
    rule = text(position, "rule", 20)
    black, white = names(position, "black"), names(position, "white")
    if black or white or position.get("turn", "black") != "black":
        turn = text(position, "turn", 10)
        board = renga.Board.from_stones(black, white, turn=turn, size=size, rule=rule)  # type: ignore[arg-type]
    else:
        board = renga.Board(*size, rule=rule)  # type: ignore[arg-type]
    for index, move in enumerate(names(position, "moves"), 1):
        try:
            board.play(move)
        except ValueError as error:
            raise ValueError(f"move {index}: {error}") from None
    return board


def facts_of(board: renga.Board) -> dict[str, Any]:
    """What the rules say of a position, for the page to show."""
    over = board.is_over
    return {
        "turn": board.turn,
        "winner": board.winner,
        "over": over,
        "five": list(map(str, board.winning_line)),
        "forbidden": [] if over else list(map(str, board.forbidden)),
        "threats": [] if over else threats_of(board),
    }


def threats_of(board: renga.Board) -> list[dict[str, Any]]:
    """The fours and open threes that stand on the board: whose, which stones, and the cells where they go on."""
    return [
        {
            "kind": threat.kind,
            "colour": threat.colour,
            "stones": list(map(str, threat.stones)),
            "cells": list(map(str, threat.cells)),
        }
        for threat in renga.threats(board)
    ]


def game_record(game: renga.Game) -> dict[str, Any]:
    """A game for the page. ValueError where it cannot be shown: too many nodes, or set-up or a pass in mid-game."""
    count = sum(1 for _ in game.nodes())
    if count > MOST_NODES:
        raise ValueError(f"{count} nodes: this board shows games of at most {MOST_NODES}")
    root = game.root
    turn = root.board().turn
    record: dict[str, Any] = {
        "width": game.width,
        "height": game.height,
        "rule": game.rule,
        "black": [str(move) for move, colour in root.setup.items() if colour == "black"],
        "white": [str(move) for move, colour in root.setup.items() if colour == "white"],
        "turn": turn,
        "names": {title: getattr(game, title) for title in TITLES},
        "nodes": [],
    }
    numbers: dict[int, int] = {}
    colours: dict[int, str] = {id(root): "white" if turn == "black" else "black"}
    for node in game.nodes():
        parent = node.parent
        if parent is not None:
            if node.move is None and not node.setup and not node.children and node.colour is None:
                continue  # an empty node at the end of a line says nothing
            if node.move is None or node.setup or node.colour == colours[id(parent)]:
                raise ValueError(f"move {len(node.path()) - 1}: this board shows games in which the sides move in turn")
            colours[id(node)] = node.colour or ""
        numbers[id(node)] = len(record["nodes"])
        record["nodes"].append(_node_record(node, None if parent is None else numbers[id(parent)]))
    return record


def _node_record(node: renga.Node, parent: int | None) -> dict[str, Any]:
    record: dict[str, Any] = {"parent": parent, "move": None if node.move is None else str(node.move)}
    if node.comment:
        record["comment"] = node.comment
    marks: dict[str, str] = {str(move): mark for move, mark in node.marks.items()}
    marks.update({str(move): label for move, label in node.labels.items()})
    if marks:
        record["marks"] = marks
    if node.evaluation is not None:
        record["evaluation"] = evaluation_record(node.evaluation)
    if node.ms is not None or node.properties:
        record["kept"] = {"ms": node.ms, "properties": {name: list(values) for name, values in node.properties.items()}}
    return record


def evaluation_record(evaluation: renga.Evaluation) -> dict[str, Any]:
    return {
        "win_rate": evaluation.win_rate,
        "visits": evaluation.visits,
        "mate": evaluation.mate,
        "pv": list(map(str, evaluation.pv)),
    }


def game_of(record: Any) -> renga.Game:
    """The game of a record from the page."""
    if not isinstance(record, dict):
        raise ValueError("a game must be an object")
    nodes = record.get("nodes")
    if not isinstance(nodes, list) or not 1 <= len(nodes) <= MOST_NODES:
        raise ValueError(f"nodes must be a list of 1 to {MOST_NODES} nodes")
    start = board_of({**record, "moves": []})
    game = renga.Game(start.width, start.height, rule=start.rule)
    game.root.setup.update(start.stones)
    if start.stones or start.turn != "black":
        game.root.turn = start.turn
    titles = record.get("names", {})
    if isinstance(titles, dict):
        for title in TITLES:
            if title in titles:
                setattr(game, title, text(titles, title, 1000))
    made: list[renga.Node] = []
    for index, entry in enumerate(nodes):
        try:
            made.append(_add_node(game, made, entry, start.turn))
        except ValueError as error:
            raise ValueError(f"node {index}: {error}") from None
    return game


def _add_node(game: renga.Game, made: list[renga.Node], entry: Any, first: str) -> renga.Node:
    if not isinstance(entry, dict):
        raise ValueError("a node must be an object")
    if not made:
        node = game.root
    else:
        parent = made[whole(entry, "parent", 0, len(made) - 1)]
        colour = parent.colour or ("white" if first == "black" else "black")
        node = parent.add(game.move(text(entry, "move", 10)), "white" if colour == "black" else "black")
    if "comment" in entry:
        node.comment = text(entry, "comment")
    marks = entry.get("marks", {})
    if not isinstance(marks, dict):
        raise ValueError("marks must be an object")
    for cell in marks:
        mark = text(marks, cell, 20)
        if mark in MARKS:
            node.marks[game.move(cell)] = mark  # type: ignore[assignment]
        else:
            node.labels[game.move(cell)] = mark
    if entry.get("evaluation") is not None:
        node.evaluation = _evaluation_of(game, entry["evaluation"])
    if entry.get("kept") is not None:
        _hand_back(node, entry["kept"])
    return node


def _hand_back(node: renga.Node, kept: Any) -> None:
    """What the file had said at a node beyond what the page knows."""
    if not isinstance(kept, dict):
        raise ValueError("kept must be an object")
    node.ms = None if kept.get("ms") is None else whole(kept, "ms", -(1 << 40), 1 << 40)
    properties = kept.get("properties", {})
    if not isinstance(properties, dict) or not all(
        re.fullmatch("[A-Z]{1,20}", name) and isinstance(values, list) and all(isinstance(one, str) for one in values)
        for name, values in properties.items()
    ):
        raise ValueError("properties must be lists of texts by their names in capital letters")
    node.properties = {name: tuple(values) for name, values in properties.items()}


def _evaluation_of(game: renga.Game, record: Any) -> renga.Evaluation:
    if not isinstance(record, dict):
        raise ValueError("an evaluation must be an object")
    mate = None if record.get("mate") is None else whole(record, "mate", -2000, 2000)
    line = tuple(game.move(cell) for cell in names(record, "pv"))
    return renga.Evaluation(number(record, "win_rate", 0, 1), whole(record, "visits", 0, 1 << 50), mate, line)
