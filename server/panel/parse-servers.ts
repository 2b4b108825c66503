/**
 * Parses the panel's server lists. Only the contract's fields pass: a server's environment holds secrets.
 * Fields the panel may omit or change fall back to null; those that identify a server are required.
 */
import { z } from 'zod';
import type { PanelAllocation, PanelServer } from '../../routers/panel-port.ts';
import { PanelFailure } from './failures.ts';
import { pathSegment } from './http-client.ts';
import type { PanelSettings } from './options.ts';

const amount = z.number().nullable().catch(null);
const time = z.string().nullable().catch(null);

/** Stands where our key lacks the permission to read. */
const NullResource = z.object({ object: z.literal('null_resource') });

const Allocations = z.object({
  data: z.array(
    z.object({
      attributes: z.object({
        id: z.int(),
        ip: z.string(),
        alias: z.string().nullable().catch(null),
        port: z.int(),
      }),
    }),
  ),
});

const ServerAttributes = z.object({
  id: z.int(),
  uuid: z.string().min(1),
  identifier: z.string().min(1),
  name: z.string(),
  description: z.string().catch(''),
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
  allocation: z.int().nullable().catch(null),
  relationships: z
    .object({ allocations: z.union([NullResource, Allocations]) })
    .optional()
    .catch(undefined),
  created_at: time,
  updated_at: time,
});

const UserWithServers = z.object({
  attributes: z.object({
    relationships: z.object({
      servers: z.union([
        NullResource,
        z.object({ data: z.array(z.object({ attributes: ServerAttributes })) }),
      ]),
    }),
  }),
});

/**
 * The servers in the response to `GET /api/application/users/{id}?include=servers.allocations`, deeply frozen.
 * @param settings `url` is the panel's base address, without a trailing slash
 */
export function parseServers(
  body: unknown,
  { url, kind, log }: Pick<PanelSettings, 'url' | 'kind' | 'log'>,
): PanelServer[] {
  const user = UserWithServers.safeParse(body);
  if (!user.success)
    throw new PanelFailure(body === undefined ? 'unreadable' : 'malformed', {
      reason: z.prettifyError(user.error),
    });
  const { servers } = user.data.attributes.relationships;
  if ('object' in servers) throw new PanelFailure('credentials', { reason: 'the key may not read servers' });
  const attributes = servers.data.map((server) => server.attributes);
  if (attributes.some(isWithoutAllocations))
    log.error(
      {},
      'The panel refused allocations to our application key: servers are shown without addresses',
    );
  return deepFreeze(attributes.map((server) => toPanelServer(server, { url, kind })));
}

type ServerAttributes = z.infer<typeof ServerAttributes>;

const isWithoutAllocations = ({ relationships }: ServerAttributes) =>
  relationships !== undefined && 'object' in relationships.allocations;

function toAllocations({ relationships, allocation }: ServerAttributes): PanelAllocation[] {
  if (!relationships || !('data' in relationships.allocations)) return [];
  return relationships.allocations.data.map(({ attributes: { id, ...address } }) => ({
    ...address,
    isDefault: id === allocation,
  }));
}

function toPanelServer(
  server: ServerAttributes,
  { url, kind }: Pick<PanelSettings, 'url' | 'kind'>,
): PanelServer {
  const { oom_disabled, ...limits } = server.limits;
  const segment = pathSegment(server.identifier);
  return {
    id: server.id,
    uuid: server.uuid,
    identifier: server.identifier,
    name: server.name,
    description: server.description,
    status: server.status,
    isSuspended: server.suspended ?? server.status === 'suspended',
    limits: { ...limits, oomDisabled: oom_disabled },
    featureLimits: server.feature_limits,
    kind,
    panelUrl: segment && `${url}/server/${segment}`,
    createdAt: server.created_at,
    updatedAt: server.updated_at,
    allocations: toAllocations(server),
  };
}

function deepFreeze<Value extends object>(value: Value): Value {
  for (const part of Object.values(value)) if (part instanceof Object) deepFreeze(part);
  Object.freeze(value);
  return value;
}
