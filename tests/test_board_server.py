"""The board's server: who is let in, what is served, and the command line."""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

import renga
from renga.web import command
from tests import board_engine

pytest.importorskip("starlette", reason='the board needs its packages: pip install "renga[board]"')

import uvicorn

from renga.web.app import host_check, make_app
from renga.web.desk import Desk

ROOT = Path(__file__).parent.parent
STATIC = ROOT / "renga" / "web" / "static"
TOKEN = "secret"
HOME = "http://127.0.0.1:8515"
LARGEST_PAGE = 300_000
PATIENCE_S = 60.0


OWN = {"host": "127.0.0.1:8515"}


def scope(kind: str, path: str, headers: dict[str, str]) -> dict[str, Any]:
    raw = [(name.encode(), value.encode()) for name, value in {**OWN, **headers}.items()]
    return {
        "type": kind, "path": unquote(path), "raw_path": path.encode(), "root_path": "", "query_string": b"",
        "headers": raw, "http_version": "1.1", "method": "GET", "scheme": "http", "server": ("127.0.0.1", 8515),
        "subprotocols": [],
    }  # fmt: skip


class Answer:
    """What the application sends to one request."""

    def __init__(self, path: str, **headers: str) -> None:
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(event: Any) -> None:
            sent.append(event)

        app = make_app(Desk(serve=board_engine.serve), TOKEN, host_check("127.0.0.1", 8515))
        asyncio.run(app(scope("http", path, headers), receive, send))
        self.status: int = sent[0]["status"]
        self.headers = {name.decode().lower(): value.decode() for name, value in sent[0]["headers"]}
        self.text = b"".join(event.get("body", b"") for event in sent[1:]).decode()


def talk(path: str, headers: dict[str, str], texts: list[str | bytes], enough: int) -> list[dict[str, Any]]:
    """A socket: what the application sends until there are `enough` messages, or until it closes."""
    sent: list[dict[str, Any]] = []

    async def whole() -> None:
        desk = Desk(serve=board_engine.serve)
        desk.open()
        heard: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        heard.put_nowait({"type": "websocket.connect"})
        for text in texts:
            key = "bytes" if isinstance(text, bytes) else "text"
            heard.put_nowait({"type": "websocket.receive", key: text})

        async def send(event: Any) -> None:
            sent.append(event)
            if event["type"] == "websocket.send" and len(sent) >= enough:
                heard.put_nowait({"type": "websocket.disconnect", "code": 1000})

        app = make_app(desk, TOKEN, host_check("127.0.0.1", 8515))
        await asyncio.wait_for(app(scope("websocket", path, headers), heard.get, send), PATIENCE_S)
        desk.close()

    asyncio.run(whole())
    return sent


def test_the_page_comes_with_a_strict_policy() -> None:
    page = Answer(f"/{TOKEN}/")
    assert page.status == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy and "http" not in policy
    assert page.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("name", sorted(path.name for path in STATIC.iterdir()))
def test_every_file_of_the_page_has_its_type(name: str) -> None:
    kinds = {".js": "text/javascript", ".css": "text/css", ".html": "text/html", ".svg": "image/svg+xml"}
    answer = Answer(f"/{TOKEN}/static/{name}")
    assert answer.status == 200
    assert answer.headers["content-type"].startswith(kinds[Path(name).suffix])


@pytest.mark.parametrize("name", ["nothing.js", "..%2Fapp.py", "%2e%2e%2fapp.py", "..%5Capp.py", "app.py", "."])
def test_nothing_else_is_served(name: str) -> None:
    assert Answer(f"/{TOKEN}/static/{name}").status == 404


@pytest.mark.parametrize(
    ("path", "headers", "words"),
    [
        ("/", {}, "wrong token"),
        ("/secre/", {}, "wrong token"),
        ("/secret2/", {}, "wrong token"),
        ("/static/main.js", {}, "wrong token"),
        (f"/{TOKEN}/", {"host": "evil.example:8515"}, "wrong host"),
        (f"/{TOKEN}/", {"host": "127.0.0.1"}, "wrong host"),
        (f"/{TOKEN}/", {"host": "192.168.1.5:8515"}, "wrong host"),
        (f"/{TOKEN}/", {"origin": "http://evil.example"}, "wrong origin"),
        (f"/{TOKEN}/", {"origin": "null"}, "wrong origin"),
    ],
)
def test_strangers_are_refused(path: str, headers: dict[str, str], words: str) -> None:
    answer = Answer(path, **headers)
    assert answer.status == 403 and words in answer.text


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        (f"/{TOKEN}/socket", {}),
        (f"/{TOKEN}/socket", {"origin": "http://evil.example"}),
        ("/wrong/socket", {"origin": HOME}),
        (f"/{TOKEN}/socket", {"origin": HOME, "host": "evil.example:8515"}),
    ],
)
def test_strangers_get_no_socket(path: str, headers: dict[str, str]) -> None:
    sent = talk(path, headers, [], 1)
    assert [(event["type"], event["code"]) for event in sent] == [("websocket.close", 1008)]


def test_the_page_gets_a_greeting_and_answers() -> None:
    question = json.dumps({"type": "code", "id": 6, "code": "h8", "size": "15", "rule": "renju"})
    sent = talk(f"/{TOKEN}/socket", {"origin": HOME}, [b"\x00", question], 5)
    messages = [json.loads(event["text"]) for event in sent if event["type"] == "websocket.send"]
    by_type = {message["type"]: message for message in messages}
    assert messages[0]["type"] == "hello" and messages[0]["rules"] == list(renga.RULES)
    assert by_type["engine"]["state"] in ("starting", "ready")
    assert "JSON" in by_type["error"]["message"]
    assert [node["move"] for node in by_type["game"]["game"]["nodes"]] == [None, "h8"]


