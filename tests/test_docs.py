"""The pages run: every python block and every `$ voile` line, in order, one namespace and one empty folder per page.

A block with a file name after its language (```toml spec.toml) is the content of that file. A ```text block right
after a ```python block is what the code prints.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import draw_attacks
import pytest
import typer
from typer.testing import CliRunner

from voile.adversaries import presets
from voile.cli import app
from voile.engines import base as engines
from voile.engines.selection import find_engines
from voile.plugins import registry

DOCS = Path(__file__).parents[1] / "docs"
PAGES = (
    "start.md",
    "officers.md",
    "publishers.md",
    "advice.md",
    "the_rule.md",
    "attacks.md",
    "tutorial.md",
    "compare.md",
    "workbench.md",
    "cluster.md",
    "people.md",
    "weights.md",
    "signing.md",
    "recipients.md",
    "steering.md",
    "inspect.md",
    "prepare.md",
    "guarantees/append.md",
    "guarantees/republish.md",
)
FENCE = re.compile(r"^```(?P<language>\w+)(?: +(?P<file>[\w.\-/]+))?\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
Registry = dict[str, dict[str, type[registry.Plugin]]]
LINK = re.compile(r"\]\((?!https?:)(?P<path>[^)#\s]+)(?:#[^)]*)?\)")


class Block(NamedTuple):
    language: str
    file: str
    body: str
    line: int
    end: int


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [
        Block(
            found["language"],
            found["file"] or "",
            found["body"],
            text[: found.start("body")].count("\n") + 1,
            text[: found.end()].count("\n") + 1,
        )
        for found in FENCE.finditer(text)
    ]


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Registry]:
    """Work in an empty folder and forget afterwards what a page registers or imports. Yield voile's own plug-ins."""
    find_engines()  # else an engine that a page imports first would be forgotten with the page
    known = {family: registry.registered_classes(family) for family in registry.FAMILIES}
    monkeypatch.setattr(registry, "_registry", copied(known))
    monkeypatch.setattr(presets, "_presets", presets.presets())
    monkeypatch.setattr(engines, "_engines", engines.registered_engines())
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    before = set(sys.modules)
    yield known
    for name in set(sys.modules) - before:
        if Path(getattr(sys.modules[name], "__file__", None) or ".").parent == tmp_path:
            del sys.modules[name]


def copied(known: Registry) -> Registry:
    return {family: dict(classes) for family, classes in known.items()}


