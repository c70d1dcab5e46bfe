"""A results file goes on with the run it belongs to and with no other; trouble with it is one clear line."""

import json
import subprocess
from pathlib import Path

import pytest
from processes import python_after

from bench import machine
from bench.__main__ import main
from bench.records import ResultsFile, read_results

NO_GAMES = ["match", "@random", "@random", "--games", "0"]


def test_a_killed_match_resumes_with_the_same_totals(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(out: Path, games: int) -> str:
        command = ["match", "@random", "@random", "--size", "7", "--rule", "standard"]
        assert main([*command, "--games", str(games), "--out", str(out)]) == 0
        return capsys.readouterr().out

    whole, cut = tmp_path / "whole.jsonl", tmp_path / "cut.jsonl"
    run(whole, 8)
    # A kill in the middle of a write leaves half a line behind.
    lines = whole.read_bytes().splitlines(keepends=True)
    cut.write_bytes(b"".join(lines[:4]) + lines[4][:50])
    run(cut, 8)
    names = [json.loads(line)["name"] for line in cut.read_text().splitlines()[1:]]
    assert sorted(names) == sorted(f"{pair:04d}{game}" for pair in (1, 2, 3, 4) for game in "ab")
    assert cut.read_bytes().splitlines(keepends=True)[:4] == lines[:4]
    untouched = cut.read_bytes()
    assert run(cut, 8) == run(cut, 8)
    assert cut.read_bytes() == untouched


def test_a_results_file_of_another_match_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    ResultsFile(path, {"rule": 0}).close()
    with pytest.raises(ValueError, match="another run"):
        ResultsFile(path, {"rule": 1})


def test_a_results_file_has_one_writer(tmp_path: Path) -> None:
    """Two runs of one command played the same games into one file."""
    path = tmp_path / "r.jsonl"
    first = ResultsFile(path, {"rule": 0})
    with pytest.raises(ValueError, match=r"r\.jsonl: another process is writing there"):
        ResultsFile(path, {"rule": 0})
    first.close()
    ResultsFile(path, {"rule": 0}).close()


def test_a_match_is_not_resumed_with_other_openings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    openings, out = tmp_path / "openings.txt", tmp_path / "m.jsonl"
    command = ["match", "@random", "@random", "--size", "9", "--games", "2", "--out", str(out)]
    for cells, code in (("e5 d4", 0), ("e5 d4", 0), ("e5 f6", 2)):
        openings.write_text(f"mine 9x9 {cells}\n")
        assert main([*command, "--openings", str(openings)]) == code
    assert "holds another run" in capsys.readouterr().err


def test_a_match_is_not_resumed_with_another_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["match", "@random", "@random", "--size", "9", "--games", "2", "--out", str(tmp_path / "m.jsonl")]
    monkeypatch.setattr("bench.match.engine_fingerprint", lambda: "before")
    assert main(command) == 0
    assert main(command) == 0
    capsys.readouterr()
    monkeypatch.setattr("bench.match.engine_fingerprint", lambda: "after")
    assert main(command) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert '(engine was "before", is "after"): give another --out, or delete the file' in told.err


def test_the_fingerprint_is_of_the_engine_and_of_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "ROOT", tmp_path)

    def fingerprint_with(name: str, text: str) -> str:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
        return machine.engine_fingerprint()

    core = [f"cython_core/search/tree.{suffix}" for suffix in ("pyx", "pxd")]
    engine = ["brain/engine.py", *core, "weights/renga.onnx", "bench/seeds.py"]
    found = [fingerprint_with(name, text) for text in ("one", "two") for name in engine]
    assert len(set(found)) == len(found)
    others = ["docs/design.md", "tests/test_engine.py", "bench/match.py", "weights/renga.md"]
    for name in (*others, "cython_core/search/tree.c"):
        assert fingerprint_with(name, "text") == found[-1]
    (tmp_path / "brain/engine.py").rename(tmp_path / "brain/motor.py")
    assert machine.engine_fingerprint() != found[-1]


