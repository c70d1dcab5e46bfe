"""What is fuzzed in one process: a reader each, with the promise that it must keep for any bytes.

A target returns normally or raises: a reader's own error is caught here, anything else is a finding. Everything that is
read is written and read again where there is a writer, so that the two check each other.
"""

from __future__ import annotations

import csv
import io
import json
from array import array
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import get_args

import cython_core as core
from brain import database_text, onnx_file, protocol, renlib, yixin
from brain.book_file import BookError, BookFile, sealed, text_of
from brain.database import Database
from brain.knowledge import DatabaseError
from brain.onnx_part import encoded, part_after
from brain.settings import Settings, informed
from brain.weights import FORMAT, WeightsError
from cython_core.network.encoding import PLANES
from renga import psq, sgf, verify
from training.games import format_game, parse_game


@dataclass(frozen=True)
class Target:
    run: Callable[[bytes], None]
    seeds: tuple[bytes, ...]
    words: tuple[str, ...] = ()
    """What an input is made of: the fuzzer puts them in."""
    is_text: bool = True
    """Otherwise an input counts as one line."""


def converse(data: bytes) -> None:
    """A conversation: no line fails, and what is kept of an open list has a limit."""
    opened: protocol.Opened | None = None
    settings = Settings()
    for line in data.decode("utf-8", "replace").split("\n"):
        command, opened = protocol.parse(line, opened)
        assert command is None or isinstance(command, get_args(protocol.Command))
        if isinstance(command, protocol.Info):
            settings = informed(settings, command.key, command.value)
            assert settings.rule in core.RULES and settings.threads >= 1 and settings.memory > 0
        elif opened is not None:
            assert command is None, "one line is one command, or none"
        if isinstance(opened, yixin.Open):
            assert len(opened.cells) <= yixin.MOST_CELLS and len(opened.header) <= yixin.LONGEST_TEXT + 1
        if isinstance(command, protocol.Unknown):
            reply = protocol.unknown(command.text)
            assert reply.isascii() and reply.isprintable()


def read_sgf(data: bytes) -> None:
    try:
        game = sgf.read_sgf(data)
    except ValueError as error:
        assert str(error)
        return
    text = sgf.write_sgf(game)
    again = sgf.read_sgf(text)
    assert again == game and sgf.write_sgf(again) == text
    game.root.main_line()[-1].board()


def read_psq(data: bytes) -> None:
    try:
        game = psq.read_psq(data)
    except ValueError as error:
        assert str(error)
        return
    again = psq.read_psq(psq.write_psq(game))
    assert [node.move for node in again.main_line()] == [node.move for node in game.main_line()]
    assert (again.width, again.height) == (game.width, game.height)


def read_game_line(data: bytes) -> None:
    try:
        game = parse_game(data.decode())
    except ValueError as error:
        assert str(error)
        return
    if game.cut:
        return  # the result of a game that ends before a foul is not checked again
    again = parse_game(format_game(game))
    assert (again.moves, again.result, again.evals) == (game.moves, game.result, game.evals)


def read_certificate(data: bytes) -> None:
    try:
        verify.verify(data, limit=200)
    except (verify.Refuted, verify.Unusable) as error:
        assert str(error)


_FOLDER = Path(mkdtemp(prefix="renga-fuzz-"))


def read_network(data: bytes) -> None:
    path = _FOLDER / "network.onnx"
    path.write_bytes(data)
    try:
        file = onnx_file.load(path)
        part_after(data, "features", 16)
        core.LineNetwork(file.tensors, json.loads(file.metadata["shape"])["blocks"])
    except (WeightsError, ValueError, KeyError, TypeError, IndexError) as error:
        # `weights.using` makes one sentence of whatever the core and the metadata say; the process must survive it.
        assert str(error)


def read_renlib(data: bytes) -> None:
    try:
        for number, node in enumerate(renlib.nodes(data)):
            if number < 50:
                list(renlib._entries(node, core.RULES[len(data) % len(core.RULES)]))
    except ValueError as error:
        assert str(error)


