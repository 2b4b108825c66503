/** Each error of the API: its status, when it comes, and what to do about it. */
import { errorTable } from '../../routers/errors.ts';
import { errorSentences, type RestErrorCode, restErrorCodes } from '../openapi-error-codes.ts';
import { writeTable } from './markdown.ts';

const remedies: Record<RestErrorCode, string> = {
  bad_request: 'Mend what the message names. The same request will fail again.',
  unauthorized: 'Send a key, in one header, whole. Create a new one where it has expired or was revoked.',
  insufficient_scope: 'Use a key that has the scope. Scopes cannot be added to a key.',
  not_found: 'Check the path, the slug, the id, and whose key it is.',
  method_not_allowed: 'Use one of the methods in `Allow`.',
  conflict: 'Wait as long as `Retry-After` says and send the same request again.',
  payload_too_large: 'Send less.',
  rate_limited: 'Wait as long as `Retry-After` says, then go on; spread calls out where it comes often.',
  internal_error: 'Try again once. If it stays, tell us the `X-Request-Id`.',
  upstream_error: 'Try again, at the earliest after `Retry-After` where it is sent.',
  overloaded: 'Wait as long as `Retry-After` says and send the same request again.',
};

export const writeErrors = (): string =>
  writeTable(
    ['Status', 'Code', 'When', 'What to do'],
    restErrorCodes.map((code) => [
      String(errorTable[code].status),
      `\`${code}\``,
      errorSentences[code],
      remedies[code],
    ]),
  );
