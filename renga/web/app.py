"""The web application: the page, its files and the socket, behind one guard.

Everything is below a random token in the path, the Host header must name this machine and an Origin must be our own:
neither a page from elsewhere nor a name that someone else's DNS points here can reach the board. Nothing is loaded from
elsewhere, and the content-security policy says so.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import json
import secrets
import socket
from collections.abc import AsyncIterator, Callable
from importlib import resources

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from renga.web.desk import Desk
from renga.web.session import Message, Session

MIME = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}
"""Said outright: what a Windows registry says of `.js` can stop a page from loading."""

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Guard:
    """Lets only our own page through: Host, Origin and token."""

    def __init__(self, app: ASGIApp, token: str, is_ours: Callable[[str], bool]) -> None:
        self._app, self._token, self._is_ours = app, token, is_ours

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        why = self.why_not(scope)
        if why is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": why})
        else:
            await PlainTextResponse(why + "\n", 403, HEADERS)(scope, receive, send)

    def why_not(self, scope: Scope) -> str | None:
        """The reason to refuse a request; None if it is welcome."""
        headers = {name.decode("latin1"): value.decode("latin1") for name, value in scope["headers"]}
        host, origin = headers.get("host", ""), headers.get("origin")
        if not self._is_ours(host):
            return "wrong host: open the address that `renga board` has printed"
        if origin is not None and origin != f"http://{host}":
            return "wrong origin: this board belongs to its own page only"
        if origin is None and scope["type"] == "websocket":
            return "no origin: the socket is for the board's own page"
        first = scope["path"].split("/")[1]
        if not secrets.compare_digest(first.encode(), self._token.encode()):
            return "wrong token: open the address that `renga board` has printed"
        return None


def host_check(host: str, port: int) -> Callable[[str], bool]:
    """Which Host headers name us. A name that anyone could point here is never ours; an address literal is."""

    def is_ours(header: str) -> bool:
        name, colon, number = header.rpartition(":")
        if not colon or number != str(port):
            return False
        if name in ("localhost", host):
            return True
        try:
            address = ipaddress.ip_address(name.strip("[]"))
        except ValueError:
            return host not in LOOPBACK and name.lower() == socket.gethostname().lower()
        return address.is_loopback or host not in LOOPBACK

    return is_ours


LOOPBACK = ("127.0.0.1", "localhost", "::1")


def make_app(desk: Desk, token: str, is_ours: Callable[[str], bool], game: Message | None = None) -> ASGIApp:
    """The application. `game`: the record of the game to begin with."""
    hello = {"game": game, "run": secrets.token_hex(8)}

    async def page(request: Request) -> Response:
        return _file("index.html")

    async def static(request: Request) -> Response:
        return _file(request.path_params["name"])

    async def connection(websocket: WebSocket) -> None:
        await websocket.accept()
        await _serve(websocket, desk, hello)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        desk.open()
        try:
            yield
        finally:
            desk.close()

    routes = [
        Route(f"/{token}/", page),
        Route(f"/{token}/static/{{name}}", static),
        WebSocketRoute(f"/{token}/socket", connection),
    ]
    return Guard(Starlette(routes=routes, lifespan=lifespan), token, is_ours)


async def _serve(websocket: WebSocket, desk: Desk, hello: Message) -> None:
    in_turn = asyncio.Lock()

    async def send(message: Message) -> None:
        # A tab that has just been closed misses nothing.
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            async with in_turn:
                await websocket.send_text(json.dumps(message))  # in ASCII: half a character that came in can go out

    session = Session(desk, send, hello)
    try:
        await session.open()
        while True:
            event = await websocket.receive()
            if event["type"] == "websocket.disconnect":
                break
            if event.get("text") is None:
                await session.refuse(None, "messages are JSON texts")
            else:
                await session.receive(event["text"])
    finally:
        session.close()


def _file(name: str) -> Response:
    """A file of the page; 404 for anything else, whatever the name tries."""
    suffix = "." + name.rpartition(".")[2]
    path = resources.files("renga.web").joinpath("static", name)
    if suffix not in MIME or not path.is_file():
        return PlainTextResponse("no such file\n", 404, HEADERS)
    return Response(path.read_bytes(), headers={**HEADERS, "Content-Type": MIME[suffix]})


