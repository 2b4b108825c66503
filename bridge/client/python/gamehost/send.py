"""Sends one call with its credential, and repeats it where that is safe."""

from __future__ import annotations

import itertools
import json
import math
import random
import re
import time
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar
from urllib.parse import quote

import attrs
import httpx

from .errors import GamehostError
from .exchange import exchange, readable
from .values import given, read, write

Output = TypeVar("Output")
OnResponse = Callable[[httpx.Response], object]

_HEADER_VALUE = re.compile(r"[ -~]*")
_RETRY_AFTER_SECONDS_MAX = 60
_BACKOFF_SECONDS = 0.5
_BACKOFF_SECONDS_MAX = 8.0


@attrs.frozen
class Request:
    """The arguments of one call, each in its place. ``path`` has ``{name}`` for each of ``fields``."""

    method: str
    path: str
    fields: dict[str, Any] = attrs.field(factory=dict)
    query: dict[str, Any] = attrs.field(factory=dict)
    headers: dict[str, Any] = attrs.field(factory=dict)
    body: dict[str, Any] = attrs.field(factory=dict)

    @property
    def is_idempotent(self) -> bool:
        """The description gives it an Idempotency-Key, so that a repetition does nothing twice."""
        return "Idempotency-Key" in self.headers

    def path_with_fields(self) -> str:
        path = self.path
        for name, value in self.fields.items():
            # An empty segment or one of dots would lead to another operation.
            if re.fullmatch(r"\.{0,2}", str(value)):
                raise GamehostError("invalid_call", f"{self.method} {self.path} needs {name}")
            path = path.replace(f"{{{name}}}", quote(str(value), safe=""))
        return path


def _open_http() -> httpx.Client:
    # A proxy of the environment would get the credential of a host on this machine over plain HTTP.
    return httpx.Client(mounts={"http://": None})


@attrs.frozen
class Connection:
    """Where calls go, and how. ``api_url`` has the path prefix, and no slash at its end."""

    api_url: str
    credential: Callable[[], str | None]
    retries: int
    timeout: float
    http: httpx.Client = attrs.field(factory=_open_http)

    def send(
        self,
        request: Request,
        output: type[Output],
        timeout: float | None,
        on_response: OnResponse | None,
    ) -> Output:
        for attempt in itertools.count():
            try:
                response = self._attempt_once(request, timeout)
                answer = _read_output(response, output)
                break
            except GamehostError as failure:
                if attempt >= self.retries or not _is_safe_to_repeat(request, failure):
                    raise
                wait = failure.retry_after_seconds
                time.sleep(_backoff_seconds(attempt) if wait is None else wait)
        if on_response:
            on_response(response)
        return answer

    def _attempt_once(self, request: Request, timeout: float | None) -> httpx.Response:
        credential = self.credential()
        body = given(request.body)
        headers = {
            "Accept": "application/json",
            **({"Content-Type": "application/json"} if body else {}),
            **given(request.headers),
            **({"Authorization": f"Bearer {credential.strip()}"} if credential else {}),
        }
        if not all(_HEADER_VALUE.fullmatch(value) for value in headers.values()):
            # Without a cause, which would name the credential.
            names = "The key, the token, idempotency_key or if_match"
            raise GamehostError("invalid_call", f"{names} has characters that no header can have")
        return exchange(
            self.http,
            request.method,
            self.api_url + request.path_with_fields(),
            params=given(request.query),
            content=json.dumps(body, default=write) if body else None,
            headers=headers,
            timeout=self.timeout if timeout is None else timeout,
        )


def _read_output(response: httpx.Response, output: type[Output]) -> Output:
    try:
        if response.is_success:
            parsed: Output = read(output, response.json())
            return parsed
        error = response.json()["error"]
        code, message = readable(error["code"]), readable(error["message"])
    except (ValueError, LookupError, TypeError, RecursionError):
        code, message = "unexpected_response", _describe_unexpected(response)
    retry_after_seconds = _seconds_until(response.headers.get("Retry-After"))
    request_id = response.headers.get("X-Request-Id")
    raise GamehostError(code, message, response.status_code, request_id, retry_after_seconds)


def _describe_unexpected(response: httpx.Response) -> str:
    event = (
        "redirects to another address, which is not followed"
        if response.is_redirect
        else f"answered with status {response.status_code}, but not as this API"
    )
    advice = (
        "Try again later." if response.is_server_error else "Is this the address of the API?"
    )
    return f"{response.url.netloc.decode()} {event}. {advice}"


def _seconds_until(retry_after: str | None) -> float | None:
    """Retry-After has seconds, or a date."""
    if retry_after and re.fullmatch("[0-9]+", retry_after):
        return float(retry_after)
    try:
        date = parsedate_to_datetime(retry_after or "")
        return max(0, math.ceil(date.timestamp() - time.time()))
    except (ValueError, TypeError, OverflowError):
        return None


def _is_safe_to_repeat(request: Request, failure: GamehostError) -> bool:
    if (failure.retry_after_seconds or 0) > _RETRY_AFTER_SECONDS_MAX:
        return False
    # The API asks for it, so that even a write without an Idempotency-Key is repeated.
    if failure.status in (429, 503):
        return True
    # An earlier attempt with this Idempotency-Key may still be in progress.
    if failure.status == 409:
        return request.is_idempotent and failure.retry_after_seconds is not None
    may_have_happened = failure.status == 502 or failure.code in ("connection_failed", "timeout")
    return may_have_happened and (request.method == "GET" or request.is_idempotent)


def _backoff_seconds(attempt: int) -> float:
    longest = min(_BACKOFF_SECONDS * 2.0**attempt, _BACKOFF_SECONDS_MAX)
    return random.uniform(longest / 2, longest)
