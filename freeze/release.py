"""`make release`: everything that is handed out, built from the last commit, with checksums and a list of parts.

    dist/release/renga-VERSION.tar.gz                   source distribution
    dist/release/renga-VERSION-cp311-...whl             wheels for Linux and Windows
    dist/release/pbrain-renga-VERSION-linux.tar.gz      folder build for Linux
    dist/release/pbrain-renga-VERSION-windows.zip       tournament packages for Windows, full and lean
    dist/release/SBOM.json, SHA256SUMS

The tree is taken from git, so that what lies around in a working copy can neither get in nor be missed.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import platform
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

import build_exe
from freeze import chain, needs, parts, stage, wheels
from freeze.fetch import say
from freeze.plan import NAME, ROOT, BuildError, Plan, default_cache, parse


def git(*words: str) -> bytes:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, check=False)
    if done.returncode:
        raise BuildError(f"git {words[0]} failed: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


def clean_tree(into: Path) -> None:
    """The last commit's files, and nothing else."""
    if git("status", "--porcelain"):
        raise BuildError("the tree has changes that are not committed; a release is built from a commit")
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir(parents=True)
    with tarfile.open(fileobj=io.BytesIO(git("archive", "HEAD"))) as archive:
        archive.extractall(into, filter="data")


def frozen(options: list[str], into: Path, name: str) -> Path:
    """Builds one executable and puts its package into the release folder."""
    plan = parse([*options, "--dist", str(ROOT / "build" / "release" / "dist")])
    build_exe.build(plan)
    if plan.zip:
        return Path(shutil.copy2(plan.archive, into / name))
    return _packed(plan, into / name)


def _packed(plan: Plan, package: Path) -> Path:
    """A folder build as .tar.gz, links followed: unpacked anywhere it is the same program."""
    folder = plan.executable.parent
    paths = {f"{NAME}/{path.relative_to(folder).as_posix()}": path for path in folder.rglob("*") if path.is_file()}
    executable = {name for name, path in paths.items() if path.stat().st_mode & 0o100}
    wheels.write_tar(package, {name: path.read_bytes() for name, path in paths.items()}, executable)
    return package


def windows_modules(source_wheel: Path, cache: Path) -> dict[str, Path]:
    """The core's modules for the pinned Windows Python: {name in a wheel: file}."""
    plan = parse(["--target", "windows"])
    sources = stage.prepare(plan)
    tools = chain.prepare(cache)
    stage.compile_for_windows(sources, chain.compiler(cache), tools.python, chain.VERSION)
    modules = {path.relative_to(sources).as_posix(): path for path in sources.rglob("*.pyd")}
    wanted = {name.split(".")[0] for name in wheels.read_zip(source_wheel) if name.endswith(".so")}
    if missing := wanted - {name.split(".")[0] for name in modules}:
        raise BuildError(f"no Windows module for {', '.join(sorted(missing))}")
    return modules


def build(out: Path, windows: bool) -> dict[str, str]:
    """Builds everything into `out`; {file name: sha256}."""
    cache = default_cache()
    if windows:
        needs.wine()
    source = ROOT / "build" / "release" / "source"
    clean_tree(source)
    version = tomllib.loads((source / "pyproject.toml").read_text())["project"]["version"]
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    wheels.source_distribution(source, out)
    wheel = wheels.linux_wheel(source, out, cache)
    frozen([], out, f"{NAME}-{version}-linux.tar.gz")
    if windows:
        wheels.windows_wheel(wheel, windows_modules(wheel, cache), chain.VERSION, out)
        frozen(["--target", "windows", "--zip"], out, f"{NAME}-{version}-windows.zip")
        frozen(["--target", "windows", "--lean", "--zip"], out, f"{NAME}-{version}-windows-lean.zip")
    products = {path.name: _sha256(path) for path in sorted(out.iterdir())}
    revision = git("rev-parse", "HEAD").decode().strip()
    bill = parts.bill(version, revision, platform.python_version(), products)
    (out / "SBOM.json").write_text(json.dumps(bill, indent=1) + "\n")
    products["SBOM.json"] = _sha256(out / "SBOM.json")
    (out / "SHA256SUMS").write_text("".join(f"{digest}  {name}\n" for name, digest in products.items()))
    return products


def compare(first: dict[str, str], second: dict[str, str]) -> list[str]:
    """Names that the two builds do not agree on."""
    return sorted(name for name in first.keys() | second.keys() if first.get(name) != second.get(name))


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="make release", description="Builds everything that is handed out.")
    parser.add_argument("--out", type=Path, default=ROOT / "dist" / "release", metavar="DIR")
    parser.add_argument("--no-windows", action="store_true", help="without the parts that need Wine")
    parser.add_argument("--twice", action="store_true", help="build everything again and compare the checksums")
    options = parser.parse_args(arguments)
    try:
        products = build(options.out.resolve(), not options.no_windows)
        if options.twice:
            # From nothing: what the first build left would only be copied.
            shutil.rmtree(ROOT / "build", ignore_errors=True)
            again = build(options.out.resolve().with_name(options.out.name + "-again"), not options.no_windows)
            if differing := compare(products, again):
                raise BuildError(f"two builds differ in {', '.join(differing)}")
            say("two builds gave the same checksums")
    except BuildError as error:
        print(f"release: {error}", file=sys.stderr)
        return 1
    print((options.out / "SHA256SUMS").read_text(), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
