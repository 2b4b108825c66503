/**
 * Hears a message in either era: the ladder of refusals is the protocol's own (`classifyInboundRequest`), and what
 * gets to its end is answered.
 */
import {
  classifyInboundRequest,
  INVALID_PARAMS,
  type InboundLegacyRoute,
  type InboundModernRoute,
  type JSONRPCRequest,
  UnsupportedProtocolVersionError,
} from '@modelcontextprotocol/server';
import type { Row } from '../catalogue.ts';
import { type Answer, createAnswers } from './answers.ts';
import { createInitializeResult, legacyVersions, modernVersion } from './eras.ts';
import { type Heard, nothingToSay, refused } from './heard.ts';
import { idOf, type MessageId, resultReply } from './json-rpc.ts';
import { isPlainRequest } from './plain-request.ts';
import { findHeaderProblem, type StandardHeaders } from './standard-headers.ts';

export type Hear = (message: unknown, headers: StandardHeaders) => Heard;

export function createHear(rows: readonly Row[]): Hear {
  const answers = createAnswers(rows);
  return function hear(message, headers) {
    if (isPlainRequest(message, headers)) return answers.legacy(message);
    const outcome = classifyInboundRequest({ httpMethod: 'POST', ...headers, body: message });
    if (outcome.kind === 'reject') return refused(outcome.httpStatus, idOf(message), outcome);
    return outcome.kind === 'modern'
      ? hearModern(outcome, headers, answers.modern)
      : hearLegacy(outcome, message as JSONRPCRequest, answers.legacy); // the classification proved what is read of it
  };
}

function hearModern(route: InboundModernRoute, headers: StandardHeaders, answer: Answer): Heard {
  const { message, classification } = route;
  if (classification.revision !== modernVersion)
    return unsupported([modernVersion], classification.revision ?? 'unknown', message);
  if (route.messageKind === 'notification') return nothingToSay;
  const problem = findHeaderProblem(headers, route);
  return problem ? refused(400, route.message.id, problem) : answer(route.message);
}

function hearLegacy(route: InboundLegacyRoute, message: JSONRPCRequest, answer: Answer): Heard {
  const { reason, requestedVersion } = route;
  if (reason === 'initialize') return initialize(message.id, requestedVersion);
  if (requestedVersion !== undefined && !legacyVersions.includes(requestedVersion))
    return unsupported(legacyVersions, requestedVersion, message);
  return reason === 'no-claim' ? answer(message) : nothingToSay;
}

const initialize = (id: MessageId, requested: string | undefined): Heard =>
  requested === undefined
    ? refused(200, id, { code: INVALID_PARAMS, message: 'initialize needs a protocolVersion' })
    : { status: 200, part: resultReply(id, createInitializeResult(requested)) };

const unsupported = (supported: readonly string[], requested: string, message: unknown): Heard =>
  refused(400, idOf(message), new UnsupportedProtocolVersionError({ supported: [...supported], requested }));
