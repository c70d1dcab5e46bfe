"""Certificates: sound ones are accepted, every kind of damage is refused by its name, hostile files end early."""

from __future__ import annotations

import gzip
import random
import re
import subprocess
import sys
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from plain_proofs import Fails, longest_game
from processes import plain_environment, python_after
from walks import board_of, from_drawing, random_walks

import cython_core as core
from renga import verify
from renga.certificate import Certificate, Step, certify, chain
from renga.prove import prove

DOUBLE_THREE = """renga-proof 1
rule freestyle
size 11x9
black d5 e5 f7 f6
white a1 b1 k9
turn black
claim black wins within 5 plies
tree 2
f4
f5(b5,c5,g5,h5:1) g5
end
"""
"""F5 is a three across and a three down. After a reply on the row F4 makes a straight four down; after any other
G5 makes one across."""


def refusal(text: str | bytes, limit: int = 100_000) -> str:
    with pytest.raises((verify.Refuted, verify.Unusable)) as caught:
        verify.verify(text.encode() if isinstance(text, str) else text, limit)
    return str(caught.value)


def test_a_double_three_is_verified_with_its_counts() -> None:
    found = verify.verify(DOUBLE_THREE.encode())
    assert found.claim == "black wins within 5 plies, black to move, freestyle 11x9"
    assert (found.plies, found.lines) == (5, 2)
    assert longest_game(DOUBLE_THREE) == 5


def test_a_packed_certificate_is_verified_too() -> None:
    assert verify.verify(gzip.compress(DOUBLE_THREE.encode())) == verify.verify(DOUBLE_THREE.encode())


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("b5,c5,g5", "b5,g5", "unanswered"),
        ("within 5", "within 4", "length: the longest defence takes 5 plies, 4 are claimed"),
        ("f5(b5,c5,g5,h5:1) g5", "f5(b5,c5,g5,h5:1)", "unanswered: no line meets this reply, after f5 c1"),
        ("f5(b5,c5,g5,h5:1) g5", "e5(b5,c5,g5,h5:1) g5", "occupied: e5"),
        ("f5(b5,c5,g5,h5:1) g5", "f5(b5,c5,g5,h5:1) a9", "unanswered|occupied"),
        ("white a1 b1 k9", "white a1 b1 c1 d1", "loser's five: white wins at e1, after f5"),
        ("white a1 b1 k9", "white a1 b1 c1", "unanswered|loser's five"),
        ("white a1 b1 k9", "white a1 b1 c1 d1 e1", "over: white has a five before the proof begins"),
        ("rule freestyle", "rule renju", "foul: f5 is forbidden to black, after no move"),
        ("rule freestyle", "rule chess", "rule: 'chess'"),
        ("size 11x9", "size 33x9", "size: '33x9'"),
        ("size 11x9", "size 99999x9", "size: '99999x9'"),
        ("size 11x9", "size 10x9", "cell: 'k9' is no cell of a 10x9 board"),
        ("renga-proof 1", "renga-proof 2", "renga-proof: '2'"),
        ("black d5", "black d5 d5", "stones: d5 is named twice"),
        ("black d5", "black d5 a1", "stones: a1 is named twice"),
        ("black d5 e5", "black d4 e5", "unanswered|occupied"),
        ("turn black\n", "", "header: line 6 does not begin with 'turn'"),
        ("turn black", "turn white", "syntax: '-' stands"),
        ("claim black wins", "claim white wins", "syntax: '-' stands"),
        ("f5(b5", "-(b5", "syntax: '-' stands"),
        ("h5:1", "h5:2", "cycle: 'b5,c5,g5,h5:2' does not refer to an earlier line, in line 2"),
        ("h5:1", "h5:99999999999999999999", "cycle"),
        ("h5:1", "h5:0", "cycle"),
        ("h5:1", "h5", "cycle: 'b5,c5,g5,h5' does not refer"),
        ("h5:1", "z99:1", "cell: 'z99'"),
        ("g5\nend\n", "g5 (\nend\n", "syntax: not a chain"),
        ("g5\nend\n", "g5\n", "truncated"),
        ("g5\nend\n", "g5\nend", "truncated: the last line is not complete"),
        ("tree 2", "tree 3", "truncated: 3 lines and 'end' were announced, 3 follow"),
        ("tree 2", "tree 99999999999999999999", "truncated: 99999999999999999999 lines"),
        ("tree 2\nf4\n", "tree 1\n", "cycle"),
        ("tree 2\nf4\nf5(b5,c5,g5,h5:1) g5\n", "tree 0\n", "truncated: 0 lines"),
        ("b5,c5,g5", "b5,c5,b5", "table: b5 is named twice, in line 2"),
        ("within 5", "within 99999999", "claim"),
        ("f4", "f\u00b2", "text: 'ascii' codec"),
    ],
)
def test_damage_is_refused_by_its_name(old: str, new: str, name: str) -> None:
    assert DOUBLE_THREE.count(old) == 1
    damaged = DOUBLE_THREE.replace(old, new)
    with pytest.raises((verify.Refuted, verify.Unusable)) as caught:
        verify.verify(damaged.encode())
    assert re.match(name, str(caught.value)), caught.value
    if caught.type is verify.Refuted and not name.startswith("length"):
        with pytest.raises(Fails):
            longest_game(damaged)


