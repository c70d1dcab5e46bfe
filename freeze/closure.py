"""Which DLLs a Windows bundle needs, and whether it has them. Reads the PE files itself, on any system."""

from __future__ import annotations

import struct
from pathlib import Path

from freeze.fetch import say
from freeze.plan import BuildError

# What a clean Windows 10, 11 or Server 2016 and later has in system32. The C runtime (ucrtbase and its api-ms
# names) is part of it since Windows 10; Microsoft's C++ runtime (msvcp140, vcruntime140) is not.
SYSTEM = frozenset((
    "advapi32.dll", "bcrypt.dll", "bcryptprimitives.dll", "cfgmgr32.dll", "combase.dll", "comctl32.dll",
    "crypt32.dll", "d3d11.dll", "d3d12.dll", "dbghelp.dll", "dxgi.dll", "gdi32.dll", "imagehlp.dll",
    "iphlpapi.dll", "kernel32.dll", "kernelbase.dll", "msvcrt.dll", "mswsock.dll", "normaliz.dll",
    "ntdll.dll", "ole32.dll", "oleaut32.dll", "powrprof.dll", "propsys.dll", "psapi.dll", "rpcrt4.dll",
    "secur32.dll", "setupapi.dll", "shell32.dll", "shlwapi.dll", "ucrtbase.dll", "user32.dll",
    "userenv.dll", "uxtheme.dll", "version.dll", "winmm.dll", "ws2_32.dll",
))  # fmt: skip
SYSTEM_PREFIXES = ("api-ms-win-", "ext-ms-win-")
# The CUDA provider is loaded only where CUDA is installed, and finds its libraries there.
OPTIONAL = ("onnxruntime_providers_cuda.dll", "onnxruntime_providers_tensorrt.dll")

IMPORT, DELAY_IMPORT = 1, 13  # indices in the optional header's data directories
NAME_OFFSET = {IMPORT: (20, 12), DELAY_IMPORT: (32, 4)}  # size of a descriptor, offset of the name in it


def imports(image: bytes) -> list[str]:
    """The DLLs a 64-bit PE image names in its import and delay-import tables, in lower case.

    ValueError if the image is not a 64-bit PE file.
    """
    start = struct.unpack_from("<I", image, 0x3C)[0] if image[:2] == b"MZ" else 0
    if not start or image[start : start + 4] != b"PE\0\0":
        raise ValueError("not a PE file")
    sections, optional_size = struct.unpack_from("<H12xH", image, start + 6)
    optional = start + 24
    if struct.unpack_from("<H", image, optional)[0] != 0x20B:
        raise ValueError("not a 64-bit PE file")
    directories = struct.unpack_from("<I", image, optional + 108)[0]
    table = [
        struct.unpack_from("<IIII", image, optional + optional_size + 40 * index + 8)
        for index in range(sections)
    ]

    def offset(address: int) -> int:
        """Where the loaded image's `address` lies in the file."""
        for size, base, raw_size, raw in table:
            if base <= address < base + max(size, raw_size):
                return int(raw + address - base)
        raise ValueError(f"address {address:#x} in no section")

    names = []
    for directory, (step, at) in NAME_OFFSET.items():
        address = (
            struct.unpack_from("<I", image, optional + 112 + 8 * directory)[0]
            if directory < directories
            else 0
        )
        entry = offset(address) if address else 0
        while entry and (name := struct.unpack_from("<I", image, entry + at)[0]):
            begin = offset(name)
            names.append(image[begin : image.index(b"\0", begin)].decode("ascii").lower())
            entry += step
    return names


def is_system(dll: str) -> bool:
    return dll in SYSTEM or dll.startswith(SYSTEM_PREFIXES)


def missing(bundle: Path) -> dict[str, list[str]]:
    """For each image in the bundle that has any: its imports that neither the bundle nor Windows has."""
    images = [path for path in sorted(bundle.rglob("*")) if path.suffix.lower() in (".exe", ".dll", ".pyd")]
    # A DLL is found by its bare name once PyInstaller's folder is on the search path, or once it is loaded.
    present = {path.name.lower() for path in images}
    found = {}
    for path in images:
        lacking = [dll for dll in imports(path.read_bytes()) if dll not in present and not is_system(dll)]
        if lacking and path.name not in OPTIONAL:
            found[path.relative_to(bundle).as_posix()] = lacking
    return found


def check(bundle: Path) -> None:
    """BuildError unless everything the bundle's images import is in the bundle or part of Windows."""
    if lacking := missing(bundle):
        lines = "\n".join(f"  {image} needs {', '.join(dlls)}" for image, dlls in lacking.items())
        raise BuildError(f"the bundle would not start on a clean Windows:\n{lines}")
    say("import closure: complete")
