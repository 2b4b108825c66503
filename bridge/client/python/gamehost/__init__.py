"""The client of a game-server host's API."""

from .client import Gamehost
from .errors import GamehostError
from .values import UNSET, Unset
from .webhooks import WebhookEvent, verify_webhook

__all__ = ["UNSET", "Gamehost", "GamehostError", "Unset", "WebhookEvent", "verify_webhook"]
