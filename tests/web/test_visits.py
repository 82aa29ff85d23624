"""The number of visits is limited, and a visitor for whom there is no room is told why and when to come again."""

from __future__ import annotations

from pathlib import Path

import pytest
from asgi import Answer, run_apart, send_request

from voile.web import visits as visits_file
from voile.web.access_control import Settings
from voile.web.app import make_app
from voile.web.jobs import Job
from voile.web.visits import TooManyVisits, Visits


@pytest.fixture
def visits(tmp_path: Path) -> Visits:
    return Visits(tmp_path, limit=2)


def test_a_visit_beyond_the_limit_is_refused_while_the_others_are_in_use(visits: Visits) -> None:
    secrets = [visits.open(), visits.open()]
    with pytest.raises(TooManyVisits) as caught:
        visits.open()
    assert (caught.value.limit, caught.value.minutes) == (2, 30)
    assert all(visits.find(secret) for secret in secrets)


def test_an_idle_visit_ends_to_make_room(visits: Visits) -> None:
    idle, busy = visits.open(), visits.open()
    visit, other = visits.find(idle), visits.find(busy)
    assert visit is not None
    assert other is not None
    visit.last_request -= visits_file.IDLE + 1
    (visit.storage.folder / "upload").write_text("x")
    assert visits.find(visits.open()) is not None
    assert visits.find(idle) is None
    assert visits.has_ended(idle)
    assert visits.find(busy) is other
    assert not visit.storage.folder.exists()


def test_a_visit_with_a_running_job_does_not_end(visits: Visits, monkeypatch: pytest.MonkeyPatch) -> None:
    for secret in (visits.open(), visits.open()):
        visit = visits.find(secret)
        assert visit is not None
        visit.last_request -= visits_file.IDLE + 1
    monkeypatch.setattr("voile.web.jobs.Worker.busy", True)
    with pytest.raises(TooManyVisits):
        visits.open()


def test_a_visit_whose_work_has_just_ended_does_not_end(visits: Visits) -> None:
    """Somebody who comes back after a long comparison finds its result."""
    for secret in (visits.open(), visits.open()):
        visit = visits.find(secret)
        assert visit is not None
        visit.last_request -= 2 * visits_file.IDLE
        visit.worker.job = Job("compare", "Comparing the methods", {})
        visit.worker.job.end("done")
    with pytest.raises(TooManyVisits) as caught:
        visits.open()
    assert caught.value.minutes == 30


def test_nothing_is_left_after_the_last_visit(visits: Visits, tmp_path: Path) -> None:
    visits.open()
    visits.open()
    visits.close()
    assert list(tmp_path.iterdir()) == []


def test_the_page_names_the_limit_and_when_to_come_again(tmp_path: Path) -> None:
    settings = Settings("t" * 32, tmp_path, tmp_path / "private", port=8000, visits=1, once="o" * 32)
    settings.private.mkdir()
    visits = Visits(settings.private, limit=settings.visits)
    app = make_app(settings, visits=visits)

    def ask(path: str, cookie: str = "") -> Answer:
        headers = {"host": "127.0.0.1:8000", **({"cookie": cookie} if cookie else {})}
        return run_apart(send_request(app, "GET", path, headers))

    first = ask(f"/?token={settings.token}")
    cookie = first.headers["set-cookie"].split(";")[0]
    assert ask("/", cookie).status == 200
    for token in (settings.token, settings.once):
        refused = ask(f"/?token={token}")
        assert refused.status == 503
        assert "The workbench is full: at most one visit is open at a time." in refused.text
        assert "Come again in 30 minutes" in refused.text
        assert refused.headers["retry-after"] == "1800"
        assert "set-cookie" not in refused.headers
    for visit in visits._visits.values():
        visit.last_request -= visits_file.IDLE + 1
    assert ask(f"/?token={settings.once}").status == 200  # it was not used up by the refusal
    ended = ask("/", cookie)
    assert ended.status == 410
    assert "ended to make room for another" in ended.text
    assert "voile serve" in ended.text
    visits.close()
