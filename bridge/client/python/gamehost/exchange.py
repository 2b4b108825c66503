"""One request and its response: each failure of the connection is a GamehostError."""

from __future__ import annotations

from typing import Any
from unicodedata import category

import httpx

from .errors import GamehostError

_TEXT_LENGTH_MAX = 500
# More than the API ever answers.
_BYTES_MAX = 64 * 1024 * 1024


def exchange(http: httpx.Client, method: str, url: str, **request: Any) -> httpx.Response:
    host = httpx.URL(url).netloc.decode()
    try:
        # A redirection could lead to another host, which must not get the credential.
        with http.stream(method, url, follow_redirects=False, **request) as response:
            return _read_bounded(response)
    except httpx.TimeoutException as cause:
        raise GamehostError("timeout", f"{host} did not answer in time") from cause
    except httpx.RequestError as cause:
        raise GamehostError("connection_failed", f"{host} could not be reached") from cause


def _read_bounded(response: httpx.Response) -> httpx.Response:
    content = bytearray()
    for part in response.iter_bytes():
        content += part
        if len(content) > _BYTES_MAX:
            raise httpx.ReadError("the response is too long")
    headers = response.headers.copy()
    headers.pop("Content-Encoding", None)  # the content is decoded
    return httpx.Response(
        response.status_code, headers=headers, content=bytes(content), request=response.request
    )


def readable(text: str) -> str:
    """Shorten a text from elsewhere for a message, without characters that a terminal would obey."""
    characters = text[:_TEXT_LENGTH_MAX]
    return "".join(" " if category(one) in ("Cc", "Cf") else one for one in characters).strip()
