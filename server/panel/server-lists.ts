/** The list of each user's servers, from the application API. It alone decides who owns a server. */

import { z } from 'zod';
import type { ListPurpose, PanelAllocation, PanelServer, PanelServerList } from '../../routers/panel-port.ts';
import { cleanSingleLine, cleanText } from '../../routers/schemas/text.ts';
import { Email } from '../../routers/schemas/user.ts';
import { conditionTtlMs } from './changes.ts';
import { isNotFound } from './diagnose.ts';
import { PanelFailure } from './failures.ts';
import { pathSegment } from './http-client.ts';
import { type PanelApiClient, panelTime, parseResponse } from './panel-api.ts';
import { createCachedReads, liveTtlMs, type ReadPolicy, tooManyCallsKinds } from './reads.ts';
import { answerWithin } from './server-api.ts';
import type { PanelSettings } from './settings.ts';

/** How old a list may be if it only decides whether a caller may read about a server. */
const ownershipTtlMs = 60_000;

export function createServerLists(api: PanelApiClient, settings: PanelSettings) {
  const { listTtlMs: freshMs, readTotalMs } = settings;
  const policies: Record<ListPurpose, ReadPolicy> = {
    action: { freshMs, mayUseReserve: true },
    list: { freshMs },
    detail: { freshMs: liveTtlMs },
    ownership: { freshMs: ownershipTtlMs },
  };
  const warnOfMissing = createWarning(settings);
  const lists = createCachedReads<number, PanelServerList>({
    api,
    // Calls to a hanging node may hold all places of a customer, who still sees a stale list.
    staleOn: [...tooManyCallsKinds, 'busy'],
    clock: settings.clock,
    entriesMax: settings.listsMax,
    async load(userId, requestId) {
      await settings.panelAddress.firstCheck;
      const path = `api/application/users/${userId}?include=servers.allocations`;
      const found = await api.send({ path, requestId, customerId: userId }, (response) =>
        isNotFound(response) ? noUser : toList(parseResponse(UserWithServers, response), userId, settings),
      );
      settings.evidence.setServerCount(userId, found.servers.length);
      if (found === noUser) await warnOfMissing(userId);
      return found;
    },
  });
  function policyFor(userId: number, purpose: ListPurpose): ReadPolicy {
    const policy = policies[purpose];
    if (purpose !== 'detail') return policy;
    const known = lists.known(userId, policy.freshMs)?.servers;
    const isInProgress = known?.some(({ status }) => status !== null && temporaryStatuses.includes(status));
    return isInProgress ? { ...policy, freshMs: conditionTtlMs } : policy;
  }
  return {
    list: (userId: number, requestId: string, purpose: ListPurpose = 'list') =>
      answerWithin(readTotalMs, lists.get(userId, requestId, policyFor(userId, purpose)), 'timedOut'),
    drop: (userId: number) => lists.drop(userId),
  };
}

const temporaryStatuses: readonly string[] = ['restoring_backup', 'installing'];

const warningsMax = 1_000;

/** Warns once per panel user, and about no more users than a host can look into. */
function createWarning({ log, findLinked }: Pick<PanelSettings, 'log' | 'findLinked'>) {
  const warned = new Set<number>();
  return async (userId: number) => {
    if (warned.has(userId) || warned.size === warningsMax) return;
    warned.add(userId);
    const linked = await findLinked?.(userId).catch(() => null);
    const who = linked ? `our user ${linked._id}, who is linked to it,` : 'the user linked to it here';
    log.warn(
      { panelUserId: userId, ...(linked && { userId: linked._id }) },
      `The panel has no user ${userId} any more: ${who} has no servers until you link them to another panel user`,
    );
  };
}

const amount = z.number().nullable().catch(null);
const time = panelTime.nullable().catch(null);

/** The panel sends this in place of a resource that our key lacks permission to read. */
const NullResource = z.object({ object: z.literal('null_resource') });

const Allocations = z.object({
  data: z.array(
    z.object({
      attributes: z.object({
        id: z.int(),
        ip: z.string(),
        // An alias that an operator has cleared may be an empty text.
        alias: z
          .string()
          .transform((text) => cleanSingleLine(text).trim() || null)
          .nullable()
          .catch(null),
        port: z.int(),
      }),
    }),
  ),
});

