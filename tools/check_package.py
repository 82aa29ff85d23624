"""Build the source archive and the wheel, and use the wheel in clean environments: `make wheel`.

    python tools/check_package.py [oldest] [newest] [--extras test] [--tests tests/io tests/cli ...]

Both archives are built from the files that git tracks, and must hold all of them that belong there. For each end of
what pyproject.toml allows, an environment gets the wheel: `oldest` with every direct dependency at its lower bound,
`newest` with whatever pip takes by itself. There the wheel publishes, verifies, audits, reports, and serves a page.
With --tests, those tests of the source archive run against the installed wheel too.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
BOUND = re.compile(r"(?P<name>[\w.-]+)(?:\[[\w,]+\])?>=(?P<version>[\w.]+)")


def main() -> None:
    """Build, look inside, and try the ends that the arguments name."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ends", nargs="*", help="oldest, newest or both (the default)")
    parser.add_argument("--extras", default="web", help="the extras to install, such as test")
    parser.add_argument("--tests", nargs="*", default=[], help="tests of the source archive to run as well")
    choice = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="voile-package-") as folder:
        for end in choice.ends or ["oldest", "newest"]:
            try_end(end, Path(folder) / end, choice.extras, choice.tests)


def try_end(end: str, folder: Path, extras: str, tests: list[str]) -> None:
    """Build the archives, install the wheel with one end of the dependencies, and use it."""
    source = copy_tracked_files(folder / "source")
    bounds = folder / "bounds.txt"
    bounds.write_text("\n".join(list_lower_bounds()) if end == "oldest" else "", encoding="utf-8")
    surroundings = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    surroundings |= {"PIP_CONSTRAINT": str(bounds), "XDG_STATE_HOME": str(folder / "state")}

    def call(*command: str | Path, cwd: Path = folder) -> None:
        print("$", *[str(part).replace(f"{folder}/", "") for part in command], flush=True)
        subprocess.run(list(map(str, command)), cwd=cwd, env=surroundings, check=True)

    call(sys.executable, "-m", "venv", "env")
    python = folder / "env" / "bin" / "python"
    call(python, "-m", "pip", "install", "-q", "build")
    call(python, "-m", "build", "--outdir", folder / "dist", source)
    wheel, archive = check_contents(folder / "dist", source)
    call(python, "-m", "pip", "install", "-q", f"{wheel}[{extras}]")
    call(python, "-m", "pip", "check")
    print_versions(python, surroundings)
    empty = folder / "empty"
    empty.mkdir()
    call(python, ROOT / "tools" / "use_package.py", cwd=empty)
    if tests:
        with tarfile.open(archive) as packed:
            packed.extractall(folder, filter="data")
        unpacked = folder / archive.name.removesuffix(".tar.gz")
        shutil.rmtree(unpacked / "src")  # what is tested is the wheel
        call(python, "-m", "pytest", *tests, cwd=unpacked)
    print(f"{end}: the wheel works.", flush=True)


def copy_tracked_files(target: Path) -> Path:
    """Copy what git tracks, so that nothing that lies about reaches an archive."""
    for name in list_tracked_files():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target / name)
    return target


def list_tracked_files() -> list[str]:
    """List the files that git tracks and that are still there."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True).stdout
    return [name for name in listed.split("\0") if name and (ROOT / name).exists()]


def list_lower_bounds() -> list[str]:
    """Pin every direct dependency, those of extras and of the build too, to its lower bound."""
    project = PROJECT["project"]
    wanted = [*PROJECT["build-system"]["requires"], *project["dependencies"]]
    wanted += [line for lines in project["optional-dependencies"].values() for line in lines]
    bounds: dict[str, str] = {}
    for line in wanted:
        if not line.startswith("voile["):
            found = BOUND.fullmatch(line)
            if found is None:
                sys.exit(f"{line!r} in pyproject.toml is no plain lower bound.")
            if bounds.setdefault(found["name"], found["version"]) != found["version"]:
                sys.exit(f"pyproject.toml has two lower bounds for {found['name']}.")
    return [f"{name}=={version}" for name, version in bounds.items()]


def check_contents(dist: Path, source: Path) -> tuple[Path, Path]:
    """Stop unless the archives hold every file that belongs into them. Return wheel and source archive."""
    (wheel,), (archive,) = dist.glob("*.whl"), dist.glob("*.tar.gz")
    tracked = {str(path.relative_to(source)) for path in source.rglob("*") if path.is_file()}
    with tarfile.open(archive) as packed:
        packed_names = {name.split("/", 1)[1] for name in packed.getnames() if "/" in name}
    with zipfile.ZipFile(wheel) as zipped:
        wheel_names = set(zipped.namelist())
    code = {name.removeprefix("src/") for name in tracked if name.startswith("src/") and "egg-info" not in name}
    missing = sorted(name for name in tracked - packed_names if "egg-info" not in name)
    missing += sorted(code - wheel_names)
    if missing:
        sys.exit("Missing in an archive: " + ", ".join(missing))
    surplus = sorted(name for name in wheel_names - code if ".dist-info/" not in name)
    if surplus:
        sys.exit("In the wheel without need: " + ", ".join(surplus))
    print(f"{archive.name}: {len(packed_names)} entries; {wheel.name}: {len(wheel_names)} files")
    return wheel, archive


def print_versions(python: Path, surroundings: dict[str, str]) -> None:
    """Print which versions of the direct dependencies were installed."""
    names = {line.split("==")[0].lower().replace("_", "-") for line in list_lower_bounds()}
    listed = subprocess.run(
        [python, "-m", "pip", "freeze"], env=surroundings, capture_output=True, check=True, text=True
    ).stdout
    print(*[line for line in listed.split() if line.split("==")[0].lower().replace("_", "-") in names], flush=True)


if __name__ == "__main__":
    main()
