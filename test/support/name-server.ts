/** A name server for a test: every lookup of this process uses it until it stops. */
import { createSocket } from 'node:dgram';
import dns from 'node:dns';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

const addressQuestion = 1;

/** A question's name, type and bytes. */
function readQuestion(message: Buffer) {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.'), type: message.readUInt16BE(at + 1), bytes: message.subarray(12, at + 5) };
}

/** An answer with one IPv4 address, or with none for another type. */
function answerTo(message: Buffer, address = ''): Buffer {
  const { type, bytes } = readQuestion(message);
  const count = type === addressQuestion && address !== '' ? 1 : 0;
  const header = Buffer.from([...message.subarray(0, 2), 0x81, 0x80, 0, 1, 0, count, 0, 0, 0, 0]);
  const record = [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)];
  return Buffer.concat([header, bytes, Buffer.from(count ? record : [])]);
}

/** @param addressOf the IPv4 address of a name; undefined: no address, null: the name server never answers */
export async function startNameServer(addressOf: (name: string) => string | null | undefined) {
  const configured = dns.getServers();
  const asked: string[] = [];
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  socket.on('message', (message, { port }) => {
    const { name } = readQuestion(message);
    asked.push(name);
    const address = addressOf(name);
    if (address !== null) socket.send(answerTo(message, address), port, '127.0.0.1');
  });
  await once(socket, 'listening');
  dns.setServers([`127.0.0.1:${(socket.address() as AddressInfo).port}`]);
  return {
    /** The looked-up names, once for each kind of address. */
    asked,
    stop() {
      dns.setServers(configured);
      socket.close();
    },
  };
}