@pytest.mark.parametrize("name", PAGES)
def test_page_runs(name: str, own: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    page = blocks(DOCS / name)
    assert page, "the page has no block"
    space: dict[str, Any] = {"__name__": "page"}
    known_engines = engines.registered_engines()
    for number, block in enumerate(page):
        where = f"{name}, line {block.line}"
        if block.file:
            Path(block.file).write_text(block.body, encoding="utf-8")
        elif block.language == "python":
            said = io.StringIO()
            # padded with empty lines, so that a traceback shows the line of the page
            code = compile("\n" * (block.line - 1) + block.body, str(DOCS / name), "exec")
            with contextlib.redirect_stdout(said):
                exec(code, space)
            after = page[number + 1] if number + 1 < len(page) else None
            has_output = after and after.language == "text" and after.line - block.end <= 3
            assert said.getvalue() == (after.body if after and has_output else ""), where
        elif block.language == "console":
            assert all(line.startswith("$ voile ") for line in block.body.splitlines() if line[:1] == "$"), where
            for line in commands(block.body):
                with monkeypatch.context() as alone:  # a command starts with voile's own plug-ins
                    alone.setattr(registry, "_registry", copied(own))
                    alone.setattr(engines, "_engines", known_engines)
                    result = CliRunner().invoke(app, shlex.split(line)[1:])
                assert result.exit_code == 0, f"{where}: {line}\n{result.output}\n{result.exception}"

        elif block.language == "r":
            check_r_columns(block.body, where)


def check_r_columns(body: str, where: str) -> None:
    """R is not run. The file that the code reads must be there, with the columns that its formula and `$` name."""
    file = re.findall(r'read\.csv\("([^"]+)", check\.names = FALSE\)', body)
    assert len(file) == 1, where
    header = Path(file[0]).read_text(encoding="utf-8").splitlines()[0].split(",")
    formula = body.split("glm(", 1)[1].split(", family", 1)[0]
    named = set(re.findall(r"[A-Za-z_][\w.]*(?!\w*[.(])", re.sub(r'"[^"]*"', "", formula)))
    named = {*named - {"as.numeric", "as.Date"}, *re.findall(r"\$`(\w+)`", body)}
    assert len(named) > 2, where
    assert named <= set(header), where


RUN = ("python", "console", "r")
SHOWN = ("text", "toml", "csv", "sh")  # toml and csv are written to a file where they have a name


def test_no_page_and_no_block_is_skipped_silently() -> None:
    """Every page with code that can run is in PAGES, and every fence is seen as a block of a language that is known."""
    for page in sorted(DOCS.rglob("*.md")):
        name = str(page.relative_to(DOCS))
        fences = re.findall(r"^ *(?:```+|~~~+) *(.*)", page.read_text(encoding="utf-8"), re.MULTILINE)
        assert all(fences[::2]), f"{name}: a block says what language it is in; output is text, which is compared"
        assert not any(fences[1::2]), f"{name}: a block is not closed"
        opened = [fence.split()[0] for fence in fences[::2] if not fence.startswith("{")]  # {toctree} and the like
        found = [block.language for block in blocks(page)]
        assert found == opened, f"{name}: a block in another form is not run"
        assert set(found) <= {*RUN, *SHOWN}, f"{name} has a block of a language that nobody checks"
        assert not {*found} & {*RUN} or name in PAGES, f"{name} has code and is not run"


def test_shell_lines_that_are_not_run_name_what_exists() -> None:
    """Blocks for a shell need a cluster, a browser or the network. Their verbs and flags must exist all the same."""
    verbs = typer.main.get_command(app)
    lines = [
        (f"{page.name}: {line}", line.split("voile ", 1)[1].split("#")[0].split())
        for page in sorted(DOCS.rglob("*.md"))
        for block in blocks(page)
        if block.language == "sh"
        for line in block.body.replace("\\\n", " ").splitlines()
        if re.match(r"(env/bin/)?voile ", line)
    ]
    assert len(lines) > 4
    for where, (verb, *words) in lines:
        command = verbs.commands[verb]  # type: ignore[attr-defined]
        known = {flag for parameter in command.params for flag in parameter.opts}
        assert {word for word in words if word.startswith("--")} <= known, where


def commands(body: str) -> list[str]:
    """Return the `$ voile` lines of a console block, with continued lines joined."""
    lines = body.replace("\\\n", " ").splitlines()
    return [line.removeprefix("$ ") for line in lines if line.startswith("$ voile ")]


def test_the_pictures_of_attacks_are_current() -> None:
    """If the page has changed: `python tools/draw_attacks.py`."""
    drawn = draw_attacks.draw_all()
    assert {path.name for path in draw_attacks.PICTURES.iterdir()} == set(drawn)
    for name, picture in drawn.items():
        assert (draw_attacks.PICTURES / name).read_text(encoding="utf-8") == picture, name
        assert f"pictures/attacks/{name}" in draw_attacks.PAGE.read_text(encoding="utf-8")


def test_every_link_leads_somewhere() -> None:
    links = [
        (page, link["path"])
        for page in sorted(DOCS.rglob("*.md"))
        for link in LINK.finditer(page.read_text(encoding="utf-8"))
    ]
    assert links
    assert [f"{page.relative_to(DOCS)}: {path}" for page, path in links if not (page.parent / path).exists()] == []


def test_no_page_installs_from_an_index() -> None:
    """voile is on no package index: `pip install 'voile[web]'` finds it only where it is installed already."""
    pages = [*sorted(DOCS.rglob("*.md")), DOCS.parent / "README.md", DOCS.parent / "CONTRIBUTING.md"]
    texts = {page.name: page.read_text(encoding="utf-8") for page in pages if "decisions" not in page.parts}
    assert [name for name, text in texts.items() if re.search(r"pip install ['\"]?voile", text)] == []
    for name in ("start.md", "officers.md", "workbench.md"):
        assert "pip install '.[web]'" in (DOCS / name).read_text(encoding="utf-8"), name


def test_the_site_has_an_owner_a_picture_and_code_that_is_not_cut() -> None:
    settings = (DOCS / "conf.py").read_text(encoding="utf-8")
    assert re.search(r'^copyright = "\w', settings, re.MULTILINE)
    assert 'html_css_files = ["site.css"]' in settings
    assert "pre-wrap" in (DOCS / "site.css").read_text(encoding="utf-8")
    home = (DOCS / "index.md").read_text(encoding="utf-8")
    assert "pictures/report.png" in home
    assert "pip install . &&" in home


def test_every_model_and_method_has_a_page() -> None:
    pages = {page.stem for page in (DOCS / "guarantees").glob("*.md")}
    files = {path.stem for family in ("models", "methods") for path in _modules(family)}
    assert files
    assert files <= pages


def _modules(family: str) -> list[Path]:
    """List the files and folders of an open set, without those that all its members share."""
    folder = DOCS.parent / "src" / "voile" / family
    shared = {
        "base",
        "kinds",
        "abilities",
        "policy",
        "evidence",
        "nearby_promises",
        "claimed_model",
        "refusals",
        "robust_policy",
        "steering",
    }
    return [path for path in sorted(folder.iterdir()) if path.name[0] not in "_." and path.stem not in shared]


@pytest.mark.parametrize("name", [path.stem for path in _modules("models")])
def test_a_model_page_has_its_headings(name: str) -> None:
    assert _headings(name) == ["Claim", "Against", "Proof", "Check", "Limits"]


@pytest.mark.parametrize("name", [path.stem for path in _modules("methods")])
def test_a_method_page_has_its_headings(name: str) -> None:
    assert _headings(name) == ["Claim", "Against", "Needs", "Why", "Limits"]


def _headings(name: str) -> list[str]:
    text = (DOCS / "guarantees" / f"{name}.md").read_text(encoding="utf-8")
    return re.findall(r"^## (.+)$", text, re.MULTILINE)
