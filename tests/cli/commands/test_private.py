"""`--private`: what the publisher keeps, and what it answers later."""

from __future__ import annotations

from pathlib import Path

from calling import K5, ROLES, Voile

ROBUST = ("--model", "r-robustness:r=2", "--method", "art")


def test_a_learned_prior_can_be_checked_with_the_private_file(voile: Voile, table: Path) -> None:
    published = voile("publish", table, *ROLES, *ROBUST, "--out", "out", "--private", "private.json", "--json")
    assert published.code == 0, published.err
    assert published.json["verdict"]["holds"]
    assert (voile.folder / "private.json").stat().st_mode & 0o777 == 0o600
    assert voile("verify", "out", "--json").json["checks"][-1]["answer"] == "needs"
    checked = voile("verify", "out", "--private", "private.json")
    assert checked.code == 0
    assert "Verified with the private file" in checked.out
    again = voile("verify", "out", "--private", "private.json", "--key-file", "key", "--data", table)
    assert again.code == 2
    assert "--key-file has no effect here" in again.err


def test_publish_counts_the_people_whose_bound_lies_above_one_over_r(voile: Voile, table: Path) -> None:
    """The statistics are learned and not published, so only the publisher can count them."""
    robust = ("--model", "r-robustness:r=20,protect=HIV infection")
    published = voile("publish", table, *ROLES, *robust, "--out", "out", "--json").json
    assert published["people_bound_above"] >= published["people_prior_above"] >= 0
    assert published["people_bound_above"] > 0
    assert "note" not in published  # the statistics come from the table, so the algorithm is not covered
    assert not any("counted" in check for check in published["verdict"]["checks"])
    words = voile("publish", table, *ROLES, *robust, "--out", "again").out
    assert f"For {published['people_bound_above']} people the bound lies above 1/20" in words
    plain = voile("publish", table, *ROLES, *K5, "--out", "plain", "--json").json
    assert "people_bound_above" not in plain
    assert "fixed beforehand" in plain["note"]  # sizes alone: this claim covers the algorithm


def test_the_table_and_the_key_answer_too(voile: Voile, table: Path) -> None:
    (voile.folder / "key").write_text("0f" * 32)
    assert voile("publish", table, *ROLES, *ROBUST, "--out", "out", "--key-file", "key").code == 0
    checked = voile("verify", "out", "--data", table, "--key-file", "key", "--json")
    assert checked.json["checks"][-1]["answer"] == "holds", checked.err


def test_a_private_file_in_the_wrong_place_is_refused_before_the_work(voile: Voile, table: Path) -> None:
    inside = voile("publish", table, *ROLES, *ROBUST, "--out", "out", "--private", "out/private.json")
    assert inside.code == 2
    assert "release folder" in inside.err
    assert not (voile.folder / "out").exists()
    assert voile("publish", table, *ROLES, *K5, "--out", "out", "--private", "private.json").code == 0
    unused = voile("verify", "out", "--private", "private.json")
    assert unused.code == 2
    assert "--private has no effect here" in unused.err
    taken = voile("publish", table, *ROLES, *K5, "--out", "out", "--force", "--private", "private.json")
    assert taken.code == 2
    assert "already something" in taken.err
