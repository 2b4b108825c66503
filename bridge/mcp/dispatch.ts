/**
 * Dispatches a message of either generation. The order of refusals is the protocol's own (`classifyInboundRequest`); what
 * passes them is handled.
 */
import {
  classifyInboundRequest,
  INVALID_PARAMS,
  type InboundLegacyRoute,
  type InboundModernRoute,
  type JSONRPCRequest,
  UnsupportedProtocolVersionError,
} from '@modelcontextprotocol/server';
import { isAdminScope, type Scope, scopes } from '../../routers/scopes.ts';
import type { Operation } from '../operations.ts';
import { type DispatchResult, errorResult, idOf, type MessageId, noReply, resultReply } from './json-rpc.ts';
import { createMethodHandlers, type HandleRequest } from './method-handlers.ts';
import { isPlainRequest } from './plain-request.ts';
import { createInitializeResult, legacyVersions, modernVersion } from './protocol-versions.ts';
import { findHeaderProblem, type StandardHeaders } from './standard-headers.ts';

export type Dispatch = (message: unknown, headers: StandardHeaders) => DispatchResult;

/**
 * A dispatch for the scopes of a key: tools for administrators are listed only for keys that hold the scope.
 * Each is built once for a set of such scopes, of which there are few.
 */
export function createDispatchByScopes(operations: readonly Operation[]) {
  const dispatches = new Map<string, Dispatch>();
  return (held: readonly Scope[]): Dispatch => {
    const adminScopes = scopes.filter((scope) => isAdminScope(scope) && held.includes(scope));
    const name = adminScopes.join();
    const isListed = ({ scope }: Operation) =>
      scope === null || !isAdminScope(scope) || adminScopes.some((each) => each === scope);
    const dispatch = dispatches.get(name) ?? createDispatch(createMethodHandlers(operations, isListed));
    dispatches.set(name, dispatch);
    return dispatch;
  };
}

function createDispatch(handlers: ReturnType<typeof createMethodHandlers>): Dispatch {
  return function dispatch(message, headers) {
    if (isPlainRequest(message, headers)) return handlers.legacy(message);
    const outcome = classifyInboundRequest({ httpMethod: 'POST', ...headers, body: message });
    if (outcome.kind === 'reject') return errorResult(outcome.httpStatus, idOf(message), outcome);
    return outcome.kind === 'modern'
      ? dispatchModern(outcome, headers, handlers.modern)
      : dispatchLegacy(outcome, message as JSONRPCRequest, handlers.legacy); // the classification checked what is read of it
  };
}

function dispatchModern(
  route: InboundModernRoute,
  headers: StandardHeaders,
  handle: HandleRequest,
): DispatchResult {
  const { message, classification } = route;
  if (classification.revision !== modernVersion)
    return unsupported([modernVersion], classification.revision ?? 'unknown', message);
  if (route.messageKind === 'notification') return noReply;
  const problem = findHeaderProblem(headers, route);
  return problem ? errorResult(400, route.message.id, problem) : handle(route.message);
}

function dispatchLegacy(
  route: InboundLegacyRoute,
  message: JSONRPCRequest,
  handle: HandleRequest,
): DispatchResult {
  const { reason, requestedVersion } = route;
  if (reason === 'initialize') return initialize(message.id, requestedVersion);
  if (requestedVersion !== undefined && !legacyVersions.includes(requestedVersion))
    return unsupported(legacyVersions, requestedVersion, message);
  return reason === 'no-claim' ? handle(message) : noReply;
}

const initialize = (id: MessageId, requested: string | undefined): DispatchResult =>
  requested === undefined
    ? errorResult(200, id, { code: INVALID_PARAMS, message: 'initialize needs a protocolVersion' })
    : { status: 200, part: resultReply(id, createInitializeResult(requested)) };

const unsupported = (supported: readonly string[], requested: string, message: unknown): DispatchResult =>
  errorResult(
    400,
    idOf(message),
    new UnsupportedProtocolVersionError({ supported: [...supported], requested }),
  );
