"""spec.toml and the short form: one outline, all its faults at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from voile.errors import SpecError
from voile.io.spec_files import Spec, read_spec
from voile.plugins.parameters import parse_short_form


def spec(folder: Path, content: str | bytes) -> Spec:
    path = folder / "spec.toml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_spec(path)


def test_short_form() -> None:
    assert parse_short_form("k-anonymity:k=5") == ("k-anonymity", {"k": "5"})
    assert parse_short_form(" mondrian ") == ("mondrian", {})
    assert parse_short_form("x: a = 1 , b=c=d ,") == ("x", {"a": "1", "b": "c=d"})
    for wrong in ("x:5", "x:k", "x:k=1,l"):
        with pytest.raises(SpecError, match="part without '='"):
            parse_short_form(wrong)
    with pytest.raises(SpecError, match="gives 'k' twice"):
        parse_short_form("x:k=1,k=2")


def test_a_whole_spec(tmp_path: Path) -> None:
    (tmp_path / "zip.csv").write_text("1;*\n")
    found = spec(
        tmp_path,
        """
[schema]
identifier = ["name"]
quasi = ["age", "zip"]
sensitive = ["disease"]
missing = "drop"
[schema.hierarchies]
zip = "zip.csv"
age = "intervals:5,10"
[schema.kinds]
zip = "categorical"
[schema.domains]
disease = ["flu", "HIV"]
[[policy]]
model = "k-anonymity"
k = 5
[[policy]]
model = "l-diversity"
l = 2
[method]
name = "mondrian"
recoding = "hierarchy"
[release]
format = "csv"
[read]
delimiter = ";"
null_values = ["?"]
""",
    )
    assert found.schema["hierarchies"] == {"zip": str(tmp_path / "zip.csv"), "age": "intervals:5,10"}
    assert [item["model"] for item in found.policy] == ["k-anonymity", "l-diversity"]
    assert found.method["recoding"] == "hierarchy"
    assert found.read == {"delimiter": ";", "null_values": ["?"]}


def test_one_policy_and_nothing_at_all(tmp_path: Path) -> None:
    assert spec(tmp_path, '[policy]\nmodel = "k-anonymity"\nk = 2\n').policy == ({"model": "k-anonymity", "k": 2},)
    assert spec(tmp_path, "\ufeff") == Spec()


def test_all_faults_at_once(tmp_path: Path) -> None:
    content = '[shema]\nx = 1\n[schema]\nquasy = ["a"]\n[[policy]]\nk = 5\n[method]\nrecoding = "x"\n'
    with pytest.raises(SpecError) as error:
        spec(tmp_path, content)
    assert len(error.value.problems) == 4
    text = str(error.value)
    assert text.startswith("4 problems:")
    assert "Did you mean 'schema'?" in text
    assert "Did you mean 'quasi'?" in text
    assert "number 1 names no model" in text
    assert "[method] has no name" in text


@pytest.mark.parametrize(
    "content",
    [
        "schema = 5",
        "schema = ['a']",
        "policy = 'k-anonymity'",
        "policy = ['k-anonymity']",
        "[[policy]]\nmodel = 5",
        "method = 'mondrian'",
        "[method]\nname = 5",
        "release = 'csv'",
        "read = ';'",
        "[read]\ndelimiter = 5",
        "[read]\nnull_values = '?'",
        "[schema]\nhierarchies = 'dir'",
        "[schema]\nkinds = 3",
        "[schema]\ndomains = ['a']",
        "engine = 'disk'",
        "[engine]\nmemory = 4",
        "compare = 5",
        "[compare]\nmethod = ['mondrian']",
        "[compare]\nmethods = 'mondrian'",
        "[compare]\nattacks = [5]",
        "[compare]\nmeasures = [{queries = 5}]",
        "[compare]\nadversary = 5",
        "[compare]\nby = ['certainty']",
        "[compare]\nvary = 5",
        "[compare.vary]\nk = 5",
        "[compare.vary]\nk = []",
    ],
)
def test_parts_of_the_wrong_form(tmp_path: Path, content: str) -> None:
    with pytest.raises(SpecError):
        spec(tmp_path, content)


def test_files_that_are_no_spec(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"There is no file 'none.toml'"):
        read_spec(tmp_path / "none.toml")
    with pytest.raises(SpecError, match=r"is not TOML: .*line 1"):
        spec(tmp_path, "a = = 1")
    with pytest.raises(SpecError, match="cannot be read"):
        spec(tmp_path, b"a = '\xff'")
    with pytest.raises(SpecError, match="cannot be read"):
        read_spec(tmp_path)
