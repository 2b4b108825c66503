/**
 * Reads the panel's server lists. Only the contract's fields come through: a server's environment holds
 * secrets. What the panel may omit or change is forgiven; what identifies a server is not.
 */
import { z } from 'zod';
import type { PanelServer } from '../../routers/ports.ts';
import { PanelFailure } from './failures.ts';
import { pathSegment } from './path-segment.ts';

const amount = z.number().nullable().catch(null);
const time = z.string().nullable().catch(null);

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
  created_at: time,
  updated_at: time,
});

/** What the panel puts where our key lacks the permission to see. */
const NullResource = z.object({ object: z.literal('null_resource') });

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
 * The servers in the answer to `GET /api/application/users/{id}?include=servers`, frozen through and through.
 * @param panelUrl the panel's base address, without a slash at its end
 */
export function readServers(body: unknown, panelUrl: string): PanelServer[] {
  const user = UserWithServers.safeParse(body);
  if (!user.success) throw new PanelFailure('unreadable', { reason: z.prettifyError(user.error) });
  const { servers } = user.data.attributes.relationships;
  if ('object' in servers) throw new PanelFailure('credentials', { reason: 'the key may not read servers' });
  return deepFreeze(servers.data.map(({ attributes }) => toPanelServer(attributes, panelUrl)));
}

function toPanelServer(server: z.infer<typeof ServerAttributes>, panelUrl: string): PanelServer {
  const { oom_disabled, ...limits } = server.limits;
  const segment = pathSegment(server.identifier);
  return {
    id: server.id,
    uuid: server.uuid,
    identifier: server.identifier,
    name: server.name,
    description: server.description,
    isSuspended: server.suspended ?? server.status === 'suspended',
    limits: { ...limits, oomDisabled: oom_disabled },
    featureLimits: server.feature_limits,
    panelUrl: segment && `${panelUrl}/server/${segment}`,
    createdAt: server.created_at,
    updatedAt: server.updated_at,
  };
}

function deepFreeze<Value extends object>(value: Value): Value {
  for (const part of Object.values(value)) if (part instanceof Object) deepFreeze(part);
  Object.freeze(value);
  return value;
}
