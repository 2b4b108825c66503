"""Decides where the client sends its calls and with which credential, from its arguments or the environment."""

from __future__ import annotations

import os
import re
from collections.abc import Callable

import httpx

from .errors import GamehostError
from .send import Connection

_API_PREFIX = "/api/v1"
_LOOPBACK = re.compile(r"localhost|127(\.\d{1,3}){3}|::1")


def connect_to(
    base_url: str | None,
    credential: str | Callable[[], str] | None,
    *,
    retries: int,
    timeout: float,
) -> Connection:
    api_url = _api_url_of(base_url or os.environ.get("GAMEHOST_URL"))
    known = credential or os.environ.get("GAMEHOST_KEY")
    return Connection(api_url, known if callable(known) else lambda: known, retries, timeout)


def _api_url_of(base_url: str | None) -> str:
    if not base_url:
        raise _invalid("Give base_url, the address of the host, or set GAMEHOST_URL")
    try:
        url = httpx.URL(base_url)
    except httpx.InvalidURL as cause:
        raise _invalid("base_url must be a URL, such as https://api.games.example") from cause
    is_loopback = _LOOPBACK.fullmatch(url.host) is not None
    if url.scheme != "https" and not (url.scheme == "http" and is_loopback):
        raise _invalid("base_url must begin with https://, except for this machine")
    path = url.path.removesuffix("/")
    prefix = "" if path.endswith(_API_PREFIX) else _API_PREFIX
    return f"{url.scheme}://{url.netloc.decode()}{path}{prefix}"


def _invalid(message: str) -> GamehostError:
    return GamehostError("invalid_options", message)