def test_half_a_character_in_a_message_is_answered_like_any_other() -> None:
    read = r'{"type": "read", "id": 1, "name": "\ud800.txt", "data": ""}'
    events = talk(f"/{TOKEN}/socket", {"origin": "http://127.0.0.1:8515"}, [read], enough=4)
    answers = [event["text"].encode("utf-8") for event in events if event["type"] == "websocket.send"]
    assert [json.loads(answer)["type"] for answer in answers] == ["hello", "engine", "error"]


def test_other_addresses_are_ours_only_where_the_user_asked_for_it() -> None:
    lan = host_check("0.0.0.0", 80)
    assert lan("192.168.1.5:80") and lan("localhost:80") and not lan("evil.example:80") and not lan("192.168.1.5:81")
    assert lan(f"{socket.gethostname()}:80")
    own = host_check("127.0.0.1", 80)
    assert own("127.0.0.1:80") and own("[::1]:80") and not own("192.168.1.5:80") and not own("")


# The page itself


def test_the_page_is_small_and_needs_nothing_from_elsewhere() -> None:
    files = list(STATIC.iterdir())
    assert sum(path.stat().st_size for path in files) < LARGEST_PAGE
    for path in files:
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?://|//cdn|@import|\beval\(|innerHTML", text), path.name


def test_every_module_that_is_imported_exists_and_exports_what_is_asked() -> None:
    for path in STATIC.glob("*.js"):
        text = path.read_text(encoding="utf-8")
        for names, module in re.findall(r'import \{([^}]*)\} from "\./([a-z0-9]+\.js)"', text):
            there = (STATIC / module).read_text(encoding="utf-8")
            for name in filter(None, (name.strip() for name in names.split(","))):
                found = re.search(rf"export (?:async )?(?:function|const|class|let) {re.escape(name)}(?![\w$])", there)
                assert found, f"{path.name} imports {name} from {module}"
                uses = re.findall(rf"(?<![\w$]){re.escape(name)}(?![\w$])", text)
                assert len(uses) > 1, f"{path.name} never uses {name}"


def test_every_text_that_the_page_says_is_in_the_table() -> None:
    table = (STATIC / "texts.js").read_text(encoding="utf-8")
    keys = set(re.findall(r'(?:^|[,{]\s*|\s)(?:"([^"]+)"|(\w+)): ["\[]', table, re.MULTILINE))
    known = {quoted or plain for quoted, plain in keys}
    said = set()
    for path in STATIC.glob("*.js"):
        said |= set(re.findall(r'\bsay\("([\w ]+)"\s*[,)]', path.read_text(encoding="utf-8")))
    assert said and said <= known, sorted(said - known)


# The command


def arguments(*given: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return parser.parse_args(given)


def test_a_game_is_named_by_file_code_or_rule(tmp_path: Path) -> None:
    path = tmp_path / "x.sgf"
    renga.write_game(renga.Game.from_board(renga.Board.from_code("h8i9", rule="renju")), path)
    record = command.first_game(str(path), "15", None)
    assert record is not None and record["rule"] == "renju" and len(record["nodes"]) == 3
    record = command.first_game("h8i9h9", "20x15", "standard")
    assert record is not None and (record["width"], record["height"], record["rule"]) == (20, 15, "standard")
    assert command.first_game(None, "15", None) is None
    record = command.first_game(None, "15", "caro")
    assert record is not None and record["rule"] == "caro"


@pytest.mark.parametrize(
    ("given", "words"),
    [("missing.sgf", "missing.sgf"), ("h8h8", "h8 is occupied"), ("hello", "position code")],
)
def test_a_game_that_is_none_is_an_error_and_exit_code_2(given: str, words: str) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "renga", "board", given, "--no-browser"], cwd=ROOT, capture_output=True, text=True
    )
    assert run.returncode == 2 and words in run.stderr and "Traceback" not in run.stderr


def test_a_port_in_use_is_an_error_and_without_one_another_is_taken() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(OSError):
            command.listen("127.0.0.1", taken.getsockname()[1])
    with command.listen("127.0.0.1", None) as first, command.listen("127.0.0.1", None) as second:
        assert first.getsockname()[1] != second.getsockname()[1]


def test_nobody_else_can_reach_the_board_unless_asked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    listeners: list[tuple[str, int]] = []

    def run(server: uvicorn.Server, sockets: list[socket.socket]) -> None:
        listeners.extend(one.getsockname() for one in sockets)
        for one in sockets:
            one.close()

    monkeypatch.setattr(uvicorn.Server, "run", run)
    tokens = set()
    for host, warned in (([], False), (["--host", "0.0.0.0"], True)):
        assert command.run(arguments("--no-browser", "--port", "0", *host)) == 0
        out, err = capsys.readouterr()
        assert ("other machines can reach this board" in err) == warned
        found = re.search(r"http://[0-9.]+:[0-9]+/([^/]+)/", out)
        assert found is not None and len(found[1]) >= 20
        tokens.add(found[1])
    assert [address for address, _ in listeners] == ["127.0.0.1", "0.0.0.0"]
    assert len(tokens) == 2, "a new one every time"
