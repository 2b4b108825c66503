/** `Key` is a key as it sees itself; `OwnKey`, as its owner sees it on the account page. Neither has the secret. */
import { z } from 'zod';
import type { ApiKeyRecord } from '../../models/api-key/store.ts';
import { KeyAddresses, KeyServers } from '../key-restrictions.ts';
import { type Scope, scopes } from '../scopes.ts';
import { dateTime, openEnum } from './common.ts';
import { createPick } from './pick.ts';
import { filledExactText, filledLine } from './text.ts';

const restrictions = {
  servers: z
    .array(z.string())
    .nullable()
    .describe('The only servers that the key reaches; null if it reaches all.'),
  addresses: z
    .array(z.string())
    .nullable()
    .describe('The addresses from which the key may be used; null if there is no restriction.'),
};

export const Key = z
  .object({
    name: z.string().describe('The name that its owner gave it; for an access token, the name of the app.'),
    prefix: z.string().describe('The first characters of the key, which distinguish it from others.'),
    scopes: z
      .array(openEnum('Scope', scopes).describe('A right of a key. The section Scopes explains each.'))
      .describe('The scopes that the key has now.'),
    ...restrictions,
    expires_at: dateTime.nullable().describe('When the key stops working; null if it never expires.'),
    limit: z
      .object({ calls_per_minute: z.int().describe('How many calls the key may make in a minute.') })
      .meta({ title: 'ApiKeyLimit', description: 'How much the key may be used.' }),
  })
  .meta({
    title: 'ApiKey',
    description: 'A key without its secret, or an access token of an app.',
    examples: [
      {
        name: 'Status page',
        prefix: 'gamehost_live_4fJ9',
        scopes: ['read:account'],
        servers: null,
        addresses: ['203.0.113.0/24'],
        expires_at: null,
        limit: { calls_per_minute: 120 },
      },
    ],
  });

/** `replaced`: another key was issued in its place. The old key still works until `expires_at`, if that is in the future. */
const keyStates = ['live', 'replaced', 'expired', 'revoked'] as const;

export const OwnKey = z.object({
  id: z.string(),
  name: z.string(),
  prefix: z.string(),
  scopes: z.array(z.string()),
  ...restrictions,
  state: z.enum(keyStates),
  created_at: dateTime,
  expires_at: dateTime.nullable(),
  last_used_at: dateTime.nullable().describe('Accurate to the minute.'),
  revoked_at: dateTime.nullable(),
  is_leaked: z.boolean().describe('Whether it was revoked because it was reported as leaked.'),
});

const KeyName = filledLine(100).trim();

export const KeyCreateRequest = z.strictObject({
  name: KeyName,
  /** The procedure checks the scopes, because it knows which ones the service offers. */
  scopes: z.array(filledExactText(100)).min(1).max(100),
  servers: KeyServers.nullable().default(null),
  addresses: KeyAddresses.nullable().default(null),
  expires_at: z.iso.datetime({ offset: true }).nullable().default(null),
});

const overlapHours = [0, 1, 24] as const;

export const KeyRotateRequest = z.strictObject({
  id: z.string(),
  overlap_hours: z.literal(overlapHours).describe('How long the old key still works.'),
});

/** Nothing else of a key can change. */
export const KeyRenameRequest = z.strictObject({ id: z.string().max(100), name: KeyName });

const pickOwnKey = createPick(OwnKey);

export const presentOwnKey = (
  key: ApiKeyRecord,
  now: Date,
  offered: readonly Scope[],
): z.infer<typeof OwnKey> => ({
  ...pickOwnKey(key),
  scopes: key.scopes.filter((held) => offered.some((scope) => scope === held)),
  servers: key.servers ?? null,
  addresses: key.addresses ?? null,
  state: stateOf(key, now),
  is_leaked: key.revokedReason === 'leaked',
});

function stateOf({ revokedAt, expiresAt, replacedBy }: ApiKeyRecord, now: Date): (typeof keyStates)[number] {
  if (revokedAt) return 'revoked';
  if (replacedBy) return 'replaced';
  return expiresAt && expiresAt <= now ? 'expired' : 'live';
}
