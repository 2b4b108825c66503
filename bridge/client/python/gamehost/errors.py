"""The one error of the client: the API refused, the host did not answer, or the call is not possible."""


class GamehostError(Exception):
    """Why a call failed.

    ``status`` is the status of the response, or None without a response. ``code`` is for programs:
    a code of the API, such as ``not_found``, or ``connection_failed``, ``timeout`` or
    ``invalid_call`` of the client. Give ``request_id`` to the host's support.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int | None = None,
        request_id: str | None = None,
        retry_after_seconds: float | None = None,
    ) -> None:
        super().__init__(code, message)  # in this order, so that it can be pickled
        self.code = code
        self.message = message
        self.status = status
        self.request_id = request_id
        self.retry_after_seconds = retry_after_seconds

    def __str__(self) -> str:
        return self.message
