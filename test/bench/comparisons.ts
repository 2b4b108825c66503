/** Whom ours is compared with, and what the lead is to be. */
/** Least leads by the name of the work; `any` for those not named. */
type Aims = Record<string, number>;

export interface Comparison {
  /** The contender of ours. */
  subject: string;
  against: string;
  aims: Aims;
}

/** The contenders of ours, which no choice of peers leaves out. */
export const ours = ['ours', 'ours-trpc', 'ours-mcp', 'ours-stub'];

/** At many connections. */
export const comparisons: Comparison[] = [
  {
    ...{ subject: 'ours', against: 'fastify' },
    aims: { catalog: 8, me: 3, tickets: 2, 'tickets-one-key': 3, create: 2, reply: 1.5, 'unknown-key': 3 },
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

/** At one connection, so that nothing is bought with latency. */
export const comparisonsAtOne: Comparison[] = [
  { subject: 'ours', against: 'fastify', aims: { any: 0.95 } },
  { subject: 'ours', against: 'fastify-own-store', aims: { any: 0.9 } },
];

/** On a store that answers at once, which says what the frame costs and nothing more. */
export const comparisonsOfFrames: Comparison[] = [
  {
    ...{ subject: 'ours-stub', against: 'fastify-stub' },
    aims: { any: 0.8, create: 0.65, reply: 0.65 },
  },
  { subject: 'ours-stub', against: 'adapters-stub', aims: { any: 3 } },
  { subject: 'ours-stub', against: 'floor', aims: {} },
];

/** With more in the database, or more keys in play, the same calls are to cost the same. */
export const flat = (subject: string, against: string): Comparison => ({
  ...{ subject, against },
  aims: { any: 0.85 },
});

export const aimOf = ({ aims }: Comparison, work: string): number | null => aims[work] ?? aims['any'] ?? null;
