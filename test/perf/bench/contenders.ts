/** What is measured: our service in each of its protocols and the peers; and which lead ours should have. */
import type { Protocol } from './works.ts';

/** Each peer is a file of peers/. */
export const peerNames = ['fastify-native', 'fastify-own-store', 'trpc-handler', 'mcp-sdk', 'panel'] as const;

/** `before`: an earlier build of ours, of `--before`. */
export type ServerName = 'ours' | 'before' | (typeof peerNames)[number];

export interface Contender {
  name: string;
  title: string;
  server: ServerName;
  protocol: Protocol;
  /** Asks our REST API, whose work is then part of its own. */
  asksOurs?: boolean;
  /** Shares its limits over Redis. */
  usesRedis?: boolean;
  /** No close aim depends on it, so one process is enough although starts differ. */
  isFarOff?: boolean;
  /** The works it is measured at; by default all that its protocol has, but for those it lacks. */
  works?: string[];
  lacks?: string[];
}

/** The limit costs the same for every call, so a few suffice. */
const withRedis = ['catalog', 'me', 'tickets', 'create'];

/** What the peers leave out. */
const lacking = ['staff-tickets', 'staff-awaiting', 'staff-status', 'tools-list'];
const lackingOfServers = ['server', 'resources', 'states', 'files', 'file'];

export const contenders: Contender[] = [
  { name: 'ours', title: 'ours', server: 'ours', protocol: 'rest' },
  {
    ...{ name: 'fastify', title: 'Fastify, native driver' },
    ...{ server: 'fastify-native', protocol: 'rest', lacks: [...lacking, ...lackingOfServers] },
  },
  {
    ...{ name: 'fastify-own-store', title: 'Fastify, our store' },
    ...{ server: 'fastify-own-store', protocol: 'rest', lacks: lacking },
  },
  {
    ...{ name: 'ours-redis', title: 'ours, Redis', usesRedis: true },
    ...{ server: 'ours', protocol: 'rest', works: withRedis },
  },
  { name: 'before', title: 'ours, earlier build', server: 'before', protocol: 'rest' },
  { name: 'ours-trpc', title: 'ours, tRPC', server: 'ours', protocol: 'trpc' },
  {
    ...{ name: 'trpc-handler', title: "tRPC's handler, our store" },
    ...{ server: 'trpc-handler', protocol: 'trpc', isFarOff: true },
  },
  { name: 'ours-mcp', title: 'ours, MCP', server: 'ours', protocol: 'mcp' },
  {
    ...{ name: 'mcp-sdk', title: 'MCP SDK, its example' },
    ...{ server: 'mcp-sdk', protocol: 'mcp', asksOurs: true, isFarOff: true },
  },
];

/** Least leads by the name of the work; `any` for those not named. */
type Aims = Record<string, number>;

export interface Comparison {
  /** The contender of ours. */
  subject: string;
  against: string;
  aims: Aims;
}

/** Our own contenders, which `--against` never leaves out. */
export const ours = ['ours', 'ours-trpc', 'ours-mcp', 'ours-redis'];

const many: Comparison[] = [
  {
    ...{ subject: 'ours', against: 'fastify' },
    aims: {
      ...{ catalog: 8, me: 3, tickets: 2, 'tickets-one-key': 3, 'tickets-awaiting': 2, ticket: 2 },
      ...{ create: 2, reply: 1.5, 'unknown-key': 3 },
    },
  },
  { subject: 'ours', against: 'fastify-own-store', aims: { any: 0.9 } },
  { subject: 'ours-trpc', against: 'ours', aims: { any: 0.9 } },
  { subject: 'ours-trpc', against: 'trpc-handler', aims: {} },
  { subject: 'ours-mcp', against: 'ours', aims: { any: 0.6, 'tools-list': 1 } },
  { subject: 'ours-mcp', against: 'mcp-sdk', aims: {} },
];

export const comparisons = {
  many,
  /** Where batching cannot help. */
  one: [
    { subject: 'ours', against: 'fastify', aims: { any: 0.95 } },
    { subject: 'ours', against: 'fastify-own-store', aims: { any: 0.9 } },
  ],
  /** At most 25 % more CPU than without Redis, for the catalog 35 %. */
  redis: [{ subject: 'ours-redis', against: 'ours', aims: { any: 0.8, catalog: 0.74 } }],
  /** An earlier build. */
  before: [{ subject: 'ours', against: 'before', aims: { any: 0.97 } }],
};

/** With more in the database, or more keys in use, the same calls should cost the same. */
export const flat = (subject: string, against: string): Comparison => ({
  ...{ subject, against },
  aims: { any: 0.85 },
});

export const aimOf = ({ aims }: Comparison, work: string): number | null => aims[work] ?? aims['any'] ?? null;
