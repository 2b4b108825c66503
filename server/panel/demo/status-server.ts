/** Answers status requests with the players of a game while its server runs, as Minecraft does. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { Game } from './games.ts';

export async function startStatusServer({ online, max, names }: Game['players'], isRunning: () => boolean) {
  const sample = names.map((name) => ({ name, id: '' }));
  const status = minecraftStatus({ players: { online, max, sample } });
  const server = createServer((socket) => {
    socket.on('error', () => {}).once('data', () => socket.end(isRunning() ? status : ''));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port, // a listening TCP server has one
    stop: () => void server.close(),
  };
}

export function minecraftStatus(status: object | string): Buffer {
  const text = Buffer.from(typeof status === 'string' ? status : JSON.stringify(status));
  const body = Buffer.concat([Buffer.of(0), varInt(text.length), text]);
  return Buffer.concat([varInt(body.length), body]);
}

function varInt(value: number): Buffer {
  return value < 0x80
    ? Buffer.of(value)
    : Buffer.concat([Buffer.of((value & 0x7f) | 0x80), varInt(value >> 7)]);
}