/** The container's environment contains secrets, so it is not read. */
const Container = z
  .object({ image: z.string().catch(''), startup_command: z.string().catch('') })
  .catch({ image: '', startup_command: '' });

const ServerAttributes = z.object({
  id: z.int(),
  uuid: z.string().min(1),
  identifier: z.string().min(1),
  name: z.string().overwrite(cleanSingleLine),
  description: z.string().overwrite(cleanText).catch(''),
  status: z.string().nullable().catch(null),
  suspended: z.boolean().optional(),
  limits: z.object({
    memory: amount,
    swap: amount,
    disk: amount,
    io: amount,
    cpu: amount,
    threads: z.string().nullable().catch(null),
    oom_disabled: z.boolean().nullable().catch(null),
  }),
  feature_limits: z.object({ databases: amount, allocations: amount, backups: amount }),
  node: z.int().nullable().catch(null),
  nest: z.unknown().optional(),
  allocation: z.int().nullable().catch(null),
  container: Container,
  relationships: z
    .object({ allocations: z.union([NullResource, Allocations]) })
    .optional()
    .catch(undefined),
  created_at: time,
  updated_at: time,
});

const noUser: PanelServerList = deepFreeze({ owner: null, servers: [] });

const UserWithServers = z.object({
  attributes: z.object({
    external_id: z.string().nullable().catch(null),
    email: Email.catch(''),
    relationships: z.object({
      servers: z.union([
        NullResource,
        z.object({ data: z.array(z.object({ attributes: ServerAttributes })) }),
      ]),
    }),
  }),
});

/** Passes on only known fields, because a server's environment holds secrets. */
function toList(
  { attributes: { external_id: externalId, email, relationships } }: z.infer<typeof UserWithServers>,
  ownerId: number,
  { log, panelAddress, kind }: PanelSettings,
): PanelServerList {
  const { servers } = relationships;
  if ('object' in servers) throw new PanelFailure('credentials', { reason: 'the key may not read servers' });
  if (servers.data.some(({ attributes }) => attributes.relationships && !allocationsOf(attributes)))
    log.error(
      {},
      'The panel refused allocations to our application key: servers are shown without addresses',
    );
  return deepFreeze({
    owner: { externalId, email },
    servers: servers.data.map(({ attributes }) => {
      const segment = pathSegment(attributes.identifier);
      const panelUrl = segment && `${panelAddress.forBrowsers()}/server/${segment}`;
      return { ...toPanelServer(attributes), kind, ownerId, panelUrl };
    }),
  });
}

type ServerAttributes = z.infer<typeof ServerAttributes>;

function allocationsOf({ relationships, allocation }: ServerAttributes): PanelAllocation[] | undefined {
  if (!relationships || 'object' in relationships.allocations) return undefined;
  return relationships.allocations.data.map(({ attributes: { id, ...address } }) => ({
    ...address,
    isDefault: id === allocation,
  }));
}

const suggestsMinecraft = ({ image, startup_command }: z.infer<typeof Container>) =>
  /java|jdk|temurin|minecraft/i.test(`${image} ${startup_command}`);

/** Arguments may hold passwords, so they are not kept. */
const programOf = ({ image, startup_command }: z.infer<typeof Container>) =>
  `${image} ${startup_command.trim().split(/\s/, 1)[0]}`.slice(0, 200);

function toPanelServer(server: ServerAttributes): Omit<PanelServer, 'kind' | 'ownerId' | 'panelUrl'> {
  const { oom_disabled, ...limits } = server.limits;
  return {
    id: server.id,
    uuid: server.uuid,
    identifier: server.identifier,
    nodeId: server.node,
    // A server without a nest is on Pelican.
    acceptsCommandsWhenOff: server.nest === undefined,
    suggestsMinecraft: suggestsMinecraft(server.container),
    program: programOf(server.container),
    name: server.name,
    description: server.description,
    status: server.status,
    isSuspended: server.suspended ?? server.status === 'suspended',
    limits: { ...limits, oomDisabled: oom_disabled },
    featureLimits: server.feature_limits,
    createdAt: server.created_at,
    updatedAt: server.updated_at,
    allocations: allocationsOf(server) ?? [],
  };
}

function deepFreeze<Value extends object>(value: Value): Value {
  for (const part of Object.values(value)) if (part instanceof Object) deepFreeze(part);
  Object.freeze(value);
  return value;
}
