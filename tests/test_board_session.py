"""The messages between page and server, without a browser and without an engine."""

from __future__ import annotations

import asyncio
import base64
import json
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import renga
from renga.web import session as sessions
from renga.web.desk import EngineDied, Refused, Ticket
from renga.web.positions import MOST_NODES, board_of, game_of, game_record
from renga.web.session import Session

EMPTY = {"width": 15, "height": 15, "rule": "renju", "black": [], "white": [], "turn": "black", "moves": []}


class FakeDesk:
    """Keeps tickets; `outcomes` answers them in turn, and without one they stay open."""

    def __init__(self, outcomes: list[Any]) -> None:
        self.state = "ready"
        self.listeners: set[Callable[[str], None]] = set()
        self.tickets: list[Ticket] = []
        self.dropped: list[object] = []
        self._outcomes = outcomes

    def submit(self, ticket: Ticket) -> None:
        self.tickets.append(ticket)
        if not self._outcomes:
            return
        outcome = self._outcomes.pop(0)
        ticket.on_update({"half": True})
        if isinstance(outcome, Exception):
            ticket.answer.set_exception(outcome)
        else:
            ticket.answer.set_result(outcome)

    def stop(self, ticket: Ticket, reason: str = "asked") -> None:
        ticket.stopped = reason

    def drop(self, owner: object) -> None:
        self.dropped.append(owner)


def talk(*messages: Any, outcomes: list[Any] | None = None) -> tuple[list[dict[str, Any]], FakeDesk]:
    """Sends messages (texts, or objects to be written as JSON); returns what came back, and the desk."""
    answers: list[dict[str, Any]] = []
    desks: list[FakeDesk] = []

    async def send(message: dict[str, Any]) -> None:
        answers.append(json.loads(json.dumps(message)))

    async def run() -> None:
        desk = FakeDesk(outcomes or [])
        desks.append(desk)
        session = Session(desk, send)  # type: ignore[arg-type]
        for message in messages:
            await session.receive(message if isinstance(message, str) else json.dumps(message))
        for _ in range(50):
            await asyncio.sleep(0)
        session.close()

    asyncio.run(run())
    return answers, desks[0]


def one(message: Any, **more: Any) -> dict[str, Any]:
    answers, _ = talk(message, **more)
    assert len(answers) == 1, answers
    return answers[0]


