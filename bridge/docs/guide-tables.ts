/** The guide's tables: each error with its status, cause and remedy; each scope with its endpoints. */
import { errorTable } from '../../routers/errors.ts';
import { scopeSentences } from '../../routers/scopes.ts';
import { errorSentences, type RestErrorCode, restErrorCodes } from '../openapi/error-codes.ts';
import { writeTable } from './markdown.ts';
import type { DocumentedOperation } from './operations.ts';

const remedies: Record<RestErrorCode, string> = {
  bad_request: 'Fix what the message names. The same request will fail again.',
  unauthorized: 'Send one complete key in one header. If it expired or was revoked, create a new one.',
  insufficient_scope: 'Use a key that has the scope. Scopes cannot be added to an existing key.',
  not_found: 'Check the path, the slug or id, and which account the key belongs to.',
  method_not_allowed: 'Use one of the methods in `Allow`.',
  conflict: 'Wait for `Retry-After` seconds and send the same request again.',
  payload_too_large: 'Send a smaller body.',
  rate_limited: 'Wait for `Retry-After` seconds, then continue. Spread calls out if it happens often.',
  internal_error: 'Retry once. If it persists, send us the `X-Request-Id`.',
  upstream_error: 'Retry, after `Retry-After` seconds if the header is present.',
  overloaded: 'Wait for `Retry-After` seconds and send the same request again.',
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

export const writeScopes = (operations: readonly DocumentedOperation[]): string =>
  writeTable(
    ['Scope', 'Grants', 'Endpoints'],
    Object.entries(scopeSentences)
      .map(([scope, sentence]) => [
        `\`${scope}\``,
        sentence,
        linksTo(operations.filter((operation) => operation['x-required-scope'] === scope)),
      ])
      .filter(([, , links]) => links !== ''),
  );

const linksTo = (operations: readonly DocumentedOperation[]) =>
  operations.map(({ method, path, anchor }) => `[\`${method} ${path}\`](#${anchor})`).join('<br>');
