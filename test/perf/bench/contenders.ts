/** What is measured: our service in each of its protocols, and the peers. */
import type { Protocol } from './calls.ts';

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
  protocol: Protocol;
  /** Asks our REST API, whose work is then part of its own. */
  asksOurs?: boolean;
  /** Shares its limits over Redis. */
  usesRedis?: boolean;
  /** No close aim depends on it, so one process is enough although starts differ. */
  isFarOff?: boolean;
  /** The works it can do; by default all that its protocol has. */
  works?: string[];
}

const frameOnly = ['catalog', 'me', 'tickets', 'create', 'reply'];

/** The limit costs the same for every call, so a few suffice. */
const withRedis = ['catalog', 'me', 'tickets', 'create'];

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

const conversations = ['tickets-awaiting', 'ticket'];

export const contenders: Contender[] = [
  { name: 'ours', title: 'ours', server: 'ours', protocol: 'rest' },
  {
    ...{ name: 'fastify', title: 'Fastify, native driver' },
    ...{ server: 'fastify-native', protocol: 'rest', works: [...byHand, ...conversations] },
  },
  {
    ...{ name: 'fastify-own-store', title: 'Fastify, our store' },
    ...{
      server: 'fastify-own-store',
      protocol: 'rest',
      works: [...byHand, ...conversations, 'server', 'resources'],
    },
  },
  {
    ...{ name: 'koa-mongoose', title: 'Koa, Mongoose' },
    ...{ server: 'koa-mongoose', protocol: 'rest', works: byHand, isFarOff: true },
  },
  {
    ...{ name: 'trpc-to-openapi', title: 'trpc-to-openapi, our store' },
    ...{ server: 'stock-adapters', protocol: 'rest', works: byHand, isFarOff: true },
  },
  {
    ...{ name: 'floor', title: 'node:http, constant' },
    ...{ server: 'floor', protocol: 'rest', works: ['catalog'], isFarOff: true },
  },
  {
    ...{ name: 'ours-redis', title: 'ours, Redis', usesRedis: true },
    ...{ server: 'ours', protocol: 'rest', works: withRedis },
  },
  {
    ...{ name: 'fastify-redis', title: 'Fastify, native driver, Redis', usesRedis: true },
    ...{ server: 'fastify-native', protocol: 'rest', works: withRedis },
  },
  { name: 'ours-trpc', title: 'ours, tRPC', server: 'ours', protocol: 'trpc' },
  {
    ...{ name: 'trpc-handler', title: "tRPC's handler, our store" },
    ...{ server: 'stock-adapters', protocol: 'trpc', isFarOff: true },
  },
  { name: 'ours-mcp', title: 'ours, MCP', server: 'ours', protocol: 'mcp' },
  {
    ...{ name: 'mcp-sdk', title: 'MCP SDK, its example' },
    ...{ server: 'mcp-sdk', protocol: 'mcp', asksOurs: true, isFarOff: true },
  },
  {
    ...{ name: 'trpc-to-mcp', title: 'trpc-to-mcp, our store' },
    ...{ server: 'trpc-to-mcp', protocol: 'mcp', isFarOff: true },
  },
  {
    ...{ name: 'ours-stub', title: 'ours' },
    ...{ server: 'stub-ours', protocol: 'rest', works: frameOnly },
  },
  {
    ...{ name: 'fastify-stub', title: 'Fastify' },
    ...{ server: 'stub-fastify', protocol: 'rest', works: frameOnly },
  },
  {
    ...{ name: 'adapters-stub', title: 'trpc-to-openapi' },
    ...{ server: 'stub-adapters', protocol: 'rest', works: frameOnly },
  },
];
