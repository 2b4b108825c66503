/** The one error of the client: the API refused, the host did not answer, or the call is not possible. */

interface Details {
  /** The status of the response; null without a response. */
  status?: number | null;
  code: string;
  message: string;
  requestId?: string | null;
  retryAfterSeconds?: number | null;
  cause?: unknown;
}

export class GamehostError extends Error {
  override readonly name = 'GamehostError';
  /** The status of the HTTP response; null if there was none. */
  readonly status: number | null;
  /** For programs: a code of the API, such as `not_found`, or `connection_failed`, `timeout` or `invalid_call` of the client. */
  readonly code: string;
  /** For the host's support. Null without a response. */
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;

  constructor({ status = null, code, message, requestId = null, retryAfterSeconds = null, cause }: Details) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
