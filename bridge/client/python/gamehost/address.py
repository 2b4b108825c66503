"""The address of a host's API, from an argument or the environment."""

from __future__ import annotations

import os
import re

import httpx

from .errors import GamehostError

_API_PREFIX = "/api/v1"
_LOOPBACK = re.compile(r"localhost|127(\.\d{1,3}){3}|::1")


def api_url_of(base_url: str | None) -> str:
    address = base_url or os.environ.get("GAMEHOST_URL")
    if not address:
        raise _invalid("Give base_url, the address of the host, or set GAMEHOST_URL")
    try:
        url = httpx.URL(address)
    except httpx.InvalidURL as cause:
        raise _invalid("base_url must be a URL, such as https://api.games.example") from cause
    is_loopback = _LOOPBACK.fullmatch(url.host) is not None
    if url.scheme != "https" and not (url.scheme == "http" and is_loopback):
        raise _invalid("base_url must begin with https://, except for this machine")
    path = url.path.removesuffix("/").removesuffix(_API_PREFIX)
    return f"{url.scheme}://{url.netloc.decode()}{path}{_API_PREFIX}"


def _invalid(message: str) -> GamehostError:
    return GamehostError("invalid_options", message)
