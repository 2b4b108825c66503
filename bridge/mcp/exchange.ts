/** Hears a whole POST: one message, or the batch that 2025-03-26, and no other version, lets a client send. */
import { classifyInboundRequest, INVALID_REQUEST } from '@modelcontextprotocol/server';
import type { Hear } from './hear.ts';
import { type Heard, type Part, refused } from './heard.ts';
import type { StandardHeaders } from './standard-headers.ts';

export interface Exchange {
  status: number;
  parts: Part[];
  isBatch: boolean;
}

const batchMessagesMax = 50;

export function hearAll(hear: Hear, body: unknown, headers: StandardHeaders): Exchange {
  if (!Array.isArray(body)) return alone(hear(body, headers));
  if (body.length > batchMessagesMax)
    return alone(refused(400, null, { code: INVALID_REQUEST, message: tooManyMessages }));
  const outcome = classifyInboundRequest({ httpMethod: 'POST', body });
  if (outcome.kind === 'reject') return alone(refused(outcome.httpStatus, null, outcome));
  // The version's header came after batches had gone.
  return { status: 200, parts: body.map((message) => hear(message, {}).part), isBatch: true };
}

const alone = ({ status, part }: Heard): Exchange => ({ status, parts: [part], isBatch: false });

const tooManyMessages = `A batch holds at most ${batchMessagesMax} messages`;
