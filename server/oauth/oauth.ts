/**
 * The authorization server: apps and agents sign their users in by themselves (OAuth 2.1), and receive tokens instead of
 * keys. It is on where PUBLIC_URL is an origin. The account page asks the user; the library does the rest.
 */
import type { Provider } from 'oidc-provider';
import type { Middleware } from '../../bridge/http/request-state.ts';
import type { Models } from '../../models/index.ts';
import { lazy } from '../../routers/lazy.ts';
import type { Clock } from '../../routers/ports.ts';
import { grantableScopes, type Scope } from '../../routers/scopes.ts';
import { at, compose, mount } from '../http/mount.ts';
import type { Log } from '../observability/log.ts';
import type { SharedRedis } from '../redis.ts';
import { createAcceptRequest } from './accept-request.ts';
import { createChallenge } from './challenge.ts';
import { allowAnyOrigin } from './cors.ts';
import { createDocuments, createServeDocuments } from './documents.ts';
import type { Fetch } from './fetch-document.ts';
import { holdErrors } from './hold-errors.ts';
import { issuerOf } from './issuer.ts';
import { createLimitAddress } from './limit-address.ts';
import { oauthPaths, resumedRequestId } from './paths.ts';
import { loadProvider } from './provider.ts';
import { createRequireDecider } from './require-decider.ts';
import { pinOrigin } from './rewrite-request.ts';

interface OAuthParts {
  models: Models;
  clock: Clock;
  log: Log;
  shared: SharedRedis | null;
  publicUrl: string | undefined;
  offeredScopes: readonly Scope[];
  /** In place of fetching from public addresses. */
  fetchDocument: Fetch | null;
}

export interface OAuth {
  matches: (path: string) => boolean;
  middleware: Middleware;
  challenge: Middleware;
}

/** Null where it is off. */
export function createOAuth({ publicUrl, offeredScopes, shared, ...parts }: OAuthParts): OAuth | null {
  const issuer = issuerOf(publicUrl);
  if (issuer === null) return null;
  const scopes = grantableScopes(offeredScopes);
  const documents = createDocuments(issuer);
  const library = createLibrary(
    issuer,
    lazy(() => loadProvider({ ...parts, issuer, scopes })),
  );
  const accept = createAcceptRequest(issuer, scopes);
  const limit = createLimitAddress(shared);
  const { authorize, token, register, revoke } = oauthPaths;
  const isResumed = (path: string) => resumedRequestId(path) !== null;
  return {
    challenge: createChallenge(issuer),
    matches: (path) =>
      documents.has(path) || isResumed(path) || Object.values(oauthPaths).some((each) => each === path),
    middleware: mount(
      [(path) => documents.has(path), allowAnyOrigin, createServeDocuments(documents)],
      [at(authorize), limit.authorize, accept.authorization, holdErrors, library],
      [isResumed, limit.resume, createRequireDecider({ ...parts, issuer }), library],
      [at(token), allowAnyOrigin, limit.token, accept.token, library],
      [at(revoke), allowAnyOrigin, limit.token, accept.form, library],
      [at(register), allowAnyOrigin, limit.register, accept.registration, library],
    ),
  };
}

const createLibrary = (issuer: string, load: () => Promise<Provider>): Middleware =>
  async function library(ctx, next) {
    const provider = await load();
    pinOrigin(ctx, issuer);
    // Where an app sends an API key with every request, it is not meant for this.
    if (/^bearer /i.test(ctx.req.headers.authorization ?? '')) delete ctx.req.headers.authorization;
    return compose(...(provider.middleware as Middleware[]))(ctx, next);
  };