def after(code: str, **more: Any) -> dict[str, Any]:
    return {**EMPTY, "moves": re.findall("[a-z]+[0-9]+", code), **more}


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("nonsense", "no JSON"),
        ("[" * 100_000, "JSON|nested"),
        ([], "object"),
        ({}, "type must be a text"),
        ({"type": "dance"}, "no message type 'dance'"),
        ({"type": "facts", "id": "seven"}, "id must be a whole number"),
        ({"type": "facts"}, "position must be an object"),
        ({"type": "facts", "position": {**EMPTY, "width": 3}}, "3x15"),
        ({"type": "facts", "position": {**EMPTY, "width": "x"}}, "size"),
        ({"type": "facts", "position": {**EMPTY, "rule": "chess"}}, "no rule 'chess'"),
        ({"type": "facts", "position": {**EMPTY, "moves": "h8"}}, "moves must be a list"),
        ({"type": "facts", "position": after("h8h8")}, "move 2: h8 is occupied"),
        ({"type": "facts", "position": after("h8a1h9a3i7c1g7e1h7")}, "move 9: h7 is forbidden"),
        ({"type": "facts", "position": after("z9")}, "off the 15x15 board"),
        ({"type": "analyse", "position": EMPTY, "lines": 11}, "lines must be a whole number from 1 to 10"),
        ({"type": "analyse", "position": EMPTY, "lines": True}, "lines must be"),
        ({"type": "analyse", "position": EMPTY, "lines": 1, "seconds": -1}, "seconds must be a number"),
        ({"type": "move", "position": EMPTY, "level": 13}, "level must be a whole number from 1 to 12"),
        ({"type": "move", "position": after("h8a1h9a3h10c1h11e1h12")}, "the game is over"),
        ({"type": "solve", "position": EMPTY, "method": "magic"}, "no method 'magic'"),
        ({"type": "certify", "position": after("h8a1h9a3h10c1h11e1h12"), "method": "vct"}, "the game is over"),
        ({"type": "balance", "position": EMPTY, "moves": 3}, "moves must be a whole number from 1 to 2"),
        ({"type": "swap2", "position": after("h8")}, "0, 3 or 5 stones"),
        ({"type": "review", "position": after("h8"), "plies": [2], "seconds": 1}, "plies must be"),
        ({"type": "read", "name": "game.txt", "data": ""}, "end in .sgf or .psq"),
        ({"type": "read", "name": "game.sgf", "data": "***"}, "base64"),
        ({"type": "read", "name": "game.sgf", "data": "KDtHTVsxXSk="}, "game.sgf: .*five in a row"),
        ({"type": "write", "format": "pdf", "game": {}}, "format must be one of sgf, psq"),
        ({"type": "write", "format": "sgf", "game": {**EMPTY, "nodes": []}}, "nodes must be a list"),
        ({"type": "write", "format": "sgf", "game": {**EMPTY, "nodes": [{}, {"parent": 1}]}}, "node 1: parent"),
        ({"type": "write", "format": "sgf", "game": {**EMPTY, "nodes": [{"kept": 5}]}}, "node 0: kept must be"),
        (
            {"type": "write", "format": "sgf", "game": {**EMPTY, "nodes": [{"kept": {"properties": [1]}}]}},
            "node 0: properties must be",
        ),
        (
            {"type": "write", "format": "sgf", "game": {**EMPTY, "nodes": [{"kept": {"properties": {"KM": 5}}}]}},
            "node 0: properties must be",
        ),
        (
            {"type": "write", "format": "sgf", "game": {**EMPTY, "nodes": [{"kept": {"properties": {"])(": ["1"]}}}]}},
            "node 0: properties must be",
        ),
        ({"type": "code", "code": "h8h", "size": "15", "rule": "renju"}, "character 3"),
    ],
)
def test_a_bad_message_gets_one_clear_error(message: Any, words: str) -> None:
    if isinstance(message, dict) and "id" not in message:
        message = {**message, "id": 5}
    answers, desk = talk(message)
    assert [answer["type"] for answer in answers] == ["error"]
    assert re.search(words, answers[0]["message"]), answers[0]["message"]
    if isinstance(message, dict):
        assert answers[0]["id"] == (5 if message["id"] == 5 else None)
    assert desk.tickets == []


def test_what_nobody_thought_of_is_an_error_too_and_the_tab_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(game: Any) -> str:
        raise ZeroDivisionError("what nobody thought of")

    monkeypatch.setitem(sessions.WRITERS, "sgf", broken)
    answers, _ = talk(
        {"type": "write", "id": 1, "format": "sgf", "game": {**EMPTY, "nodes": [{}]}},
        {"type": "facts", "id": 2, "position": EMPTY},
    )
    assert [(answer["type"], answer["id"]) for answer in answers] == [("error", 1), ("facts", 2)]
    assert "terminal" in answers[0]["message"]


def test_a_large_file_holds_up_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = threading.Event()

    def slow(data: bytes) -> renga.Game:
        assert opened.wait(60)
        return renga.Game(15, 15)

    monkeypatch.setitem(sessions.READERS, "sgf", slow)
    answered: list[str] = []

    async def run() -> None:
        async def reader(message: dict[str, Any]) -> None:
            answered.append("reader " + message["type"])

        async def other(message: dict[str, Any]) -> None:
            answered.append("other " + message["type"])
            opened.set()

        desk: Any = FakeDesk([])
        large = asyncio.create_task(Session(desk, reader).receive('{"type": "read", "name": "a.sgf", "data": ""}'))
        await asyncio.sleep(0)
        await Session(desk, other).receive(json.dumps({"type": "facts", "position": EMPTY}))
        await large

    asyncio.run(run())
    assert answered == ["other facts", "reader game"]


