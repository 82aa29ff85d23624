"""Use an installed voile in the current, empty folder as a newcomer would. `tools/check_package.py` runs it.

It types the commands of the first minutes, draws a page with charts, and asks the workbench for its first page. Nothing
of the checkout is imported.
"""

from __future__ import annotations

import re
import subprocess
import sys
import urllib.request
from http.cookiejar import CookieJar
from pathlib import Path

COMMANDS = """
voile --version
voile demo
voile verify voile-demo/release
voile inspect patients.csv --out inspection.html
voile publish patients.csv --out out --identifier name --quasi birth,sex,zip --sensitive disease
    --model k-anonymity:k=5 --model l-diversity:l=3
voile publish patients.csv --out parquet --identifier name --quasi birth,sex,zip --sensitive disease
    --model l-diversity:l=3 --method anatomy --format parquet
voile verify out
voile verify parquet
voile audit out --data patients.csv
voile measure out --data patients.csv
voile report out --data patients.csv
voile query out 'select sex, count(*) from t group by sex'
voile complete out --draws 2 --out tables.parquet
voile publish patients.csv --out disk --identifier name --quasi birth,sex,zip --sensitive disease
    --model k-anonymity:k=5 --engine disk
"""


def main() -> None:
    """Run the commands, then the page."""
    import voile as vl

    print(f"voile {vl.__version__} in {Path(vl.__file__).parent}")
    if Path(__file__).parents[1] in Path(vl.__file__).parents:
        sys.exit("This is the voile of the checkout, not an installed one.")
    vl.datasets.hospital().write_csv("patients.csv")
    script = COMMANDS.replace("\n    ", " ").strip()
    for line in script.splitlines():
        run_command(line)
    serve_first_page()


def run_command(line: str) -> None:
    """Run one command, and stop with its output if it fails."""
    program = Path(sys.executable).with_name("voile")
    done = subprocess.run(f"{program.parent}/{line}", shell=True, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"$ {line}\n{done.stdout}{done.stderr}")
    print(f"$ {line}: {len(done.stdout.splitlines())} lines")


def serve_first_page() -> None:
    """Start the workbench, and read the page whose address it prints."""
    command = [str(Path(sys.executable).with_name("voile")), "serve", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as serving:
        assert serving.stdout is not None
        try:
            said = ""
            for line in serving.stdout:
                said += line
                if found := re.search(r"http://\S+", line):
                    visitor = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
                    visitor.open(found.group(), timeout=60).close()  # the token opens a visit
                    with visitor.open(found.group().split("?")[0], timeout=60) as page:
                        text = page.read().decode()
                    if "<form" not in text:
                        sys.exit(f"The first page of the workbench is no form:\n{text}")
                    print(f"$ voile serve: a page of {len(text)} characters")
                    return
            sys.exit(f"voile serve ended without an address:\n{said}")
        finally:
            serving.terminate()


if __name__ == "__main__":
    main()
