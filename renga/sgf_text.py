"""The text of SGF files: parentheses, nodes and property values, without any meaning.

Nothing here recurses or looks ahead, so that no file, however deep or damaged, costs more than its length.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

Properties: TypeAlias = "dict[str, tuple[str, ...]]"

MOST_NODES = 100_000
CHARSETS = re.compile(
    r"utf-?8|us-ascii|ascii|latin-?1|iso-?8859-?[0-9]{1,2}|(?:windows|cp)-?125[0-8]|gb2312|gbk|gb18030|big5|"
    r"shift[-_]?jis|sjis|euc[-_](?:jp|kr)|koi8-[ru]",
    re.IGNORECASE,
)
"""Those that are believed. Python knows others, some of which are no encodings of text."""

_CHARSET = re.compile(rb"CA\s*\[\s*([A-Za-z0-9_-]{1,20})\s*\]")
_NAME = re.compile(r"\s*([A-Za-z]{1,20})\s*(?=\[)")
_VALUE = re.compile(r"\s*+\[((?:[^\\\]]++|\\.)*+)(\]?)", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:\n|(.))", re.DOTALL)


@dataclass(slots=True)
class RawNode:
    parent: int
    """Index of the parent in the list of nodes; -1 for the root."""
    properties: Properties
    place: str
    """Line and column of the node, for complaints."""


def parse(data: bytes | str) -> list[RawNode]:
    """The nodes of the first game tree, parents before children, siblings in order; ValueError says what and where."""
    text = decode(data).replace("\r\n", "\n").replace("\n\r", "\n").replace("\r", "\n")
    start = re.search(r"\(\s*;", text)
    if start is None:
        raise ValueError("no SGF: a game begins with '(;'")
    nodes: list[RawNode] = []
    opened: list[int] = []
    current, at, place = -1, start.start(), _Places(text)
    while True:
        at = _skip_blanks(text, at)
        if at == len(text):
            raise ValueError(f"{place(at)}: the file ends inside a game, a ')' is missing")
        if text[at] == "(":
            if nodes and current < 0:
                raise ValueError(f"{place(at)}: a '(' where no node can begin")
            opened.append(current)
            at += 1
            if text[_skip_blanks(text, at) : _skip_blanks(text, at) + 1] != ";":
                raise ValueError(f"{place(at)}: after '(' a node must follow, which begins with ';'")
        elif text[at] == ")":
            current = opened.pop()
            at += 1
            if not opened:
                return nodes
        elif text[at] == ";":
            if len(nodes) == MOST_NODES:
                raise ValueError(f"{place(at)}: more than {MOST_NODES} nodes, that is no game")
            nodes.append(RawNode(current, {}, place(at)))
            current = len(nodes) - 1
            at = _read_properties(text, at + 1, nodes[-1].properties, place)
        else:
            raise ValueError(f"{place(at)}: {text[at : at + 10]!r} is neither a node nor a property")


def _read_properties(text: str, at: int, properties: Properties, place: _Places) -> int:
    found: dict[str, list[str]] = {}
    while name := _NAME.match(text, at):
        # Files of the format's first version spell names out: Black is B.
        key = re.sub("[a-z]", "", name[1])
        if not key:
            raise ValueError(f"{place(name.start(1))}: {name[1]!r} is no property, names are capital letters")
        values = found.setdefault(key, [])
        at = name.end()
        while value := _VALUE.match(text, at):
            if not value[2]:
                raise ValueError(f"{place(value.start(1) - 1)}: the value of {key} is not closed by ']'")
            values.append(_plain(value[1]))
            at = value.end()
    properties.update((key, tuple(values)) for key, values in found.items())
    return at


def _skip_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _plain(value: str) -> str:
    """A value without its escapes; an escaped line break is no line break."""
    return _ESCAPE.sub(lambda match: match[1] or "", value)


def escaped(text: str) -> str:
    """The inverse of `_plain`."""
    return re.sub(r"([\\\]])", r"\\\1", text.replace("\r\n", "\n").replace("\r", "\n"))


def decode(data: bytes | str) -> str:
    """Text in the charset that it names, in UTF-8, or else in Latin-1, which everything is."""
    if isinstance(data, str):
        return data.removeprefix("\ufeff")
    named = _CHARSET.search(data[:4096])
    charset = named[1].decode() if named else "utf-8"
    for encoding in (charset if CHARSETS.fullmatch(charset) else "utf-8", "utf-8-sig"):
        try:
            return data.decode(encoding).removeprefix("\ufeff")
        except (UnicodeDecodeError, LookupError):
            continue
    return data.decode("latin-1")


class _Places:
    """Line and column of a character; to be asked from the beginning to the end."""

    def __init__(self, text: str) -> None:
        self._text, self._seen, self._line, self._line_start = text, 0, 1, 0

    def __call__(self, at: int) -> str:
        while (end := self._text.find("\n", self._seen, at)) >= 0:
            self._line += 1
            self._seen = self._line_start = end + 1
        self._seen = max(self._seen, at)
        return f"line {self._line}, column {at - self._line_start + 1}"