def test_every_reply_left_out_of_a_table_is_missed() -> None:
    for reply in ("c5", "g5", "h5"):
        table = ",".join({"b5", "c5", "g5", "h5"} - {reply})
        damaged = DOUBLE_THREE.replace("b5,c5,g5,h5", table)
        assert f"after f5 {reply}" in refusal(damaged)
    # B5 is listed although it stops nothing.
    assert verify.verify(DOUBLE_THREE.replace("b5,c5", "c5").encode()).plies == 5


def test_a_six_is_no_five_where_the_rule_says_so() -> None:
    text = "renga-proof 1\nrule {}\nsize 9x5\nblack b3 c3 d3 f3 g3\nwhite a1\nturn black\n"
    text += "claim black wins within 1 plies\ntree 1\ne3\nend\n"
    for rule in ("freestyle", "caro-overline"):
        assert verify.verify(text.format(rule).encode()).plies == 1
    for rule in ("standard", "caro"):
        assert refusal(text.format(rule)).startswith("unanswered")
    assert refusal(text.format("renju")).startswith("foul: e3")


def test_a_five_between_two_stones_is_none_under_caro() -> None:
    text = "renga-proof 1\nrule {}\nsize 9x5\nblack c3 d3 e3 f3\nwhite b3 {}\nturn black\n"
    text += "claim black wins within 1 plies\ntree 1\ng3\nend\n"
    assert verify.verify(text.format("caro", "a1").encode()).plies == 1
    assert verify.verify(text.format("standard", "h3").encode()).plies == 1
    assert refusal(text.format("caro", "h3")).startswith("unanswered")
    # A stone of nobody closes an end as well; the edge of the board does not.
    assert refusal(text.format("caro", "a1\nblocked h3")).startswith("unanswered")
    at_the_edge = text.replace("c3 d3 e3 f3", "e3 f3 g3 h3").replace("g3\nend", "i3\nend").replace("b3", "d3")
    assert verify.verify(at_the_edge.format("caro", "a1").encode()).plies == 1


FULL = """renga-proof 1
rule standard
size 5x5
black {black}
white {white}
turn white
claim black wins within 2 plies
tree 1
-
end
"""


def test_a_board_that_fills_up_is_a_draw() -> None:
    cells = [f"{column}{row}" for row in range(1, 6) for column in "abcde"]
    colours = ["bbwwb", "wwbbw", "bbwwb", "wwbbw", "bbwwb"]
    black = [cell for cell, colour in zip(cells, "".join(colours), strict=True) if colour == "b"]
    white = [cell for cell in cells if cell not in black]
    assert refusal(FULL.format(black=" ".join(black), white=" ".join(white))).startswith("draw: the board is full")
    rest = FULL.format(black=" ".join(black), white=" ".join(white[:-1]))
    assert refusal(rest).startswith("unanswered: no line meets this reply")


def test_a_renju_black_without_a_legal_move_does_not_lose() -> None:
    board = from_drawing(
        """
        x x x . x x x
        o o x o o x o
        x x o x x o x
        o o x o o x o
        x x o x x o x
        """,
        core.RENJU,
        core.BLACK,
    )
    assert board.winner == core.EMPTY
    assert board.is_foul(core.cell(3, 0))
    with pytest.raises(verify.Refuted, match="draw: black has no legal move"):
        certify(board, core.WHITE, Step(None))


# --- Proofs of the solvers, whole and damaged, against the plain replay


