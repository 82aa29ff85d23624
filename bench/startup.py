"""How long small errands take, in CPU time, relative to `import polars, pyarrow`; with and without compiled kernels."""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from clock import show

RUNS = 3
YARDSTICK = ["-c", "import polars, pyarrow"]


def cpu_seconds(arguments: list[str], environment: dict[str, str], place: Path) -> float:
    """Return the CPU seconds that a command takes, its children included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], env=environment, cwd=place, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def write_people(path: Path) -> None:
    chance = random.Random(1)
    with path.open("w") as file:
        file.write("name,age,sex,zip,job,disease\n")
        for number in range(1000):
            age, sex, place = chance.randint(18, 90), chance.choice("mf"), chance.randint(100, 160)
            job, disease = chance.choice("abcde"), chance.choice(["flu", "HIV", "cold", "none", "asthma"])
            file.write(f"p{number},{age},{sex},{place},{job},{disease}\n")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        write_people(place / "people.csv")
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        # as after an installation, modules are compiled to bytecode; kernels are not compiled to machine code
        environment["PYTHONPYCACHEPREFIX"] = str(place / "bytecode")

        def run(*arguments: str, cache: str = "warm") -> float:
            return cpu_seconds(list(arguments), {**environment, "NUMBA_CACHE_DIR": str(place / cache)}, place)

        roles = ["--identifier", "name", "--quasi", "age,sex,zip,job", "--sensitive", "disease"]
        publish = [
            "-m",
            "voile",
            "publish",
            "people.csv",
            *roles,
            "--model",
            "k-anonymity:k=5",
            "--force",
            "--out",
            "out",
        ]
        compare = ["-m", "voile", "compare", "people.csv", *roles, "--model", "l-diversity:l=3"]
        demo = ["-m", "voile", "demo", "--out", "demo"]
        run(*demo, cache="bytecode only")
        run(*publish)
        yardstick = min(run(*YARDSTICK) for _ in range(RUNS))
        help_text = min(run("-m", "voile", "--help") for _ in range(RUNS))
        verify = min(run("-m", "voile", "verify", "demo/release") for _ in range(RUNS))
        warm = min(run(*publish) for _ in range(RUNS))
        empty = min(run(*publish, cache=f"empty {number}") for number in range(RUNS))
        release = ["out", "--data", "people.csv"]
        audit = run("-m", "voile", "audit", *release, cache="empty audit")
        report = run("-m", "voile", "report", *release, cache="empty report")
        compared = run(*compare, cache="compare")
        compared_again = run(*compare, cache="compare")
        first = min(run(*demo, cache=f"empty demo {number}") for number in range(2))
        show("voile --help", help_text, yardstick, 1)
        show("voile verify, the demo's release", verify, yardstick, 2)
        show("voile publish, 1,000 rows, compiled before", warm, yardstick, 4)
        show("voile publish, 1,000 rows, empty cache", empty, yardstick, 6)
        show("voile audit, empty cache", audit, yardstick, 25)
        show("voile report, empty cache", report, yardstick, 25)
        show("voile compare, empty cache", compared, yardstick, 120)
        show("voile compare, compiled before", compared_again, yardstick, 40)
        show("voile demo, empty cache", first, yardstick, 25)


if __name__ == "__main__":
    main()
