/** Who is measured: our service in each of its tongues, and the peers. */
import type { Tongue } from './calls.ts';

export type ServerName = 'ours' | PeerName;

export interface Contender {
  name: string;
  title: string;
  server: ServerName;
  tongue: Tongue;
  /** The works it can do; all that its tongue can speak when left out. */
  works?: string[];
}

/** Each is a file of peers/. */
export const peerNames = ['fastify-native', 'fastify-own-store', 'panel'] as const;
export type PeerName = (typeof peerNames)[number];

const byHand = ['catalog', 'me', 'tickets', 'tickets-one-key', 'create', 'reply', 'power', '401', '429'];

export const contenders: Contender[] = [
  { name: 'ours', title: 'ours, REST', server: 'ours', tongue: 'rest' },
  {
    ...{ name: 'fastify', title: 'Fastify 5 by hand, native driver' },
    ...{ server: 'fastify-native', tongue: 'rest', works: byHand },
  },
  {
    ...{ name: 'fastify-own-store', title: 'the same Fastify on our store' },
    ...{ server: 'fastify-own-store', tongue: 'rest', works: byHand },
  },
];
