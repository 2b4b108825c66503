/** Any failure as an answer: `{error: {code, message}}` and nothing more; the rest goes into headers. */
import { asApiError } from '../../routers/errors.ts';

export interface ErrorResponse {
  status: number;
  headers: Record<string, string>;
  body: object;
}

export function toErrorResponse(failure: unknown): ErrorResponse {
  const { apiCode, status, message, headers, retryAfterSeconds } = asApiError(failure);
  return {
    status,
    headers: retryAfterSeconds ? { ...headers, 'Retry-After': String(retryAfterSeconds) } : { ...headers },
    body: { error: { code: apiCode, message } },
  };
}
