"""The command line: every verb, every exit code, JSON on demand, and silence where nobody looks."""

from __future__ import annotations

import json
import os
import pty
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import pytest

import voile as vl
from voile import cli
from voile.errors import BrokenPromise, DataError, EngineError, SpecError, Unsatisfiable, VoileError
from voile.io.folder import digest

KEY = "0f" * 32


class Answer(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Voile:
    """Calls the command line in this process."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], folder: Path) -> None:
        self.monkeypatch, self.capsys, self.folder = monkeypatch, capsys, folder

    def __call__(self, *arguments: Any) -> Answer:
        self.monkeypatch.setattr(sys, "argv", ["voile", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            cli.main()
        shown = self.capsys.readouterr()
        return Answer(int(left.value.code or 0), shown.out, shown.err)


@pytest.fixture
def voile(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Voile:
    monkeypatch.chdir(tmp_path)
    return Voile(monkeypatch, capsys, tmp_path)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("table") / "people.csv"
    vl.datasets.hospital().write_csv(path)
    return path


ROLES = ("--identifier", "name", "--quasi", "birth,sex,zip", "--sensitive", "disease")
K5 = ("--model", "k-anonymity:k=5")


@pytest.fixture(scope="module")
def release(table: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    schema = vl.Schema(identifier=["name"], quasi=["birth", "sex", "zip"], sensitive=["disease"])
    made = vl.publish(vl.read(table, schema), vl.Policy(vl.KAnonymity(k=5), vl.LDiversity(l=2)))
    return made.save(tmp_path_factory.mktemp("release") / "out")


def tables(place: Path) -> dict[str, str]:
    return {found.name: digest(found) for found in place.iterdir()}


# help ---------------------------------------------------------------------------------------------------------------
def test_help_and_version(voile: Voile) -> None:
    assert voile("--version").out == f"voile {vl.__version__}\n"
    answer = voile("--help")
    assert answer.code == 0
    for verb in ("publish", "verify", "audit", "measure", "report", "hierarchies", "demo"):
        assert verb in answer.out
        assert voile(verb, "--help").code == 0
        assert "--json" in voile(verb, "--help").out
    assert voile().code == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ("fly",),
        ("publish",),
        ("publish", "x.csv"),
        ("verify",),
        ("verify", "x", "--colour"),
        ("measure", "x"),
        ("--loud",),
    ],
)
def test_usage(voile: Voile, arguments: tuple[str, ...]) -> None:
    answer = voile(*arguments)
    assert answer.code == 2
    assert answer.out == ""
    assert "Error" in answer.err
    spoken = voile(*arguments, "--json")
    assert spoken.code == 2
    assert spoken.json["error"]["code"] == "spec.usage"


# publish ------------------------------------------------------------------------------------------------------------
def test_flags_alone(voile: Voile, table: Path) -> None:
    answer = voile("publish", table, "--out", "out", *ROLES, *K5, "--model", "l-diversity:l=2")
    assert answer.code == 0
    assert "400 people in" in answer.out
    assert "HOLDS" in answer.out
    assert answer.err == ""
    assert vl.verify(voile.folder / "out").holds
    assert len(vl.load(voile.folder / "out").certificate.claims) == 2


SPEC = """
[schema]
identifier = ["name"]
quasi = ["birth", "sex", "zip"]
sensitive = ["disease"]
[schema.hierarchies]
zip = "prefixes:5,3,1"
[[policy]]
model = "k-anonymity"
k = 5
[method]
name = "full-domain"
suppression = 0.1
[release]
format = "csv"
"""


def test_a_spec_alone(voile: Voile, table: Path) -> None:
    (voile.folder / "spec.toml").write_text(SPEC)
    answer = voile("publish", table, "--spec", "spec.toml", "--out", "out", "--json")
    assert answer.code == 0
    assert answer.json["verdict"]["holds"]
    assert answer.json["people"] + answer.json["withheld"] == 400
    assert (voile.folder / "out" / "table.csv").exists()
    assert vl.load(voile.folder / "out").certificate.method == {"name": "full-domain", "suppression": 0.1}


def test_several_sensitive_columns(voile: Voile, table: Path) -> None:
    """The same request as flags, in its two forms, and as a spec."""
    frame = pl.read_csv(table).with_columns(treatment=pl.Series(["pills", "rest", "surgery", "diet"] * 100))
    frame.write_csv("both.csv")
    roles = ("--identifier", "name", "--quasi", "birth,sex,zip", "--sensitive", "disease,treatment")
    (voile.folder / "key").write_text(KEY)
    same = ("--key-file", "key", "--method", "decompose:primary=treatment", "--json")
    for number, model in enumerate(("disease=3,treatment=4", "l=disease=3|treatment=4")):
        answer = voile(
            "publish", "both.csv", "--out", f"out{number}", *roles, "--model", f"multi-diversity:{model}", *same
        )
        assert answer.code == 0, answer.err
        assert answer.json["verdict"]["holds"]
    (voile.folder / "spec.toml").write_text(
        '[schema]\nidentifier = ["name"]\nquasi = ["birth", "sex", "zip"]\nsensitive = ["disease", "treatment"]\n'
        '[[policy]]\nmodel = "multi-diversity"\nl = {disease = 3, treatment = 4}\n'
        '[method]\nname = "decompose"\nprimary = "treatment"\n'
    )
    assert voile("publish", "both.csv", "--out", "out2", "--spec", "spec.toml", "--key-file", "key").code == 0
    for name in ("quasi", "joint", "sensitive_disease", "sensitive_treatment"):
        assert len({digest(voile.folder / f"out{number}" / f"{name}.parquet") for number in range(3)}) == 1
    found = voile(
        "audit", "out0", "--attack", "chain", "--attack", "exclusion:values=2", "--data", "both.csv", "--json"
    )
    assert {item["attack"] for item in found.json["findings"]} == {"chain", "exclusion"}
    assert voile("measure", "out0", "--data", "both.csv", "--measure", "query-error:sensitive=1").code == 0
    assert voile("report", "out0", "--data", "both.csv").code == 0
    refused = voile("publish", "both.csv", "--out", "x", *roles, "--model", "multi-diversity:disease=90,treatment=2")
    assert refused.code == Unsatisfiable.exit_code
    assert "largest possible l is" in refused.err


def test_flags_win_over_the_spec(voile: Voile, table: Path) -> None:
    (voile.folder / "spec.toml").write_text(SPEC)
    trees = voile.folder / "trees"
    trees.mkdir()
    codes = vl.datasets.hospital()["zip"].unique().sort()
    (trees / "zip.csv").write_text("".join(f"{code};dep {code[:2]};*\n" for code in codes))
    flags = ("--model", "k-anonymity:k=9", "--format", "parquet", "--hierarchies", trees, "--quasi", "sex,zip")
    answer = voile("publish", table, "--spec", "spec.toml", "--out", "out", *flags, "--method", "full-domain")
    assert answer.code == 0
    loaded = vl.load(voile.folder / "out")
    assert loaded.certificate.claims[0]["parameters"] == {"k": 9}
    assert loaded.certificate.method["suppression"] == 0
    assert (voile.folder / "out" / "table.parquet").exists()
    assert [entry["name"] for entry in loaded.described("quasi")] == ["sex", "zip"]
    assert all(label.startswith("dep ") or label == "*" for label in loaded.tables["table"]["zip"].cast(pl.String))


def test_a_flag_moves_a_column(voile: Voile, table: Path) -> None:
    (voile.folder / "spec.toml").write_text(SPEC)
    answer = voile("publish", table, "--spec", "spec.toml", "--out", "out", "--sensitive", "zip")
    assert answer.code == 0
    loaded = vl.load(voile.folder / "out")
    assert [entry["name"] for entry in loaded.described("sensitive")] == ["zip"]
    assert [entry["name"] for entry in loaded.described("quasi")] == ["birth", "sex"]


def test_a_key_file_makes_a_release_repeatable(voile: Voile, table: Path) -> None:
    (voile.folder / "key").write_text(KEY + "\n")
    for out in ("one", "two"):
        flags = ("--method", "anatomy", "--model", "l-diversity:l=3", "--key-file", "key")
        assert voile("publish", table, "--out", out, *ROLES, *flags).code == 0
    assert tables(voile.folder / "one") == tables(voile.folder / "two")
    assert voile("publish", table, "--out", "three", *ROLES, *flags[:-2]).code == 0
    assert tables(voile.folder / "one")["quasi.parquet"] != tables(voile.folder / "three")["quasi.parquet"]
    joined = b"".join(found.read_bytes() for found in (voile.folder / "one").iterdir())
    assert KEY.encode() not in joined
    assert bytes.fromhex(KEY) not in joined
    (voile.folder / "key").write_text("short")
    assert voile("publish", table, "--out", "four", *ROLES, *flags).code == 3
    assert voile("publish", table, "--out", "four", *ROLES, *flags[:-1], "none").code == 3


def test_force(voile: Voile, table: Path) -> None:
    assert voile("publish", table, "--out", "out", *ROLES, *K5).code == 0
    answer = voile("publish", table, "--out", "out", *ROLES, *K5)
    assert (answer.code, "--force" in answer.err) == (2, True)
    assert voile("publish", table, "--out", "out", *ROLES, *K5, "--force").code == 0
    (voile.folder / "mine").mkdir()
    (voile.folder / "mine" / "x").write_text("x")
    assert voile("publish", table, "--out", "mine", *ROLES, *K5, "--force").code == 2


def test_reading_options(voile: Voile) -> None:
    rows = "".join(f"{20 + n % 9}|Orléans|{'?' if n == 7 else 'flu'}\n" for n in range(30))
    (voile.folder / "t.csv").write_bytes(("âge|city|disease\n" + rows).encode("latin-1"))
    flags = ("--quasi", "âge,city", "--sensitive", "disease", "--model", "k-anonymity:k=3", "--out", "out")
    assert voile("publish", "t.csv", *flags).code == 3
    flags = (*flags, "--encoding", "latin-1", "--delimiter", "|", "--null", "?")
    answer = voile("publish", "t.csv", *flags)
    assert answer.code == 3
    assert "1 in 'disease'" in answer.err
    answer = voile("publish", "t.csv", *flags, "--missing", "drop", "--kind", "âge=ordered")
    assert answer.code == 0
    assert "1 rows dropped for missing values" in answer.out
    reading = ("--encoding", "latin-1", "--null", "?")
    assert voile("measure", "out", "--data", "t.csv", *reading).code == 0
    assert voile("audit", "out", "--data", "t.csv", *reading).code == 0
    assert voile("hierarchies", "t.csv", "--out", "trees", *reading).code == 0
    assert sorted(found.name for found in (voile.folder / "trees").iterdir()) == ["city.csv", "disease.csv", "âge.csv"]


def test_a_database(voile: Voile) -> None:
    connection = sqlite3.connect(voile.folder / "p.db")
    connection.execute("create table p (age integer, disease text)")
    connection.executemany("insert into p values (?, ?)", [(20 + n % 5, "flu") for n in range(20)])
    connection.commit()
    connection.close()
    flags = ("--quasi", "age", "--sensitive", "disease", "--model", "k-anonymity:k=3", "--out", "out")
    assert voile("publish", "sqlite:///p.db", *flags).code == 3
    assert voile("publish", "sqlite:///p.db", *flags, "--query", "select * from p").code == 0
    assert voile("measure", "out", "--data", "sqlite:///p.db", "--query", "select * from p").code == 0


def test_a_plugin(voile: Voile, table: Path) -> None:
    (voile.folder / "extra.py").write_text(
        "from dataclasses import dataclass\n"
        "from typing import ClassVar\n"
        "from voile.models.k_anonymity import KAnonymity\n"
        "@dataclass(frozen=True)\n"
        "class Even(KAnonymity):\n"
        "    '''k-anonymity with an even k.'''\n"
        "    name: ClassVar[str] = 'even-k'\n"
    )
    from voile.core.plugin import _registry, registered

    registered("models")
    try:
        flags = (*ROLES, "--model", "even-k:k=4", "--out", "out")
        assert voile("publish", table, *flags).code == 2
        assert voile("publish", table, *flags, "--plugin", "extra.py").code == 0
        assert voile("verify", "out", "--plugin", "extra.py").code == 0
        assert voile("audit", "out", "--plugin", "extra.py").code == 0
    finally:
        _registry["models"].pop("even-k", None)
        sys.modules.pop("voile_plugin_extra", None)
    assert voile("verify", "out").code == 5
    assert voile("verify", "out", "--plugin", "none.py").code == 2


# the other verbs ----------------------------------------------------------------------------------------------------
def test_verify(voile: Voile, release: Path) -> None:
    answer = voile("verify", release)
    assert answer.code == 0
    assert "k-anonymity" in answer.out
    spoken = voile("verify", release, "--json")
    assert spoken.json["holds"] is True
    assert spoken.err == ""
    assert voile("verify", voile.folder).code == 3


def test_verify_of_a_changed_release(voile: Voile, release: Path) -> None:
    import shutil

    shutil.copytree(release, "copy")
    (voile.folder / "copy" / "table.parquet").write_bytes(b"PAR1")
    answer = voile("verify", "copy", "--json")
    assert answer.code == BrokenPromise.exit_code == 5
    assert answer.json["holds"] is False
    for verb in (("audit", "copy"), ("report", "copy"), ("measure", "copy", "--data", "x.csv")):
        spoken = voile(*verb, "--json")
        assert spoken.code == 5
        assert spoken.json["error"]["code"] == "broken.claim"


def test_audit(voile: Voile, release: Path, table: Path) -> None:
    answer = voile("audit", release)
    assert answer.code == 0
    assert "inside the promise" in answer.out
    spoken = voile(
        "audit", release, "--data", table, "--attack", "linking", "--attack", "elimination:values=2", "--json"
    )
    assert {finding["attack"] for finding in spoken.json["findings"]} == {"linking", "elimination"}
    assert spoken.json["findings"][0]["worst_before"] is not None
    external = voile("audit", release, "--external", table, "--attack", "linking", "--json")
    assert "Journalist" in [finding["title"] for finding in external.json["findings"]]
    assert voile("audit", release, "--attack", "linkin").code == 2
    assert voile("audit", release, "--data", "none.csv").code == 3


def test_an_attack_that_succeeds(voile: Voile, release: Path) -> None:
    (voile.folder / "seer.py").write_text(
        "from dataclasses import dataclass\n"
        "from typing import ClassVar\n"
        "import numpy as np\n"
        "from voile.core.adversary import Adversary, Knowledge\n"
        "from voile.core.attack import Attack, Guess\n"
        "from voile.core.results import Belief\n"
        "@dataclass(frozen=True)\n"
        "class Seer(Attack):\n"
        "    '''Knows.'''\n"
        "    name: ClassVar[str] = 'seer'\n"
        "    def guesses(self, target, external):\n"
        "        who = Adversary.who('seer', Knowledge.QUASI)\n"
        "        return [Guess('Seer', who, Belief('identity', np.array([1.0]), np.array([3]), 0.1))]\n"
    )
    from voile.core.plugin import _registry

    try:
        answer = voile("audit", release, "--plugin", "seer.py", "--attack", "seer", "--json")
        assert answer.code == 5
        assert answer.json["passed"] is False
        assert "BROKEN" in voile("audit", release, "--plugin", "seer.py", "--attack", "seer").out
    finally:
        _registry["attacks"].pop("seer", None)
        sys.modules.pop("voile_plugin_seer", None)


def test_measure(voile: Voile, release: Path, table: Path) -> None:
    assert "certainty" in voile("measure", release, "--data", table).out.lower()
    spoken = voile("measure", release, "--data", table, "--measure", "query-error:queries=50", "--json")
    assert [loss["measure"] for loss in spoken.json["losses"]] == ["query-error"]
    assert voile("measure", release, "--data", table, "--measure", "query-error:queries=-5").code == 2


def test_report(voile: Voile, release: Path, table: Path) -> None:
    answer = voile("report", release, "--data", table, "--out", "page.html", "--json")
    assert answer.code == 0
    assert (voile.folder / "page.html").stat().st_size > 1000
    assert answer.json["report"].endswith("page.html")
    assert "Report:" in voile("report", release, "--out", "page.html").out


def test_hierarchies_can_be_edited_and_read_back(voile: Voile, table: Path) -> None:
    answer = voile("hierarchies", table, "--quasi", "birth,sex,zip", "--recipe", "zip=prefixes:2", "--out", "trees")
    assert answer.code == 0
    assert "zip.csv: 2 levels" in answer.out
    path = voile.folder / "trees" / "zip.csv"
    assert path.read_text().splitlines()[0] == "04100;04***;*"
    assert voile("hierarchies", table, "--quasi", "zip", "--out", "trees").code == 2
    path.write_text(path.read_text().replace("04***", "Alps").replace("05***", "Alps"))
    flags = (*ROLES, *K5, "--method", "full-domain", "--hierarchies", "trees", "--out", "out")
    assert voile("publish", table, *flags).code == 0
    assert voile("measure", "out", "--data", table, "--hierarchies", "trees").code == 0
    path.write_text("04100;Alps;*\n")
    answer = voile("publish", table, *flags, "--force")
    assert answer.code == 2
    assert "'zip' lacks" in answer.err
    spoken = voile("hierarchies", table, "--quasi", "zip", "--out", "trees", "--force", "--json")
    assert spoken.json["heights"] == {"zip": 4}


def test_hierarchies_of_a_table_with_missing_cells(voile: Voile) -> None:
    (voile.folder / "t.csv").write_text("a,b\n1,x\n,y\n3,\n4,z\n5,w\n")
    assert voile("hierarchies", "t.csv", "--out", "trees").code == 0
    content = (voile.folder / "trees" / "b.csv").read_text()
    assert [line.split(";")[0] for line in content.splitlines()] == ["w", "x", "y", "z"]
    frame = pl.read_csv(voile.folder / "t.csv")
    trees = {name: str(voile.folder / "trees" / f"{name}.csv") for name in "ab"}
    assert vl.read(frame, vl.Schema(quasi=["a", "b"], hierarchies=trees, missing="value")).rows.total == 5


def test_demo(voile: Voile) -> None:
    answer = voile("demo", "--out", "demo")
    assert answer.code == 0
    assert vl.verify(voile.folder / "demo" / "release").holds
    assert (voile.folder / "demo" / "report.html").exists()
    assert voile("demo", "--out", "demo", "--json").json["verdict"]["holds"]


# errors -------------------------------------------------------------------------------------------------------------
def test_exit_codes(voile: Voile, table: Path) -> None:
    cases = {
        2: ("publish", table, "--out", "o", "--quasi", "nothing", *K5),
        3: ("publish", "none.csv", "--out", "o", *ROLES, *K5),
        4: ("publish", table, "--out", "o", *ROLES, "--model", "l-diversity:l=40"),
    }
    for code, arguments in cases.items():
        answer = voile(*arguments)
        assert answer.code == code
        assert answer.out == ""
        assert answer.err.startswith("voile: ")
        assert "Traceback" not in answer.err
        spoken = voile(*arguments, "--json")
        assert spoken.code == code
        assert set(spoken.json["error"]) >= {"code", "message", "hint"}
    assert [e.exit_code for e in (SpecError, DataError, Unsatisfiable, BrokenPromise, EngineError)] == [2, 3, 4, 5, 6]
    assert not (voile.folder / "o").exists()


def test_engine_failures(voile: Voile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    (voile.folder / "x.duckdb").write_text("")
    answer = voile("publish", "duckdb:///x.duckdb", "--query", "select 1", "--out", "o", *ROLES, *K5, "--json")
    assert answer.code == 6
    assert answer.json["error"]["code"] == "engine.extra"


def test_all_problems_in_json(voile: Voile, table: Path) -> None:
    flags = ("--quasi", "sex,sex", "--model", "k-anonymity:k=1", "--method", "magic", "--format", "xml")
    answer = voile("publish", table, "--out", "o", *flags, "--json")
    assert answer.code == 2
    assert len(answer.json["error"]["problems"]) == 4


@pytest.mark.parametrize(
    "flags",
    [
        ("--model", "k-anonymity:5"),
        ("--model", "k-anonymity:k"),
        ("--model", ""),
        ("--model", "k-anonymity:k=5,k=6"),
        (*K5, "--kind", "sex"),
        (*K5, "--kind", "sex=magic"),
        (*K5, "--missing", "maybe"),
        (*K5, "--hierarchies", "none"),
        (*K5, "--spec", "none.toml"),
        (*K5, "--delimiter", "::"),
        (*K5, "--format", "xml"),
        (*K5, "--method", "mondrian:recoding=magic"),
        (*K5, "--out", "file.txt"),
        (),
    ],
)
def test_requests_that_are_wrong(voile: Voile, table: Path, flags: tuple[Any, ...]) -> None:
    (voile.folder / "file.txt").write_text("x")
    answer = voile("publish", table, "--out", "o", *ROLES, *flags, "--json")
    assert answer.code == 2
    assert answer.json["error"]["message"]
    assert not (voile.folder / "o").exists()


def test_unforeseen_errors_show_no_cell(voile: Voile, table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise RuntimeError("CANARY")

    monkeypatch.setattr("voile.flow.read.encode", broken)
    answer = voile("publish", table, "--out", "o", *ROLES, *K5, "--json")
    assert answer.code == 1
    assert "CANARY" not in answer.out + answer.err
    assert "RuntimeError at test_cli.py" in answer.json["error"]["message"]
    monkeypatch.setenv("VOILE_DEBUG", "1")
    monkeypatch.setattr(sys, "argv", ["voile", "publish", str(table), "--out", "o", *ROLES, *K5])
    with pytest.raises(RuntimeError, match="CANARY"):
        cli.main()


def test_an_interrupt(voile: Voile, table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr("voile.flow.read.encode", interrupted)
    answer = voile("publish", table, "--out", "o", *ROLES, *K5, "--json")
    assert answer.code == 130
    assert answer.json["error"]["code"] == "interrupted"


def test_a_promise_broken_after_saving(voile: Voile, table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from voile.core.results import Answer as Said
    from voile.core.results import Checked, Verdict

    broken = Verdict((Checked("files", Said.BROKEN, "The disk lies."),))
    monkeypatch.setattr("voile.flow.verify.verify", lambda place, **given: broken)
    answer = voile("publish", table, "--out", "o", *ROLES, *K5, "--json")
    assert answer.code == 5
    assert answer.json["verdict"]["holds"] is False


def test_every_voile_error_becomes_its_exit_code(voile: Voile, table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in (SpecError, DataError, Unsatisfiable, BrokenPromise, EngineError, VoileError):

        def failing(*_: Any, kind: type[VoileError] = kind, **__: Any) -> Any:
            raise kind("It is so.", code="x.y", hint="Do this.")

        monkeypatch.setattr("voile.flow.read.load_frame", failing)
        answer = voile("publish", table, "--out", "o", *ROLES, *K5, "--json")
        assert answer.code == kind.exit_code
        assert answer.err == "voile: It is so.\n  Do this.\n"
        assert answer.json["error"]["hint"] == "Do this."


# a real process -----------------------------------------------------------------------------------------------------
def test_in_a_process_of_its_own(release: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", "from voile.cli import main; main()", "verify", str(release), "--json"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 0
    assert json.loads(done.stdout)["holds"]
    assert done.stderr == ""


def test_progress_is_for_terminals_only(table: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from voile.cli import main; main()", "publish", str(table), "--out", "out"]
    main, other = pty.openpty()
    worker = subprocess.Popen([*command, *ROLES, *K5, "--json"], stdout=subprocess.PIPE, stderr=other, cwd=tmp_path)
    os.close(other)
    assert worker.stdout is not None
    out = worker.stdout.read()
    shown = b""
    try:
        while chunk := os.read(main, 4096):
            shown += chunk
    except OSError:
        pass  # the terminal is closed
    os.close(main)
    worker.stdout.close()
    assert worker.wait() == 0
    assert json.loads(out)["verdict"]["holds"]
    assert b"publish" in shown
    for cell in (b"Influenza", b"06000", b"Bianca"):
        assert cell not in shown


def test_publishing_again(voile: Voile, tmp_path: Path) -> None:
    """Earlier releases, a ledger and a key at the command line and in a spec: what the flags say, the file says."""
    frame = vl.datasets.hospital()
    frame.write_csv(tmp_path / "q1.csv")
    frame.head(350).write_csv(tmp_path / "q2.csv")
    base = ["--quasi", "birth,sex,zip", "--sensitive", "disease", "--person", "name", "--model", "m-invariance:m=3"]
    one, two, ledger = str(tmp_path / "one"), str(tmp_path / "two"), str(tmp_path / "ledger.json")
    done = voile("publish", str(tmp_path / "q1.csv"), *base, "--out", one, "--ledger", ledger)
    assert done.code == 0, done.err
    again = ["publish", str(tmp_path / "q2.csv"), *base, "--out", two, "--after", one, "--ledger", ledger]
    done = voile(*again)
    assert done.code == 0, done.err
    assert voile("verify", two).code == 0  # NEEDS is no breach
    checked = voile(
        "verify", two, "--after", one, "--data", str(tmp_path / "q2.csv"), "--person", "name", "--ledger", ledger
    )
    assert checked.code == 0, checked.err
    assert "Signatures agree" in checked.out.replace("\n", " ")
    spec = tmp_path / "spec.toml"
    spec.write_text(
        '[schema]\nquasi = ["birth", "sex", "zip"]\nsensitive = ["disease"]\nperson = "name"\n'
        '[[policy]]\nmodel = "m-invariance"\nm = 3\n'
        '[release]\nafter = ["one", "two"]\nledger = "ledger.json"\n'
    )
    done = voile("publish", str(tmp_path / "q2.csv"), "--spec", str(spec), "--out", str(tmp_path / "three"))
    assert done.code == 0, done.err
    spec.write_text('[release]\nafter = "one"\nledger = 3\n')
    done = voile("publish", str(tmp_path / "q2.csv"), "--spec", str(spec), "--out", str(tmp_path / "four"))
    assert done.code == SpecError.exit_code
    assert "2 problems" in done.err


def test_masking_and_making_it_again(voile: Voile, tmp_path: Path) -> None:
    frame = vl.datasets.hospital()
    frame.write_csv(tmp_path / "patients.csv")
    disease = sorted(frame["disease"].unique().to_list())[0]
    (tmp_path / "key").write_text("ab" * 32)
    spec = tmp_path / "spec.toml"
    spec.write_text(
        '[schema]\nquasi = ["birth", "sex", "zip"]\nsensitive = ["disease"]\n'
        f'[[policy]]\nmodel = "m-confidentiality"\nm = 3\nprotect = ["{disease}"]\n'
        '[method]\nname = "mask"\nk = 4\nanonymizer = {name = "mondrian", recoding = "tight"}\n'
    )
    out, key = str(tmp_path / "out"), str(tmp_path / "key")
    done = voile("publish", str(tmp_path / "patients.csv"), "--spec", str(spec), "--out", out, "--key-file", key)
    assert done.code == 0, done.err
    assert "NEEDS" in done.out
    done = voile("verify", out, "--data", str(tmp_path / "patients.csv"), "--key-file", key, "--json")
    assert done.code == 0, done.err
    assert done.json["holds"]
    flags = [
        "--method",
        "mask:k=4,anonymizer=mondrian:recoding=tight",
        "--key-file",
        key,
        "--out",
        str(tmp_path / "same"),
    ]
    assert voile("publish", str(tmp_path / "patients.csv"), "--spec", str(spec), *flags).code == 0
    assert vl.load(out).digest == vl.load(tmp_path / "same").digest
