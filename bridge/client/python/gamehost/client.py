"""The client: a method for each operation of the description, and methods that take several calls."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from typing import IO, ParamSpec, TypeVar

from .address import api_url_of
from .errors import GamehostError
from .exchange import exchange, readable
from .models import Backup
from .operations import Operations
from .pages import Page, read_pages
from .send import Connection

Arguments = ParamSpec("Arguments")
Item = TypeVar("Item")

_WAIT_SECONDS_MAX = 25


class Gamehost(Operations):
    """The client of one host, with an API key or an app's access token.

    ``base_url`` is the address of the host, such as https://api.games.example, and by default the
    environment's ``GAMEHOST_URL``; ``key`` is by default its ``GAMEHOST_KEY``. ``token`` replaces
    the key: a token, or a function that returns a valid one before each attempt. A call is repeated
    ``retries`` times at most. ``timeout`` is the longest silence of the host, in seconds.
    """

    def __init__(
        self,
        *,
        base_url: str | None = None,
        key: str | None = None,
        token: str | Callable[[], str] | None = None,
        retries: int = 2,
        timeout: float = 30.0,
    ) -> None:
        known = token or key or os.environ.get("GAMEHOST_KEY")
        credential = known if callable(known) else lambda: known
        super().__init__(Connection(api_url_of(base_url), credential, retries, timeout))

    def __enter__(self) -> Gamehost:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections to the host."""
        self._connection.http.close()

    def paginate(
        self,
        method: Callable[Arguments, Page[Item]],
        *args: Arguments.args,
        **arguments: Arguments.kwargs,
    ) -> Iterator[Item]:
        """Read all items of a list: ``for ticket in gamehost.paginate(gamehost.tickets.list_my_tickets)``."""
        return read_pages(method, arguments)

    def wait_for_backup(
        self, *, server_identifier: str, backup_uuid: str, timeout: float | None = None
    ) -> Backup:
        """Return the backup once it is completed: look at its ``is_successful``."""
        limit = self._connection.timeout if timeout is None else timeout
        while True:
            # Answered when the backup is completed, or after the longest wait.
            backup = self.servers.get_server_backup(
                server_identifier=server_identifier,
                backup_uuid=backup_uuid,
                wait=_WAIT_SECONDS_MAX,
                timeout=_WAIT_SECONDS_MAX + limit,
            ).backup
            if backup.completed_at is not None:
                return backup
            # A host that is stopping answers at once.
            time.sleep(1)

    def upload_file(
        self,
        *,
        server_identifier: str,
        directory: str,
        name: str,
        data: bytes | str | IO[bytes],
        timeout: float | None = None,
    ) -> None:
        """Upload one file into a directory of a server, over a file that has its name.

        Without ``timeout``, it may take any time.
        """
        upload = self.files.create_file_upload_link(
            server_identifier=server_identifier, directory=directory, timeout=timeout
        ).upload
        files = {upload.field: (name, data)}
        response = exchange(
            self._connection.http, upload.method, upload.url, files=files, timeout=timeout
        )
        if not response.is_success:
            refusal = f"The server's machine refused {name} with status {response.status_code}"
            message = ": ".join(filter(None, [refusal, readable(response.text)]))
            raise GamehostError("upload_refused", message, response.status_code)
