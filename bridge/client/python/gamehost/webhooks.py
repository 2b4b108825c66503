"""Verifies the events that the host sends to a webhook, as Standard Webhooks 1.0 describes."""

from __future__ import annotations

import base64
import hmac
import json
import time
from collections.abc import Mapping
from typing import Any, TypedDict

from .errors import GamehostError

_TOLERANCE_SECONDS = 300


class WebhookEvent(TypedDict):
    """An event: ``type`` decides what ``data`` holds."""

    type: str
    timestamp: str
    data: dict[str, Any]


def verify_webhook(secret: str, headers: Mapping[str, str], body: bytes | str) -> WebhookEvent:
    """Return the event if the host signed it with the webhook's secret in the last five minutes.

    Give the body exactly as received. Raises GamehostError with the code ``invalid_webhook``; then
    answer with 400.
    """
    sent = {name.lower(): value for name, value in headers.items()}
    content = body.encode() if isinstance(body, str) else body
    try:
        timestamp, event_id = sent["webhook-timestamp"], sent["webhook-id"]
        signed = f"{event_id}.{timestamp}.".encode() + content
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
        if not key:
            raise ValueError("the secret is empty")
        expected = b"v1," + base64.b64encode(hmac.digest(key, signed, "sha256"))
        signatures = sent["webhook-signature"].encode().split()
        if not any(hmac.compare_digest(expected, signature) for signature in signatures):
            raise ValueError("no signature matches")
        if abs(time.time() - int(timestamp)) > _TOLERANCE_SECONDS:
            raise ValueError("it was signed more than five minutes ago, or a clock is wrong")
        event: WebhookEvent = json.loads(content)
        return event
    except KeyError as cause:
        message = f"The event is not valid: it has no {cause.args[0]}"
        raise GamehostError("invalid_webhook", message) from cause
    except ValueError as cause:
        raise GamehostError("invalid_webhook", f"The event is not valid: {cause}") from cause
