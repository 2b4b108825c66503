/** What every route of the Fastify peers declares, and whom its caller's key stands for. */
import type { FastifyRequest } from 'fastify';
import { refusals } from './refusal.ts';
import { schemas } from './schemas.ts';
import type { KeyOwner } from './store.ts';

export const options = (schema: keyof typeof schemas, operation: string, scope: string) => ({
  schema: schemas[schema],
  config: { operation, scope },
});

export function ownerOf({ owner }: FastifyRequest): KeyOwner {
  if (!owner) throw refusals.missingKey();
  return owner;
}