def test_a_revision_is_its_commit_for_the_whole_match(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def commit() -> str:
        git = ["git", "-C", str(tmp_path), "-c", "user.name=us", "-c", "user.email=us@here"]
        subprocess.run([*git, "init", "--quiet"], check=True)
        subprocess.run([*git, "commit", "--quiet", "--allow-empty", "--message", "more"], check=True)
        return machine.commit_of("HEAD")

    played = []
    monkeypatch.setattr(machine, "ROOT", tmp_path)
    monkeypatch.setattr("bench.revisions.command_of", lambda revision: "program")
    monkeypatch.setattr("bench.match.run_games", lambda games, players, *_: played.append(players))
    command, out = ["match", "@random", "git:HEAD", "--out"], tmp_path / "m.jsonl"
    first = commit()
    assert main([*command, str(out)]) == 0
    header = read_results(out)[0]
    assert header["players"] == {"A": "@random", "B": "git:HEAD"} and header["commits"] == {"B": first}
    assert played == [{"A": "@random", "B": f"git:{first}"}]
    second = commit()
    assert main([*command, str(out)]) == 2
    assert f'commits was {{"B": "{first}"}}, is {{"B": "{second}"}}' in capsys.readouterr().err


def test_results_from_before_the_engine_was_recorded_are_reported_but_not_resumed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs, docs = tmp_path / "runs", tmp_path / "docs"
    run = runs / "match-old.jsonl"
    play = ["match", "@random", "@random", "--size", "9", "--games", "2", "--out", str(run)]
    report = ["report", "--runs", str(runs), "--docs", str(docs)]
    assert main(play) == 0
    header, *games = run.read_text().splitlines(keepends=True)
    old = {field: value for field, value in json.loads(header).items() if field not in ("engine", "commits")}
    run.write_text("".join([json.dumps(old) + "\n", *games]))
    assert main(report) == 0
    run.unlink()
    assert main(report) == 0
    assert len(read_results(run)[1]) == 2
    assert "| `@random` | `@random` | freestyle 9x9 | 1000 | 2 |" in (docs / "strength.md").read_text()
    assert main(play) == 2
    assert "engine was unknown" in capsys.readouterr().err


@pytest.mark.parametrize("damage", [b"{\n", b"[1]\n", b"{}\n", b'{"name": "0001a"}\n', b"\0\0\n", b"\xff\n"])
def test_a_damaged_line_is_named(damage: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "m.jsonl"
    assert main([*NO_GAMES, "--out", str(out)]) == 0
    out.write_bytes(out.read_bytes() + damage)
    with pytest.raises(ValueError, match=r"m\.jsonl:2: the line is damaged"):
        read_results(out)
    assert main([*NO_GAMES, "--out", str(out)]) == 2
    assert capsys.readouterr().err.startswith(f"bench match: {out}:2: ")


def test_a_record_that_cannot_be_written_is_found_out_before_the_first_game(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    out = tmp_path / "m.jsonl"
    command = ["match", "@random", "@random", "--size", "9", "--games", "2", "--out", str(out)]
    assert main([*command, "--pgn", str(tmp_path / "file" / "games.pgn")]) == 2
    assert capsys.readouterr().err.startswith("bench match: ")
    assert read_results(out)[1] == []


def test_a_full_disk_ends_a_match_with_one_line_and_the_table_of_what_is_written(tmp_path: Path) -> None:
    pytest.importorskip("resource")
    out = tmp_path / "m.jsonl"
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))"
    match = ["match", "@random", "@random", "--size", "9", "--games", "500", "--out", str(out)]
    done = subprocess.run(
        python_after(limit, "-B", "-m", "bench", *match),  # -B: compiled modules would be cut short as well
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 2
    last = done.stderr.splitlines()[-1]
    assert last.startswith("bench match: ") and last.endswith(f"'{out}'")
    assert "Traceback" not in done.stderr
    games = len(read_results(out)[1])
    assert games and f"of {games} (" in done.stdout
