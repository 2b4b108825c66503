/** Turns the requests of apps into what the authorization server's library accepts, and refuses what it would let pass. */
import { parse as parseForm, stringify as stringifyForm } from 'node:querystring';
import { isJsonObject, readJson, visitorBodyBytesMax } from '../../bridge/http/json-body.ts';
import type { Middleware, RequestContext } from '../../bridge/http/request-state.ts';
import { badRequest } from '../../routers/errors.ts';
import { acceptAuthorization, acceptTokenRequest } from './authorization-params.ts';
import { acceptMetadata } from './client-metadata.ts';
import { resourcesOf } from './issuer.ts';
import { replaceBody } from './rewrite-request.ts';

export function createAcceptRequest(issuer: string, scopes: readonly string[]) {
  const known = { resource: issuer, resources: resourcesOf(issuer), scopes };
  const authorization: Middleware = function acceptQuery(ctx, next) {
    ctx.query = withoutGaps(acceptAuthorization(ctx.query, known));
    return next();
  };
  const token: Middleware = async function acceptTokenForm(ctx, next) {
    if (ctx.state.method === 'POST')
      replaceBody(ctx, stringifyForm(withoutGaps(acceptTokenRequest(await readForm(ctx), known))));
    return next();
  };
  const form: Middleware = async function acceptForm(ctx, next) {
    if (ctx.state.method === 'POST') replaceBody(ctx, stringifyForm(await readForm(ctx)));
    return next();
  };
  const registration: Middleware = async function acceptRegistration(ctx, next) {
    if (ctx.state.method !== 'POST') return next();
    const body = await readJson(ctx, visitorBodyBytesMax);
    if (!isJsonObject(body)) throw badRequest('The body must be a JSON object');
    replaceBody(ctx, JSON.stringify(acceptMetadata(body)));
    return next();
  };
  return { authorization, token, form, registration };
}

async function readForm(ctx: RequestContext) {
  if (!ctx.is('application/x-www-form-urlencoded'))
    throw badRequest('Content-Type must be application/x-www-form-urlencoded');
  return parseForm((await ctx.state.receiveBody(ctx, visitorBodyBytesMax)).toString());
}

type Params = Record<string, string | string[] | undefined>;

const withoutGaps = (params: Params): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(params).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
