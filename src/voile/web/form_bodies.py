"""Read the body of a form. Whatever a client sends becomes a form, or a refusal with a status and a reason."""

from __future__ import annotations

import contextlib
import re
from collections.abc import AsyncIterator

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import ClientDisconnect, Request

from voile.web.private_storage import describe_failure
from voile.web.release_zips import FILES

FIELDS, FIELD_BYTES = 20_000, 4 << 20
FORM_BYTES = 4 << 20  # a form without files
MULTIPART, URLENCODED = "multipart/form-data", "application/x-www-form-urlencoded"
_CHARSET = re.compile(r";\s*charset\s*=\s*[\"']?([^\"';\s]*)", re.IGNORECASE)


class RefusedRequest(Exception):  # noqa: N818 - it says what happened
    """A request that is not answered: the status, the reason, and what to do."""

    def __init__(self, status: int, message: str, hint: str, retry_after: int = 0) -> None:
        super().__init__(message)
        self.status, self.message, self.hint, self.retry_after = status, message, hint, retry_after


def limit_of_body(content_type: str, upload_limit: int) -> int:
    """Return how many bytes the body of a request may have: only a form with files may be long."""
    return upload_limit if _kind(content_type) == MULTIPART else min(FORM_BYTES, upload_limit)


@contextlib.asynccontextmanager
async def open_form(request: Request) -> AsyncIterator[FormData]:
    """Read the form of a request; its files are deleted at the end."""
    content_type = request.headers.get("content-type", "")
    if _kind(content_type) not in ("", MULTIPART, URLENCODED):
        raise RefusedRequest(415, "This is not a form.", f"Send {MULTIPART} or {URLENCODED}.")
    charset = _CHARSET.search(content_type)
    if charset and charset[1].lower() not in ("utf-8", "utf8", "us-ascii"):
        raise RefusedRequest(415, "A form must be sent in UTF-8.", "Use the workbench itself.")
    try:
        if _kind(content_type) == MULTIPART:
            form = await _parse_parts(request)
        else:
            form = await request.form(max_fields=FIELDS, max_part_size=FIELD_BYTES)
    except (MultiPartException, HTTPException, UnicodeError):
        raise RefusedRequest(400, "This form cannot be read.", "Reload the page and try again.") from None
    except ClientDisconnect:
        raise RefusedRequest(400, "This form was cut off.", "Send it again.") from None
    except OSError as error:
        problem = describe_failure(error)
        raise RefusedRequest(503, problem.message, problem.hint, retry_after=60) from None
    try:
        yield form
    finally:
        await form.close()


class _PartParser(MultiPartParser):
    """Reads the parts of a form, and knows whether the last one was followed by the end."""

    has_ended = False

    def on_end(self) -> None:
        self.has_ended = True


async def _parse_parts(request: Request) -> FormData:
    """Read a form with files. The file of a part that never ends is in no form, so that it is closed here."""
    async with contextlib.aclosing(request.stream()) as stream:
        parser = _PartParser(request.headers, stream, max_files=FILES, max_fields=FIELDS, max_part_size=FIELD_BYTES)
        form = await parser.parse()
    if not parser.has_ended:
        for file in parser._files_to_close_on_error:
            file.close()
        raise ClientDisconnect
    return form


def _kind(content_type: str) -> str:
    return content_type.partition(";")[0].strip().lower()
