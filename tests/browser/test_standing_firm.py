"""What must not go wrong: a dead engine, wrong tokens and origins, closed tabs, Ctrl-C."""

from __future__ import annotations

import time
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest

from tests.browser.conftest import COMMAND, Server
from tests.browser.pilot import PATIENCE_MS, Pilot

psutil = pytest.importorskip("psutil")


@pytest.fixture
def own_server() -> Iterator[Server]:
    started = Server()
    yield started
    if started.process.poll() is None:
        started.stop()


def engine_of(server: Server) -> psutil.Process:
    """The engine's process: the child of the server that is not multiprocessing's own tracker."""
    children = psutil.Process(server.process.pid).children(recursive=True)
    alive = [child for child in children if child.status() != psutil.STATUS_ZOMBIE]
    return next(child for child in alive if "spawn_main" in " ".join(child.cmdline()))


def busy(process: psutil.Process) -> bool:
    """Does it use the processor? On a machine with much other work a search still gets a few hundredths of a second."""
    before = sum(process.cpu_times()[:2])
    time.sleep(2.0)
    return sum(process.cpu_times()[:2]) - before > 0.02


def test_a_killed_engine_is_said_and_replaced_and_nothing_is_lost(browser, own_server: Server) -> None:
    pilot = Pilot(browser, own_server.address)
    pilot.load("h8i9h9")
    pilot.tab("analyse")
    pilot.page.click("#analyse")
    pilot.page.wait_for_selector(".candidate.best")
    first = engine_of(own_server)
    first.kill()
    assert "started again" in pilot.wait_for_text("#banner", "started again")
    assert list(pilot.stones()) == ["h8", "i9", "h9"]
    pilot.page.wait_for_function("() => /Visits/.test(document.querySelector('#analysis-status').textContent)")
    assert engine_of(own_server).pid != first.pid
    pilot.key("Escape")
    pilot.close()
    assert pilot.errors == []


def test_a_game_goes_on_when_the_engine_dies_while_it_thinks(browser, own_server: Server) -> None:
    pilot = Pilot(browser, own_server.address)
    pilot.tab("play")
    pilot.page.select_option("#strength", "time")
    pilot.page.fill("#seconds", "4")
    pilot.page.click("#start-game")
    pilot.click("h8")
    pilot.wait_for_stones(2)
    pilot.wait_for_text("#game-status", "Your move")
    pilot.click("a1")
    pilot.wait_for_text("#game-status", "thinking")
    engine_of(own_server).kill()
    stones = pilot.wait_for_stones(4)
    assert list(stones.values()) == ["black", "white", "black", "white"]
    pilot.close()
    assert pilot.errors == []


def test_closing_the_tab_stops_the_search_and_ctrl_c_stops_everything(browser, own_server: Server) -> None:
    pilot = Pilot(browser, own_server.address)
    pilot.load("h8i9")
    pilot.tab("analyse")
    pilot.page.click("#analyse")
    pilot.page.wait_for_selector(".candidate.best")
    engine = engine_of(own_server)
    assert busy(engine)
    pilot.page.close()
    deadline = time.monotonic() + PATIENCE_MS / 1000
    while busy(engine):
        assert time.monotonic() < deadline, "the search goes on for nobody"
    pilot.close()
    assert own_server.stop() == 0
    assert not engine.is_running() or engine.status() == psutil.STATUS_ZOMBIE


def test_the_game_outlives_the_server(browser, own_server: Server) -> None:
    pilot = Pilot(browser, own_server.address)
    pilot.free_board("renju")
    pilot.click("h8", "i9")
    pilot.page.wait_for_timeout(500)
    own_server.stop()
    assert "does not answer" in pilot.wait_for_text("#banner", "does not answer")
    assert list(pilot.stones()) == ["h8", "i9"]
    port = own_server.address.split(":")[2].split("/")[0]
    another = Server([*COMMAND[:-1], port])
    try:
        page = pilot.open(another.address)
        page.wait_for_selector('[data-stone="i9"]')
        assert "Renju" in page.inner_text("#what")
    finally:
        another.stop()
    pilot.close()


def test_a_wrong_token_and_a_wrong_origin_are_refused(browser, server: Server) -> None:
    for address in (server.address.rsplit("/", 2)[0] + "/", server.address[:-3] + "xx/"):
        with pytest.raises(urllib.error.HTTPError) as refusal:
            urllib.request.urlopen(address)
        assert refusal.value.code == 403
    foreign = urllib.request.Request(server.address, headers={"Origin": "http://evil.example"})
    with pytest.raises(urllib.error.HTTPError) as refusal:
        urllib.request.urlopen(foreign)
    assert refusal.value.code == 403

    context = browser.new_context()
    page = context.new_page()
    page.route("http://evil.example/", lambda route: route.fulfill(body="<p>elsewhere", content_type="text/html"))
    page.goto("http://evil.example/")
    script = """address => new Promise(done => {
        const socket = new WebSocket(address);
        socket.onopen = () => done("open");
        socket.onclose = () => done("closed");
    })"""
    assert page.evaluate(script, server.address.replace("http", "ws") + "socket") == "closed"
    context.close()


def test_bad_messages_are_answered_and_the_server_goes_on(browser, server: Server) -> None:
    pilot = Pilot(browser, server.address)
    script = """() => new Promise(done => {
        const socket = new WebSocket(location.href.replace(/^http/, "ws").replace(/#.*/, "") + "socket");
        const errors = [];
        const bad = ["nonsense", "[]", '{"type":"dance"}', '{"type":"facts","id":7}', '{"type":"move","id":8}'];
        socket.onopen = () => bad.forEach(text => socket.send(text));
        socket.onmessage = event => {
            const message = JSON.parse(event.data);
            if (message.type === "error") errors.push(message.id);
            if (errors.length === 5) { socket.close(); done(errors); }
        };
    })"""
    assert pilot.page.evaluate(script) == [None, None, None, 7, 8]
    pilot.free_board("freestyle")
    pilot.click("h8")
    pilot.close()
    assert pilot.errors == []