def found(rule: int, seed: int, count: int) -> list[Certificate]:
    """Certificates of random positions, wins of both colours; boards of nobody's stones among them."""
    certificates = []
    for index, board in enumerate(random_walks(seed, rule, count)):
        if index % 3 == 0:
            stones = [(c, core.BLOCKED if i % 9 == 4 else colour) for i, (c, colour) in enumerate(board.history)]
            board = board_of(board.width, board.height, rule, stones, board.side)
        certificate = prove(board, board.side, vct_nodes=(3000,)) if board.winner == core.EMPTY else None
        if certificate is not None and certificate.verified.lines > 2:
            certificates.append(certificate)
    return certificates


def damaged(text: str, rng: random.Random) -> str:
    """One random change that leaves the form intact."""
    head, _, tree = text.partition("\ntree ")
    lines = tree.splitlines()[1:-1]
    at = rng.randrange(len(lines))
    words = re.findall(r"[a-z]+\d+", lines[at])
    kind = rng.randrange(4)
    if kind == 0:  # another cell
        old, new = rng.choice(words), rng.choice(re.findall(r"[a-z]+\d+", tree))
        lines[at] = re.sub(rf"\b{old}\b", new, lines[at], count=1)
    elif kind == 1:  # a reply left out
        lines[at] = re.sub(r"[a-z]+\d+,|\([a-z]+\d+:\d+\)", "", lines[at], count=1)
    elif kind == 2:  # another line referred to
        lines[at] = re.sub(r":\d+", lambda match: f":{rng.randint(1, max(1, at))}", lines[at], count=1)
    else:  # the end of a chain cut off
        lines[at] = lines[at].rsplit(" ", 1)[0] if re.search(r" [a-z]+\d+$", lines[at]) else lines[at]
    return f"{head}\ntree {len(lines)}\n" + "\n".join([*lines, "end", ""])


def compare_with_plain(rule: int, seed: int, count: int, copies: int) -> tuple[int, int]:
    """How many damaged certificates were accepted and how many refused; the plain replay agrees with each."""
    rng = random.Random(f"{seed} {rule}")
    accepted = refused = 0
    for certificate in found(rule, seed, count):
        assert longest_game(certificate.text) == certificate.plies
        for _ in range(copies):
            text = damaged(certificate.text, rng)
            text = re.sub(r"within \d+", "within 9999", text)
            try:
                plies = verify.verify(text.encode()).plies
            except verify.Refuted:
                refused += 1
                continue
            except verify.Unusable:
                continue
            accepted += 1
            assert longest_game(text) <= plies, text
    return accepted, refused


@pytest.mark.parametrize("rule", core.RULES)
def test_what_is_accepted_after_damage_really_wins(rule: int) -> None:
    accepted, refused = compare_with_plain(rule, 31, 40, 8)
    assert accepted > 0
    assert refused > 0


@pytest.mark.full
@pytest.mark.parametrize("rule", core.RULES)
def test_what_is_accepted_after_much_damage_really_wins(rule: int) -> None:
    accepted, refused = compare_with_plain(rule, 32, 150, 20)
    assert accepted > 20
    assert refused > 60


# --- Hostile files


def timed(check: Callable[[], str]) -> tuple[str, float]:
    started = time.process_time()
    return check(), time.process_time() - started


def test_kilobytes_that_unpack_to_gigabytes_are_refused() -> None:
    packer = zlib.compressobj(9, wbits=31)
    bomb = b"".join(packer.compress(b"#" * (1 << 20)) for _ in range(80)) + packer.flush()
    assert len(bomb) < 200_000
    text, seconds = timed(lambda: refusal(bomb))
    assert text.startswith("limit: more than 67108864 bytes of text")
    assert seconds < 10


MANY = (64 << 20) // 3 - 100
"""As many words of two letters as a certificate has room for."""


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("tree 2\nf4\n", f"tree {MANY}\n" + "a1\n" * MANY, "limit: more than 67108864 bytes of text, or 1048576 lines"),
        ("white a1 b1 k9", "white" + " a1" * MANY, "white: 'a1 a1 a1 a1 a1 a1 a1'"),
    ],
    ids=["lines", "stones"],
)
def test_kilobytes_that_become_millions_of_words_are_refused_in_little_memory(
    old: str, new: str, name: str, tmp_path: Path
) -> None:
    """Lines took 2.2 GB and a minute, stones 1.8 GB."""
    pytest.importorskip("resource")
    hostile = tmp_path / "words.gz"
    hostile.write_bytes(gzip.compress(DOUBLE_THREE.replace(old, new).encode()))
    assert hostile.stat().st_size < 100_000
    limit = "import resource; resource.setrlimit(resource.RLIMIT_AS, (500 << 20, 500 << 20))"
    run = subprocess.run(
        python_after(limit, "-I", verify.__file__, str(hostile)), capture_output=True, text=True, check=False,
        timeout=60, env=plain_environment(),
    )  # fmt: skip
    assert (run.returncode, run.stderr) == (2, "")
    assert run.stdout.startswith(f"UNUSABLE {name}")


