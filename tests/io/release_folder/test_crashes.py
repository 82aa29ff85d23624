"""A process may die at any step of the file system: release and ledger are the old ones or the new ones, and the next
run leaves no trace of it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from crashing import Died, dying

import voile as vl
from voile.adversaries.seating import Seating, SeatValues
from voile.engines import base
from voile.releases.partitioned_tables import PartitionedTables
from voile.releases.release import Release
from voile.tables import partition_tree

KEY = vl.Key(bytes(range(32)))
SCHEMA = vl.Schema(quasi=["age"], sensitive=["disease"])


@pytest.fixture(autouse=True)
def _fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waiting for the disk takes long, and changes nothing that this process can see."""
    monkeypatch.setattr("os.fsync", lambda descriptor: None)


def people(seed: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame({"age": rng.integers(18, 90, 60), "disease": rng.choice(["flu", "HIV", "gout"], 60)})


@pytest.fixture(scope="module")
def old() -> Release:
    return vl.publish(vl.read(people(0), SCHEMA), vl.LDiversity(l=2), vl.Anatomy(), key=KEY)


def published_in_memory(place: Path) -> Release:
    return vl.publish(vl.read(people(1), SCHEMA), vl.LDiversity(l=2), key=KEY)


def published_on_disk(place: Path) -> Release:
    people(1).write_csv(place / "people.csv")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(partition_tree, "LARGEST_PART", 30)
        patch.setattr(base, "CHUNK_ROWS", 20)
        data = vl.read(place / "people.csv", SCHEMA, engine=vl.Disk(scratch=str(place)))
        release = vl.publish(data, vl.LDiversity(l=2), key=KEY)
    assert isinstance(release.tables, PartitionedTables)
    return release


@pytest.fixture(scope="module", params=[published_in_memory, published_on_disk], ids=["memory", "disk"])
def new(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Release:
    publish: Callable[[Path], Release] = request.param
    return publish(tmp_path_factory.mktemp("table"))


def contents(place: Path) -> dict[str, bytes] | None:
    return {entry.name: entry.read_bytes() for entry in place.iterdir()} if place.exists() else None


def listing(place: Path) -> list[str]:
    return sorted(str(path.relative_to(place)) for path in place.rglob("*") if path.parent.name != "out")


def record(release: Release, book: vl.Ledger) -> vl.Ledger:
    people, group = book.make_pseudonyms(np.array([1, len(book.releases) + 2], dtype=np.uint64)), np.array([0, 1])
    values = {"disease": SeatValues(("flu", "gout"), group)}
    book.record(release.digest, Seating(people, group, group, group == 0, values))
    return book


class Workplace:
    """A folder with a release and its ledger, or without them, in which a new release is saved again and again."""

    def __init__(self, place: Path, old: Release, new: Release, occupied: bool, ledger: bool) -> None:
        assert old.digest != new.digest  # computed here, once: it is no step of saving
        self.place, self.new, self.ledger = place, new, ledger
        self.template, self.room = place / "template", place / "room"
        (self.template / "private").mkdir(parents=True)
        if occupied:
            book = record(old, vl.Ledger.open(self.template / "private" / "ledger")) if ledger else None
            old.save(self.template / "out", ledger=book)
            (self.template / "out" / "README").write_text("how to cite")
        self.old_digests = [old.digest] if occupied and ledger else []
        self.before = contents(self.template / "out")

    def reset(self) -> None:
        shutil.rmtree(self.room, ignore_errors=True)
        shutil.copytree(self.template, self.room)

    def save(self) -> None:
        book = record(self.new, self.open_ledger()) if self.ledger else None
        self.new.save(self.room / "out", force=True, ledger=book)

    def open_ledger(self) -> vl.Ledger:
        return vl.Ledger.open(self.room / "private" / "ledger")

    def state(self, ledger_first: bool) -> tuple[dict[str, bytes] | None, list[str]]:
        """The content of the folder and the releases of the ledger, as the next run sees them."""
        digests = self.open_ledger().releases if ledger_first else []
        if self.before is not None or (self.room / "out").exists():
            assert vl.verify(self.room / "out").holds
        return contents(self.room / "out"), self.open_ledger().releases if not ledger_first else digests


@pytest.mark.parametrize("exchange", [True, False], ids=["exchange", "two renames"])
@pytest.mark.parametrize("ledger", [False, True], ids=["alone", "with a ledger"])
@pytest.mark.parametrize("occupied", [False, True], ids=["empty place", "earlier release"])
def test_death_at_every_step(
    old: Release, new: Release, tmp_path: Path, occupied: bool, ledger: bool, exchange: bool
) -> None:
    work = Workplace(tmp_path, old, new, occupied, ledger)
    work.reset()
    with dying(exchange=exchange) as steps:
        work.save()
    whole, places = contents(work.room / "out"), listing(work.room)
    assert whole is not None
    assert len(steps.names) > 15
    before = (work.before, work.old_digests)
    after = (whole, [*work.old_digests, new.digest] if ledger else [])
    outcomes = []
    for last in range(len(steps.names)):
        work.reset()
        with dying(last, exchange=exchange), pytest.raises(Died):
            work.save()
        state = work.state(ledger_first=bool(last % 2))
        assert state in (before, after), (last, steps.names[last])
        outcomes.append(state == after)
        work.save()
        assert contents(work.room / "out") == whole
        assert work.open_ledger().releases == [*state[1], *([new.digest] if ledger else [])]
        assert listing(work.room) == places, (last, steps.names[last])
    assert outcomes == sorted(outcomes)  # one step decides, and nothing is undone after it
    assert set(outcomes) == {False, True}


def test_death_of_the_run_after_a_death(old: Release, tmp_path: Path) -> None:
    """Whatever the first process left, the second may die at any step too."""
    work = Workplace(tmp_path, old, published_in_memory(tmp_path), occupied=True, ledger=True)
    work.reset()
    with dying(exchange=False) as steps:
        work.save()
    whole, digest = contents(work.room / "out"), work.new.digest
    moves = [number + 1 for number, name in enumerate(steps.names) if name in ("rename", "replace")]
    assert len(moves) == 4  # the ledger with both states, the old release, the new release, the ledger
    deaths = 0
    for first in moves:
        for second in range(200):
            work.reset()
            with dying(first, exchange=False), pytest.raises(Died):
                work.save()
            earlier = work.open_ledger().releases
            assert earlier in ([old.digest], [old.digest, digest])
            with dying(second, exchange=False) as steps, suppress(Died):
                work.save()
            if not steps.dead:
                break
            deaths += 1
            content, digests = work.state(ledger_first=bool(second % 2))
            if earlier == [old.digest]:
                assert (content, digests) in ((work.before, earlier), (whole, [*earlier, digest]))
            else:  # the same release again: only the ledger tells the two apart
                assert content == whole
                assert digests in (earlier, [*earlier, digest])
            work.save()
            assert listing(work.room) == ["out", "private", "private/ledger"]
    assert deaths > 100