def test_a_file_that_is_too_large_to_be_shown_is_refused() -> None:
    moves = "".join(f"(;B[{chr(97 + index % 15)}a])" for index in range(MOST_NODES))
    data = base64.b64encode(f"(;GM[4]SZ[15]{moves})".encode()).decode()
    answer = one({"type": "read", "id": 1, "name": "large.sgf", "data": data})
    assert answer["type"] == "error"
    assert answer["message"] == f"large.sgf: {MOST_NODES + 1} nodes: this board shows games of at most {MOST_NODES}"


def test_facts_tell_whose_turn_it_is_and_what_is_forbidden() -> None:
    answer = one({"type": "facts", "id": 3, "position": after("h8a1h9a3i7c1g7e1")})
    assert (answer["id"], answer["turn"], answer["winner"], answer["over"]) == (3, "black", None, False)
    assert answer["forbidden"] == ["h7"]


def test_facts_tell_who_has_won_and_how() -> None:
    answer = one({"type": "facts", "position": after("h8a1h9a3h10c1h11e1h12")})
    assert (answer["winner"], answer["over"]) == ("black", True)
    assert sorted(answer["five"]) == ["h10", "h11", "h12", "h8", "h9"]


def test_facts_tell_the_threats_that_stand() -> None:
    answer = one({"type": "facts", "position": after("h8a1h9a3h10c1")})
    threat = next(threat for threat in answer["threats"] if threat["kind"] == "three")
    assert threat["colour"] == "black" and sorted(threat["stones"]) == ["h10", "h8", "h9"]
    assert {"h11", "h7"} <= set(threat["cells"])


def test_stones_placed_beforehand_may_have_either_side_to_move() -> None:
    position = {**EMPTY, "black": ["a1", "a2"], "white": ["c3"], "turn": "black", "moves": ["a3"]}
    board = board_of(position)
    assert board.turn == "white" and {str(move) for move in board.stones} == {"a1", "a2", "c3", "a3"}


def test_a_search_sends_updates_and_an_answer_with_the_number_of_its_request() -> None:
    answers, desk = talk({"type": "analyse", "id": 4, "position": EMPTY, "lines": 3}, outcomes=[{"lines": []}])
    assert [(answer["type"], answer["id"]) for answer in answers] == [("update", 4), ("analyse", 4)]
    assert desk.tickets[0].endless and desk.tickets[0].arguments["lines"] == 3


@pytest.mark.parametrize(
    ("message", "kind", "endless"),
    [
        ({"type": "analyse", "lines": 1, "seconds": 2}, "analyse", False),
        ({"type": "move", "level": 4, "seconds": None}, "move", False),
        ({"type": "solve", "method": "vcf"}, "solve", False),
        ({"type": "certify", "method": "vct"}, "certify", False),
        ({"type": "balance", "moves": 2}, "balance", False),
        ({"type": "swap2"}, "swap2", False),
    ],
)
def test_other_questions_become_tickets_that_end(message: dict[str, Any], kind: str, endless: bool) -> None:
    answers, desk = talk({**message, "id": 1, "position": EMPTY}, outcomes=[{"it": "is"}])
    assert (desk.tickets[0].kind, desk.tickets[0].endless) == (kind, endless)
    assert answers[-1] == {"type": kind, "id": 1, "stopped": "", "it": "is"}


@pytest.mark.parametrize(("trouble", "words"), [(EngineDied("x"), "engine died"), (Refused("no"), "no")])
def test_what_goes_wrong_in_the_engine_is_one_error(trouble: Exception, words: str) -> None:
    answers, _ = talk({"type": "swap2", "id": 9, "position": EMPTY}, outcomes=[trouble])
    assert answers[-1] == {"type": "error", "id": 9, "message": words}


