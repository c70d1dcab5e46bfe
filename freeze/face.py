"""What Windows shows of the executable before it runs: an icon, drawn here, and a version."""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Sequence
from pathlib import Path

SIZES = (16, 32, 48, 256)
LINES = 5
"""Lines of the little board, either way."""
BLACK = ((0, 4), (1, 3), (2, 2), (3, 1), (4, 0))
WHITE = ((1, 1), (3, 3))
WOOD, LINE, INK, PAPER = (226, 178, 110), (120, 82, 40), (24, 24, 28), (248, 246, 240)
SAMPLES = 3
"""Points per pixel, either way."""

Colour = tuple[int, int, int]


def colour_at(x: float, y: float) -> Colour | None:
    """The picture at a point of the unit square; None where it is transparent."""
    corner = 0.14
    inner_x, inner_y = (min(max(value, corner), 1 - corner) for value in (x, y))
    if math.hypot(x - inner_x, y - inner_y) > corner:
        return None
    step = 1 / (LINES + 0.5)
    first = (1 - step * (LINES - 1)) / 2
    column, row = (min(LINES - 1, max(0, round((value - first) / step))) for value in (x, y))
    from_x, from_y = abs(x - first - column * step), abs(y - first - row * step)
    if math.hypot(from_x, from_y) < 0.46 * step:
        if (column, row) in BLACK:
            return INK
        if (column, row) in WHITE:
            return PAPER
    inside = all(first - 0.01 <= value <= 1 - first + 0.01 for value in (x, y))
    return LINE if inside and min(from_x, from_y) < 0.01 else WOOD


def pixels(size: int) -> list[list[tuple[int, int, int, int]]]:
    """Rows of red, green, blue and opacity, from the top."""
    rows = []
    for row in range(size):
        line = []
        for column in range(size):
            hits = [
                colour_at((column + (i + 0.5) / SAMPLES) / size, (row + (j + 0.5) / SAMPLES) / size)
                for i in range(SAMPLES)
                for j in range(SAMPLES)
            ]
            seen = [hit for hit in hits if hit is not None]
            mean = [round(sum(hit[channel] for hit in seen) / max(1, len(seen))) for channel in range(3)]
            line.append((mean[0], mean[1], mean[2], round(255 * len(seen) / len(hits))))
        rows.append(line)
    return rows


def icon() -> bytes:
    """The .ico file: bitmaps, and PNG for the largest, as Windows wants them."""
    images = [_png(pixels(size)) if size == 256 else _bitmap(pixels(size)) for size in SIZES]
    at = 6 + 16 * len(images)
    entries = b""
    for size, image in zip(SIZES, images, strict=True):
        entries += struct.pack("<BBBBHHII", size % 256, size % 256, 0, 0, 1, 32, len(image), at)
        at += len(image)
    return struct.pack("<HHH", 0, 1, len(images)) + entries + b"".join(images)


def _bitmap(rows: list[list[tuple[int, int, int, int]]]) -> bytes:
    """A bitmap without a file header, bottom row first, followed by a mask that masks nothing."""
    size = len(rows)
    header = struct.pack("<IiiHHIIiiII", 40, size, 2 * size, 1, 32, 0, 0, 0, 0, 0, 0)
    body = b"".join(struct.pack("4B", b, g, r, a) for row in reversed(rows) for r, g, b, a in row)
    return header + body + bytes((size + 31) // 32 * 4 * size)


def _png(rows: list[list[tuple[int, int, int, int]]]) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    raw = b"".join(b"\0" + b"".join(struct.pack("4B", *pixel) for pixel in row) for row in rows)
    header = struct.pack(">IIBBBBB", len(rows), len(rows), 8, 6, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(raw, 9)) + chunk(b"IEND", b"")


DESCRIPTIONS = {"pbrain-renga": "Renga, a five-in-a-row engine", "renga": "Renga, a board for five in a row"}


def version_resource(version: str, name: str) -> str:
    """The version of one program in the form that PyInstaller reads."""
    numbers = [int(part) for part in version.split(".")[:4] if part.isdigit()]
    four = tuple([*numbers, 0, 0, 0, 0][:4])
    texts = {
        "CompanyName": "Renga developers",
        "FileDescription": DESCRIPTIONS[name],
        "FileVersion": version,
        "InternalName": name,
        "LegalCopyright": "Renga developers, MIT licence",
        "OriginalFilename": f"{name}.exe",
        "ProductName": "Renga",
        "ProductVersion": version,
    }
    table = ", ".join(f"StringStruct({key!r}, {text!r})" for key, text in texts.items())
    return (
        f"VSVersionInfo(ffi=FixedFileInfo(filevers={four}, prodvers={four}, mask=0x3f, flags=0x0, OS=0x40004,"
        " fileType=0x1, subtype=0x0, date=(0, 0)),"
        f" kids=[StringFileInfo([StringTable('040904B0', [{table}])]),"
        " VarFileInfo([VarStruct('Translation', [1033, 1200])])])\n"
    )


def write(folder: Path, version: str, names: Sequence[str]) -> None:
    """Puts renga.ico and a NAME.version of each program into a folder, where renga.spec finds them."""
    (folder / "renga.ico").write_bytes(icon())
    for name in names:
        (folder / f"{name}.version").write_text(version_resource(version, name), encoding="utf-8")
