"""The one error of the client: the API refused, the host did not answer, or the call is not possible."""

from __future__ import annotations

import attrs


@attrs.define(slots=False)
class GamehostError(Exception):
    """Why a call failed.

    ``status`` is the status of the response, or None without a response. ``code`` is for programs:
    a code of the API, such as ``not_found``, or ``connection_failed``, ``timeout`` or
    ``invalid_call`` of the client. Give ``request_id`` to the host's support.
    """

    code: str
    message: str
    status: int | None = None
    request_id: str | None = None
    retry_after_seconds: float | None = None

    def __str__(self) -> str:
        return self.message
