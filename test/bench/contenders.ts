/** Who is measured: our service in each of its tongues, and the peers. */
import type { Tongue } from './calls.ts';

/** Each peer is a file of peers/. */
export const peerNames = [
  'fastify-native',
  'fastify-own-store',
  'koa-mongoose',
  'stock-adapters',
  'floor',
  'mcp-sdk',
  'trpc-to-mcp',
  'stub-ours',
  'stub-fastify',
  'stub-adapters',
  'panel',
] as const;

export type ServerName = 'ours' | (typeof peerNames)[number];

export interface Contender {
  name: string;
  title: string;
  server: ServerName;
  tongue: Tongue;
  /** Asks our REST API, whose work is then part of its own. */
  asksOurs?: boolean;
  /** No near aim hangs on it: one process is enough, whatever the luck of its start. */
  isFarOff?: boolean;
  /** The works it can do; all that its tongue can speak when left out. */
  works?: string[];
}

const frameOnly = ['catalog', 'me', 'tickets', 'create', 'reply'];

const byHand = [
  'catalog',
  'me',
  'tickets',
  'tickets-one-key',
  'create',
  'reply',
  'power',
  'unknown-key',
  'over-limit',
];

export const contenders: Contender[] = [
  { name: 'ours', title: 'ours', server: 'ours', tongue: 'rest' },
  {
    ...{ name: 'fastify', title: 'Fastify, native driver' },
    ...{ server: 'fastify-native', tongue: 'rest', works: byHand },
  },
  {
    ...{ name: 'fastify-own-store', title: 'Fastify, our store' },
    ...{ server: 'fastify-own-store', tongue: 'rest', works: byHand },
  },
  {
    ...{ name: 'koa-mongoose', title: 'Koa, Mongoose' },
    ...{ server: 'koa-mongoose', tongue: 'rest', works: byHand, isFarOff: true },
  },
  {
    ...{ name: 'trpc-to-openapi', title: 'trpc-to-openapi, our store' },
    ...{ server: 'stock-adapters', tongue: 'rest', works: byHand, isFarOff: true },
  },
  {
    ...{ name: 'floor', title: 'node:http, constant' },
    ...{ server: 'floor', tongue: 'rest', works: ['catalog'], isFarOff: true },
  },
  { name: 'ours-trpc', title: 'ours, tRPC', server: 'ours', tongue: 'trpc' },
  {
    ...{ name: 'trpc-handler', title: "tRPC's handler, our store" },
    ...{ server: 'stock-adapters', tongue: 'trpc', isFarOff: true },
  },
  { name: 'ours-mcp', title: 'ours, MCP', server: 'ours', tongue: 'mcp' },
  {
    ...{ name: 'mcp-sdk', title: 'MCP SDK, its example' },
    ...{ server: 'mcp-sdk', tongue: 'mcp', asksOurs: true, isFarOff: true },
  },
  {
    ...{ name: 'trpc-to-mcp', title: 'trpc-to-mcp, our store' },
    ...{ server: 'trpc-to-mcp', tongue: 'mcp', isFarOff: true },
  },
  {
    ...{ name: 'ours-stub', title: 'ours' },
    ...{ server: 'stub-ours', tongue: 'rest', works: frameOnly },
  },
  {
    ...{ name: 'fastify-stub', title: 'Fastify' },
    ...{ server: 'stub-fastify', tongue: 'rest', works: frameOnly },
  },
  {
    ...{ name: 'adapters-stub', title: 'trpc-to-openapi' },
    ...{ server: 'stub-adapters', tongue: 'rest', works: frameOnly },
  },
];
