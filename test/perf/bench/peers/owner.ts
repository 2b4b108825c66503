/** Whose key a request of the Fastify peers came with. */
import type { FastifyRequest } from 'fastify';
import { refusals } from './common.ts';
import type { KeyOwner } from './store.ts';

export function ownerOf({ owner }: FastifyRequest): KeyOwner {
  if (!owner) throw refusals.missingKey();
  return owner;
}