def read_book(data: bytes) -> None:
    """With its checksum, without which little would be read."""
    path = Path("some.book")
    with suppress(BookError):
        BookFile(path, data)
    try:
        book = BookFile(path, sealed(data.decode("utf-8", "replace")).encode())
        answers = [answer for place in book.places for answer in book.answers(place).values()]
    except BookError as error:
        assert str(error)
        return
    again = BookFile(path, text_of(answers, "again").encode())
    found = [answer for place in again.places for answer in again.answers(place).values()]
    assert len(found) == len(answers) and set(found) == set(answers)


def read_database_text(data: bytes) -> None:
    """Through the file and the database, and back."""
    path, database = _FOLDER / "positions.csv", Database(":memory:")
    path.write_bytes(data)
    try:
        database_text.read(database, str(path))
    except DatabaseError as error:
        assert str(error) and len(database) == 0
        return
    finally:
        entries = list(database.entries())
    database_text.write(database, str(path))
    again = Database(":memory:")
    database_text.read(again, str(path))
    rounded = [(entry.key, entry.labels, entry.record.proof, entry.record.comment) for entry in again.entries()]
    assert rounded == [(entry.key, entry.labels, entry.record.proof, entry.record.comment) for entry in entries]
    for one in (database, again):
        one.close()


def _tensor(name: str, count: int, value: float = 0.01) -> bytes:
    raw = array("f", [value] * count).tobytes()
    return encoded(5, encoded(2, 1) + encoded(8, name.encode()) + encoded(9, raw))


def small_network() -> bytes:
    """A file that the core takes: sixteen channels, one block."""
    hidden, channels = 4, 16
    sizes = {
        "line.first.weight": hidden * 3 * PLANES, "line.first.bias": hidden, "line.last.weight": channels * hidden,
        "line.scales": channels, "trunk.bias": channels, "trunk.blocks.0.depth.weight": channels * 9,
        "trunk.blocks.0.depth.bias": channels, "trunk.blocks.0.point.weight": channels * channels,
        "trunk.blocks.0.point.bias": channels, "trunk.policy.weight": channels, "trunk.policy.bias": 1,
        "trunk.value.0.weight": 16 * 2 * channels, "trunk.value.0.bias": 16, "trunk.value.2.weight": 48,
        "trunk.value.2.bias": 3,
    }  # fmt: skip
    for layer in range(4):
        sizes |= {f"line.layers.{layer}.weight": hidden * 3 * hidden, f"line.layers.{layer}.bias": hidden}
    graph = b"".join(_tensor(name, count) for name, count in sizes.items())
    node = encoded(1, encoded(1, b"features") + encoded(2, b"policy") + encoded(4, b"Conv"))
    metadata = {"renga_format": FORMAT, "shape": json.dumps({"blocks": "sep"})}
    entries = (encoded(14, encoded(1, key.encode()) + encoded(2, text.encode())) for key, text in metadata.items())
    return encoded(7, node + graph + encoded(12, encoded(1, b"policy"))) + b"".join(entries)