def test_a_packed_file_cut_short_or_spoilt_is_refused() -> None:
    packed = gzip.compress(DOUBLE_THREE.encode())
    assert refusal(packed[:-9]).startswith("truncated: the packed file")
    assert refusal(packed + b"more").startswith("truncated: the packed file")
    spoilt = bytearray(packed)
    spoilt[30] ^= 255
    assert refusal(bytes(spoilt)).startswith(("text: ", "truncated"))


def test_tables_nested_without_end_reach_the_limit() -> None:
    """Each line leads to the one before by two replies: 2^n games in n lines."""
    moves = [f"{column}{row}" for row in range(1, 16) for column in "abcdefghijklmno"]
    lines = [moves[0]]
    for number in range(1, 60):
        lines.append(f"{moves[3 * number]}({moves[3 * number + 1]},{moves[3 * number + 2]}:{number}) {moves[0]}")
    text = "renga-proof 1\nrule freestyle\nsize 15x15\nblack\nwhite\nturn black\nclaim black wins within 99 plies\n"
    text += f"tree {len(lines)}\n" + "\n".join([*lines, "end", ""])
    assert refusal(text, limit=2000).startswith(("limit: more than 2000", "unanswered"))


def test_very_long_chains_and_brackets_are_refused() -> None:
    for line in ("a1 " * 400_000 + "a1", "a1(" * 10_000, "(" * 1_000_000, "a1(b1:1)" * 100_000, "a1" + "9" * 100_000):
        text, seconds = timed(lambda line=line: refusal(DOUBLE_THREE.replace("\nf4\n", f"\n{line}\n")))
        assert text.startswith("syntax")
        assert seconds < 5


def test_the_longest_chain_a_board_can_hold_needs_no_recursion() -> None:
    board = core.Board(32, 32, core.STANDARD)
    moves = [core.cell(x, y) for y in range(0, 32, 2) for x in range(0, 32, 3)]
    step = chain(moves)
    assert step is not None
    with pytest.raises(verify.Refuted, match=r"unanswered|occupied"):
        certify(board, core.BLACK, step)


def test_random_bytes_never_break_the_verifier() -> None:
    rng = random.Random(3)
    base = DOUBLE_THREE.encode()
    for _ in range(300):
        text = bytearray(base)
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(text))
            text[at : at + rng.randint(0, 3)] = rng.randbytes(rng.randint(0, 3)) if rng.random() < 0.3 else rng.choice(
                (b"(", b")", b"a1", b":", b",", b"\n", b" ", b"9", b"-")
            )
        try:
            verify.verify(bytes(text), 2000)
        except (verify.Refuted, verify.Unusable):
            continue


# --- The command


def test_the_file_alone_says_what_it_found(tmp_path: Path) -> None:
    script = Path(verify.__file__)
    good, bad, broken = tmp_path / "good", tmp_path / "bad", tmp_path / "broken"
    good.write_text(DOUBLE_THREE)
    bad.write_text(DOUBLE_THREE.replace("within 5", "within 4"))
    broken.write_text(DOUBLE_THREE[:-4])
    for file, code, word in ((good, 0, "VERIFIED"), (bad, 1, "REFUTED"), (broken, 2, "UNUSABLE")):
        run = subprocess.run(
            [sys.executable, "-I", str(script), str(file)], capture_output=True, text=True, cwd=tmp_path, check=False
        )
        assert (run.returncode, run.stdout.split()[0]) == (code, word), run
        assert run.stderr == ""
    assert verify.main([str(tmp_path / "missing")]) == 2
    assert verify.main([str(good), "--limit", "3"]) == 2


def test_the_example_of_the_documentation_is_the_one_tested_here() -> None:
    page = (Path(__file__).parent.parent / "docs" / "proofs.md").read_text(encoding="utf-8")
    example = page.split("## The file\n\n")[1].split("\n\n")[0]
    assert "".join(f"{line.strip()}\n" for line in example.splitlines()) == DOUBLE_THREE
    found = verify.verify(DOUBLE_THREE.encode())
    assert f"VERIFIED {found.claim}: {found.lines} lines, {found.positions} positions" in page
