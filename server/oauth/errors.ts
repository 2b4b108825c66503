/** Error responses of the authorization server, for apps and browsers. */
import type Koa from 'koa';
import type { Brand } from '../../bridge/pages/brand.ts';
import {
  type ErrorResponse,
  type RequestContext,
  type RequestInfo,
  toErrorResponse,
} from '../../bridge/protocol.ts';
import { type ApiError, asApiError, type ErrorCode } from '../../routers/errors.ts';
import { respondNotice, wantsPage } from '../http/notice-page.ts';
import type { Log } from '../observability/log.ts';
import { isLoopbackRedirect } from './client-metadata.ts';
import { oauthPaths } from './documents.ts';

interface OAuthProblem {
  error: string;
  error_description?: string | undefined;
}

const errors: { [code in ErrorCode]?: string } = {
  rate_limited: 'temporarily_unavailable',
  overloaded: 'temporarily_unavailable',
  internal_error: 'server_error',
};

/** Formats a refusal as apps expect it from an authorization server (RFC 6749, section 5.2). */
export function formatOAuthError(failure: unknown): ErrorResponse {
  const refusal = asApiError(failure);
  const body = { error: errorOf(refusal), error_description: refusal.message };
  return { ...toErrorResponse(refusal), body };
}

/** If the database is down, the library reports an internal error. This sets the status and headers of an outage instead. */
export function respondIfOutage(ctx: Koa.Context, failure: unknown): OAuthProblem | null {
  const refusal = asApiError(failure);
  if (refusal.apiCode !== 'overloaded') return null;
  const { status, headers } = toErrorResponse(refusal);
  ctx.status = status;
  ctx.set(headers);
  return { error: errorOf(refusal), error_description: refusal.message };
}

/** Developers often ask the operator why their app was refused. */
export function logRefusal(log: Log, { id: requestId, path }: RequestInfo, why: object): void {
  // Some apps request tokens endlessly, so these refusals are not warnings.
  const level = path === oauthPaths.token ? 'info' : 'warn';
  log[level]({ requestId, path, ...why }, 'An app was refused');
}

/** The error code of a refused registration, by the field that the message begins with (RFC 7591, section 3.2.2). */
const errorsOfFields = {
  redirect_uris: 'invalid_redirect_uri',
  client_name: 'invalid_client_metadata',
  jwks: 'invalid_client_metadata',
};

function errorOf({ apiCode, message }: ApiError): string {
  const ofField = Object.entries(errorsOfFields).find(([field]) => message.startsWith(field));
  return ofField?.[1] ?? errors[apiCode] ?? 'invalid_request';
}

/**
 * Shows an error from before the user's decision instead of redirecting the browser to the app. Anyone may register an app, so
 * a link to this service could lead to any site or start any program (RFC 9700, section 4.11.2). A program that listens on the
 * user's device still gets the error.
 */
export function showErrorInsteadOfRedirect(ctx: RequestContext, brand: Brand): null {
  const location = ctx.response.get('Location');
  if (!location || location.startsWith('/') || isLoopbackRedirect(location)) return null;
  const { hash, search } = new URL(location);
  const problem = new URLSearchParams(hash.slice(1) || search);
  ctx.remove('Location');
  ctx.status = 400;
  const error = problem.get('error') ?? 'invalid_request';
  const error_description = problem.get('error_description') ?? undefined;
  respondErrorPage(ctx, { error, error_description }, brand);
  return null;
}

export function respondErrorPage(
  ctx: Koa.Context,
  { error, error_description: description = '' }: OAuthProblem,
  brand: Brand,
): void {
  if (!wantsPage(ctx)) {
    ctx.body = { error, error_description: description };
    return;
  }
  const notice = {
    title: 'The app could not be connected',
    paragraphs: [
      `The app’s request was refused: ${description || error}.`,
      'Close this page and start again in the app. If it fails again, send the text of this page to the app’s developer.',
    ],
    link: { href: '/account#apps', text: 'Your connected apps' },
    code: error,
  };
  respondNotice(ctx, notice, brand);
}
