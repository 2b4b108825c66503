/** A refusal of ours as apps read it (RFC 6749, section 5.2), at the authorization server's own paths. */
import { toErrorResponse } from '../../bridge/http/error-response.ts';
import type { SelectedProtocol } from '../../bridge/http/request-state.ts';
import { type ApiError, asApiError, type ErrorCode } from '../../routers/errors.ts';

const errors: { [code in ErrorCode]?: string } = {
  rate_limited: 'temporarily_unavailable',
  overloaded: 'temporarily_unavailable',
  internal_error: 'server_error',
};

export const oauthProtocol: SelectedProtocol = {
  name: 'oauth',
  formatError(failure) {
    const refusal = asApiError(failure);
    const body = { error: errorOf(refusal), error_description: refusal.message };
    return { ...toErrorResponse(refusal), body };
  },
};

const errorOf = ({ apiCode, message }: ApiError) =>
  message.startsWith('redirect_uris') ? 'invalid_redirect_uri' : (errors[apiCode] ?? 'invalid_request');
