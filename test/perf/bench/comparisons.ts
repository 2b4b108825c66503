/** What ours is compared with, and which lead it should reach. */
/** Least leads by the name of the work; `any` for those not named. */
type Aims = Record<string, number>;

export interface Comparison {
  /** The contender of ours. */
  subject: string;
  against: string;
  aims: Aims;
}

/** Our own contenders, which `--against` never leaves out. */
export const ours = ['ours', 'ours-trpc', 'ours-mcp', 'ours-redis', 'ours-stub'];

/** At many connections. */
export const comparisons: Comparison[] = [
  {
    ...{ subject: 'ours', against: 'fastify' },
    aims: {
      ...{ catalog: 8, me: 3, tickets: 2, 'tickets-one-key': 3, 'tickets-awaiting': 2, ticket: 2 },
      ...{ create: 2, reply: 1.5, 'unknown-key': 3 },
    },
  },
  { subject: 'ours', against: 'fastify-own-store', aims: { any: 0.9 } },
  { subject: 'ours', against: 'koa-mongoose', aims: {} },
  { subject: 'ours', against: 'trpc-to-openapi', aims: {} },
  { subject: 'ours', against: 'floor', aims: { catalog: 0.6 } },
  { subject: 'ours-trpc', against: 'ours', aims: { any: 0.9 } },
  { subject: 'ours-trpc', against: 'trpc-handler', aims: {} },
  { subject: 'ours-mcp', against: 'ours', aims: { any: 0.6, 'tools-list': 1 } },
  { subject: 'ours-mcp', against: 'mcp-sdk', aims: {} },
  { subject: 'ours-mcp', against: 'trpc-to-mcp', aims: {} },
];

/** At one connection, where batching cannot help. */
export const comparisonsAtOne: Comparison[] = [
  { subject: 'ours', against: 'fastify', aims: { any: 0.95 } },
  { subject: 'ours', against: 'fastify-own-store', aims: { any: 0.9 } },
];

/** With limits shared over Redis: at most 15 % more CPU than without it. */
export const comparisonsWithRedis: Comparison[] = [
  { subject: 'ours-redis', against: 'ours', aims: { any: 0.87 } },
  { subject: 'ours-redis', against: 'fastify-redis', aims: {} },
];

/** A single call pays a round trip to Redis alone: at most 25 % more CPU. */
export const comparisonsWithRedisAtOne: Comparison[] = [
  { subject: 'ours-redis', against: 'ours', aims: { any: 0.8 } },
  { subject: 'ours-redis', against: 'fastify-redis', aims: {} },
];

/** On a store that answers at once, which shows the cost of the framework alone. */
export const comparisonsOfFrames: Comparison[] = [
  {
    ...{ subject: 'ours-stub', against: 'fastify-stub' },
    aims: { any: 0.8, create: 0.65, reply: 0.65 },
  },
  { subject: 'ours-stub', against: 'adapters-stub', aims: { any: 3 } },
  { subject: 'ours-stub', against: 'floor', aims: {} },
];

/** With more in the database, or more keys in use, the same calls should cost the same. */
export const flat = (subject: string, against: string): Comparison => ({
  ...{ subject, against },
  aims: { any: 0.85 },
});

export const aimOf = ({ aims }: Comparison, work: string): number | null => aims[work] ?? aims['any'] ?? null;
