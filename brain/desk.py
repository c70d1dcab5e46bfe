"""The database's side of a conversation: commands of the Yixin family in, lines out.

Values go out as evaluations of the side to move, marks on a cell as those of whoever moves there: 57%, W5, L8.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import cython_core as core
from brain import protocol, yixin
from brain.file_names import complaint
from brain.knowledge import DatabaseError, Record
from brain.score import score_of, win_rate_of
from brain.tokens import number, numbers

if TYPE_CHECKING:
    from brain.database import Database
    from brain.engine import Engine

EXACT = 3
"""The bound of every value that we store."""
TAG, VALUE, DEPTH = 1, 2, 4
"""Bits of yxedittvddatabase: what is to be changed."""
QUERIES = ("YXQUERYDATABASEALL", "YXQUERYDATABASEALLT", "YXQUERYDATABASEONE", "YXQUERYDATABASETEXT")
NOT_DONE = {
    "YXSETBESTMOVEDATABASE": "best moves are not marked: tag the others with X to keep them from being played",
    "YXCLEARBESTMOVEDATABASE": "best moves are not marked, so there is nothing to clear",
    "YXDBTOPOS": "positions are written as text only: YXDBTOTXT",
    "YXDBTOLIB": "RenLib files are read, not written: YXDBTOTXT writes a text",
}


def answer(command: yixin.Database | yixin.File, engine: Engine) -> list[str]:
    """The lines of the answer; one line that says why where nothing can be done."""
    verb = command.verb
    if verb in NOT_DONE:
        return [protocol.message(NOT_DONE[verb])]
    try:
        if isinstance(command, yixin.File):
            return _with_file(verb, command.path, engine)
        if verb in QUERIES and engine.library.database is None:
            return []  # Yixin-Board asks after every move, whether there is a database or not
        database = engine.library.needed()
        if verb.startswith(("YXEDIT", "YXDELETE")):
            _must_write(engine)
        return _with_position(database, command, engine.position_after(command.cells))
    except DatabaseError as error:
        return [protocol.message(str(error))]


def _with_file(verb: str, path: str, engine: Engine) -> list[str]:
    name = protocol.clean(path)
    if (why := complaint(path)) is not None:
        raise DatabaseError(f"'{path}' {why}")
    if verb == "YXSETDATABASE":
        count = len(engine.library.open(path))
        return [
            f"MESSAGE DATABASE LOAD START {name}", "MESSAGE DATABASE LOAD DONE",
            protocol.message(f"{_positions(count)} in {name}"),
        ]  # fmt: skip
    database = engine.library.needed()
    from brain import database_text, renlib

    board = engine.position_after(())
    actions: dict[str, tuple[str, Callable[[], int]]] = {
        "YXDBTOTXT": (
            "written to", lambda: database_text.write(database, path, (board.rule, board.width, board.height)),
        ),
        "YXDBTOTXTALL": ("written to", lambda: database_text.write(database, path)),
        "YXDBSPLIT": ("written to", lambda: database.split(engine.present, path)),
        "YXTXTTODB": ("read from", lambda: database_text.read(database, path)),
        "YXLIBTODB": ("read from", lambda: renlib.read(database, path, board.rule)),
        "YXDBMERGE": ("read from", lambda: database.merge(path)),
    }  # fmt: skip
    what, action = actions[verb]
    if what == "read from":
        _must_write(engine)
    return [protocol.message(f"{_positions(action())} {what} {name}")]


def _with_position(database: Database, command: yixin.Database, board: core.Board) -> list[str]:
    header = command.header
    known = database.find(board) or Record()
    match command.verb:
        case "YXQUERYDATABASEALL":
            return _children(database, board)
        case "YXQUERYDATABASEALLT":
            return [*_children(database, board), *_text(known)]
        case "YXQUERYDATABASEONE":
            return [_one(known)]
        case "YXQUERYDATABASETEXT":
            return _text(known)
        case "YXEDITTVDDATABASE":
            database.put(board, _edited(known, header))
            return [_one(database.find(board) or Record())]
        case "YXEDITTEXTDATABASE":
            database.put(board, replace(known, comment=header))
            return []
        case "YXEDITLABELDATABASE":
            place, _, text = header.partition(" ")
            xy = numbers(place, 2)
            if xy is None or not (0 <= xy[0] < board.width and 0 <= xy[1] < board.height):
                raise DatabaseError("YXEDITLABELDATABASE needs x,y of the board and a text")
            database.set_label(board, core.cell(*xy), text.strip())
            return []
        case "YXDELETEDATABASEONE":
            return [protocol.message("1 position deleted" if database.delete(board) else "that position is not there")]
        case "YXDELETEDATABASEALL":
            wanted, deep = _filter(header)
            count = database.delete_below(board, wanted, deep)
            return [protocol.message(f"{_positions(count)} deleted"), *_children(database, board)]
        case "YXSAVEDATABASE":
            return [protocol.message(f"saved: {_positions(database.save())} in {Path(database.path).name}")]
    return [protocol.message(f"checked: {database.check()}")]


def _positions(count: int) -> str:
    return "1 position" if count == 1 else f"{count} positions"


def _must_write(engine: Engine) -> None:
    if engine.settings.database_readonly:
        raise DatabaseError("the database may only be read: INFO database_readonly 0 changes that")


def _children(database: Database, board: core.Board) -> list[str]:
    """A line for each cell of which something is known, with four characters packed into the number of its mark."""
    records, labels = database.children(board), database.labels(board)
    lines = ["MESSAGE DATABASE REFRESH"]
    for cell in sorted({*records, *labels}):
        x, y = core.xy(cell)
        text = " " + "".join(labels[cell].split()) if cell in labels else ""
        if cell in records:
            record = records[cell]
            value, depth, bound = _figures(record)
            mark, comment = _mark(record), int(bool(record.comment))
        else:
            mark, value, depth, bound, comment = "", 0, 0, 0, 0
        packed = int.from_bytes(mark.encode("ascii", "replace")[:4], "big") if mark else -1
        lines.append(f"MESSAGE DATABASE {x} {y} {packed} {value} {depth} {bound} {comment}{text}")
    return [*lines, "MESSAGE DATABASE DONE"]


def _one(record: Record) -> str:
    value, depth, bound = _figures(record)
    tag = ord(record.tag) if record.tag else 0
    return f"MESSAGE DATABASE ONE {tag} {value} {depth} {bound} {_mark(record)}".rstrip()


def _text(record: Record) -> list[str]:
    """The comment in quotes; where it has several lines, so has the answer."""
    quoted = record.comment.replace("\\", "\\\\").replace('"', '\\"')
    return f'MESSAGE DATABASE TEXT "{quoted}"'.split("\n")


def _figures(record: Record) -> tuple[int, int, int]:
    """Evaluation, depth and bound."""
    return (0, 0, 0) if record.value is None else (score_of(record.value), record.depth, EXACT)


def _mark(record: Record) -> str:
    """What to draw where a move leads to this position, in the eyes of whoever makes it."""
    if record.tag:
        return record.tag
    if record.proof is not None:
        return "D" if record.proof == 0 else f"{'W' if record.proof < 0 else 'L'}{abs(record.proof) + 1}"
    return "" if record.value is None else f"{min(99, int(100 * (1 - record.value)))}%"


def _edited(record: Record, header: str) -> Record:
    """After yxedittvddatabase: which fields, then a character's number (-1: none), an evaluation and a depth."""
    fields = [number(token) for token in header.split()]
    if len(fields) != 4 or None in fields:
        raise DatabaseError("YXEDITTVDDATABASE needs four numbers")
    which, tag, score, depth = (field or 0 for field in fields)
    if which & TAG:
        record = replace(record, tag=chr(tag) if 32 < tag < 127 else "")
    if which & VALUE:
        record = replace(record, value=win_rate_of(score), proof=None)
    if which & DEPTH:
        record = replace(record, depth=max(0, depth))
    return record


def _filter(header: str) -> tuple[Callable[[Record], bool], bool]:
    """Which positions are to be deleted, and whether all that follow are asked or the next ones only."""
    kind, _, steps = header.upper().partition(" ")
    deep = kind.endswith("RECURSIVE") or not kind
    kind = kind.removesuffix("RECURSIVE")
    most = number(steps) or 1

    def won(record: Record) -> bool:
        return record.tag == "W" or (record.proof or 0) < 0

    def lost(record: Record) -> bool:
        return record.tag == "L" or (record.proof or 0) > 0

    kinds: dict[str, Callable[[Record], bool]] = {
        "": lambda record: True,
        "W": won,
        "L": lost,
        "WL": lambda record: won(record) or lost(record),
        "NONWL": lambda record: not won(record) and not lost(record),
        "WLNOSTEP": lambda record: record.proof is None and (won(record) or lost(record)),
        "WLINSTEP": lambda record: record.proof is not None and 0 < abs(record.proof) < most,
    }
    if kind not in kinds:
        names = ", ".join(name for name in kinds if name)
        raise DatabaseError(f"YXDELETEDATABASEALL knows {names}, each also with RECURSIVE")
    return kinds[kind], deep