def test_a_review_goes_through_its_positions_and_asks_again_for_what_gave_way() -> None:
    evaluation = {"evaluation": {"win_rate": 0.5, "visits": 1, "mate": None, "pv": []}}
    message = {"type": "review", "id": 2, "position": after("h8i9"), "plies": [0, 2], "seconds": 1}
    answers, desk = talk(message, outcomes=[evaluation, {}, evaluation])
    assert [len(ticket.arguments["position"]["moves"]) for ticket in desk.tickets] == [0, 2, 2]
    assert all(ticket.background for ticket in desk.tickets)
    assert [answer["type"] for answer in answers] == ["update", "update", "update", "review"]
    assert [answer.get("done") for answer in answers] == [1, None, 2, None]
    assert answers[1]["waits"] is True


def test_stop_and_the_end_of_a_tab_drop_its_tickets() -> None:
    _, desk = talk({"type": "analyse", "id": 4, "position": EMPTY, "lines": 3}, {"type": "stop"})
    assert desk.dropped == [desk.tickets[0].owner] * 2


def test_a_game_file_goes_in_and_out_unchanged() -> None:
    text = "(;GM[4]FF[4]SZ[15]RU[renju]PB[Ann]AP[other:1];B[hh]C[first]TR[aa]LB[bb:A];W[ii]"
    text += "(;B[hi]RG[win=0.61 visits=70 pv=h7])(;B[gg]))"
    answer = one({"type": "read", "id": 1, "name": "x.sgf", "data": base64.b64encode(text.encode()).decode()})
    record = answer["game"]
    assert [node.get("move") for node in record["nodes"]] == [None, "h8", "i7", "h7", "g9"]
    assert record["nodes"][1]["marks"] == {"a15": "triangle", "b14": "A"}
    assert record["nodes"][3]["evaluation"]["win_rate"] == 0.61
    written = one({"type": "write", "id": 2, "format": "sgf", "game": record})["text"]
    again = one({"type": "read", "id": 1, "name": "x.sgf", "data": base64.b64encode(written.encode()).decode()})
    assert again["game"] == record


def test_a_long_game_is_no_deep_record() -> None:
    board = renga.Board(32, rule="standard")
    cells = [(x, y) for y in range(32) for x in range(32)]
    black = [cell for cell in cells if (cell[0] + 2 * cell[1]) % 4 < 2]
    white = [cell for cell in cells if (cell[0] + 2 * cell[1]) % 4 >= 2]
    for pair in zip(black, white, strict=True):
        for cell in pair:
            board.play(cell)
    record = game_record(renga.Game.from_board(board))
    assert len(record["nodes"]) == 1025
    assert game_record(game_of(json.loads(json.dumps(record)))) == record


def test_setup_in_mid_game_is_refused_with_its_place() -> None:
    text = b"(;GM[4]SZ[15];B[hh];AB[aa])"
    answer = one({"type": "read", "name": "x.sgf", "data": base64.b64encode(text).decode()})
    assert "move 2" in answer["message"]


def test_a_code_with_passes_becomes_a_position() -> None:
    answer = one({"type": "code", "id": 1, "code": "h8--i9", "size": "20x15", "rule": "freestyle"})
    game = answer["game"]
    assert (game["width"], game["height"], game["black"], game["turn"]) == (20, 15, ["h8", "i9"], "white")


def test_the_protocol_page_lists_every_message() -> None:
    page = Path(sessions.__file__).with_name("PROTOCOL.md").read_text(encoding="utf-8")
    asked = set(re.findall(r"^\| `([a-z0-9 ]+)` \|", page, re.MULTILINE))
    assert set(sessions.HANDLERS) <= asked