def _csv(*rows: tuple[object, ...]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows([database_text.HEADER, *rows])
    return text.getvalue().encode()


CERTIFICATE = b"""renga-proof 1
rule freestyle
size 11x9
black d5 e5 f3 f2
white a1 b1 k9
turn black
claim black wins within 5 plies
tree 2
f4
f5(b5,c5,g5,h5:1) g5
end
"""

TARGETS = {
    "protocol": Target(
        converse,
        (
            b"START 15\nINFO timeout_turn 100\nBEGIN\nTURN 7,7\nTAKEBACK 7,7\nEND\n",
            b"BOARD\n7,7,1\n8,8,2\nDONE\nYXBOARD 1,1,1 2,2,2 DONE\nSWAP2BOARD\n1,1\n2,2\n3,3\nDONE\n",
            b'YXEDITTEXTDATABASE "a\\"b\nc" 1,1 DONE\nyxblock 1,1 DONE\nYXSETDATABASE\nname\n',
            b"YXSOOSORVSTEP5 3\n1,1 DONE\nYXEDITTVDDATABASE 7 87 5 3\n1,1\nDONE\n",
            b"RECTSTART 10 , 20\nYXNBEST 3\nYXBALANCEONE -5\nINFO rule 4\nPLAY 3,3\n",
        ),
        (
            "START", "BOARD", "YXBOARD", "SWAP2BOARD", "DONE", "END", "INFO", "TURN", "YXBLOCK", "YXNBEST", "RECTSTART",
            "YXEDITTEXTDATABASE", "YXEDITLABELDATABASE", "YXSETDATABASE", "YXSOOSORVSTEP4", "timeout_match",
            "max_memory", "rule", "thread_num", "time_left",
        ),
    ),
    "sgf": Target(
        read_sgf,
        (
            b"(;FF[4]GM[4]SZ[15]PB[x]RU[renju];B[hh]C[a\\]b];W[ii](;B[gg]RG[win=0.5 pv=h8])(;B[aa]LB[bb:x];W[]))",
            b"(;GM[4]SZ[8:9]CA[gbk]AB[aa:bb][cc]AW[dd]AE[aa]PL[W]MA[ee]MS[12];W[tt];B[h1])",
        ),
        (
            "GM[4]", "SZ[", "AB[", "AE[", "PL[", "LB[", "RG[win=", "MS[", "CA[", "RU[caro", ";B[", ";W[", "visits=",
            "mate=",
        ),
    ),
    "psq": Target(
        read_psq,
        (
            b"Piskvorky 15x15, 11:11, 0\n8,8,1500\n9,8,800\nAlice\nBob\n-1\n1,renju\n",
            b"Piskvorky 20x20\n1,1\n2,2,0\n-1\n",
        ),
        ("Piskvorky", "caro-overline", "-1"),
    ),
    "game": Target(
        read_game_line,
        (
            b"freestyle 15 B h8 a1 h9 a2 h10 a3 h11 a4 h12 # open=2 end=five eval=1,2,3,4,5,6,7",
            b"renju 15 W h8 i9 # open=0 policy=h8:0.5/a1:0.5,i9:1 end=resign site=x",
            b"caro 7x9 ? a1 # ",
        ),
        ("standard", "renju", "caro-overline", "open=", "eval=", "policy=", "end=", "draw", "forfeit"),
    ),
    "book": Target(
        read_book,
        (
            b"renga-book 1\n# grown\nfreestyle 15x15 h8 | g9 48.0% 1200 | h9 47.6% 1100\n",
            b"renga-book 1\nrenju 9x9 c4d6b8 offer | e6 50.2% 9\nrenju 9x9 empty | e5 55.0% 8 | e4 54.9% 7\n",
            b"renga-book 1\ncaro 20x32 empty | aa32 100.0% 1\ncrc32 00000000\n",
        ),
        ("freestyle", "caro-overline", "empty", "offer", " | ", "100.0%", "af1", "crc32"),
    ),
    "certificate": Target(read_certificate, (CERTIFICATE,), ("blocked", "white", "renju", "caro", "tree", "end", "-(")),
    "network": Target(
        read_network, (small_network(),), ("renga_format", "sha256", "blocks", "pool", "trunk.bias"), is_text=False
    ),
    "renlib": Target(
        read_renlib,
        (
            renlib.MAGIC + bytes(12) + b"\x78\x80\x79\x48text\0\0\x88\x40",
            renlib.MAGIC + bytes(12) + b"\0\0\x78\x01\0\1ab\0\0\x66\x40",
        ),
        is_text=False,
    ),
    "database": Target(
        read_database_text,
        (
            _csv(
                (0, 15, 15, "white", "h8", "", 0.5, "", 3, "", 'a "quoted"\ntext', "h9=a%20b"),
                (4, 9, 7, "black", "", "", "", -5, 0, "X", "", ""),
            ),
        ),
        ("black", "white", "aa1", "%25"),
    ),
}
