/** Attacks on a service: requests that are huge, that never end, or whose responses are not read. */
import { connect, type Socket } from 'node:net';

export interface RawRequest {
  /** Such as "POST /mcp". */
  target: string;
  key?: string;
  body?: string;
  /** The client's address on the loopback network; by default 127.0.0.1. */
  address?: string;
  /** Sends the body in chunks, so that no header says how long it is. */
  isChunked?: boolean;
  /** The length of these chunks; by default one chunk for the whole body. */
  chunkBytes?: number;
}

export interface SentRequest {
  socket: Socket;
  /** Sends the last byte of the body, if it was held back. */
  finish(): void;
  /** The status of the response; 0 when the connection ended without one. */
  status: Promise<number>;
}

export interface SendOptions {
  isHeldBack?: boolean;
  /** Bytes of the response to read per second; by default all at once. */
  bytesPerSecond?: number;
  /** How often to send the request without a body on the connection, without waiting for responses. */
  times?: number;
}

export function sendHostile(
  url: string,
  { target, key, address, body = '', isChunked = false, chunkBytes }: RawRequest,
  { isHeldBack = false, bytesPerSecond = Number.POSITIVE_INFINITY, times = 1 }: SendOptions = {},
): SentRequest {
  const { hostname, port } = new URL(url);
  const socket = connect({
    host: hostname,
    port: Number(port),
    ...(address && { localAddress: address }),
  }).on('error', () => {}); // a reset also counts as an outcome
  const head = [
    `${target} HTTP/1.1`,
    `Host: ${hostname}`,
    'Sec-Fetch-Site: same-origin',
    ...(key ? [`X-API-Key: ${key}`] : []),
    ...(body ? ['Content-Type: application/json', isChunked ? chunked : lengthHeader(body)] : []),
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`.repeat(times));
  if (chunkBytes) for (const chunk of chunksOf(body, chunkBytes)) socket.write(chunk);
  else {
    if (isChunked) socket.write(`${Buffer.byteLength(body).toString(16)}\r\n`);
    socket.write(isHeldBack ? body.slice(0, -1) : body);
  }
  return {
    socket,
    finish: () => void socket.write(body.slice(-1)),
    status: readStatus(socket, bytesPerSecond),
  };
}

/** Without the last chunk, which would end the body. */
const chunksOf = (body: string, bytes: number) =>
  Array.from({ length: Math.ceil(body.length / bytes) }, (_, index) => {
    const chunk = body.slice(index * bytes, (index + 1) * bytes);
    return `${chunk.length.toString(16)}\r\n${chunk}\r\n`;
  });

const chunked = 'Transfer-Encoding: chunked';
const lengthHeader = (body: string) => `Content-Length: ${Buffer.byteLength(body)}`;

function readStatus(socket: Socket, bytesPerSecond: number): Promise<number> {
  if (bytesPerSecond === Number.POSITIVE_INFINITY) socket.resume();
  else readSlowly(socket, bytesPerSecond);
  return new Promise((resolve) => {
    socket.once('data', (chunk) => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(String(chunk))?.[1] ?? 0)));
    socket.once('close', () => resolve(0));
    if (bytesPerSecond !== Number.POSITIVE_INFINITY) socket.pause();
  });
}

function readSlowly(socket: Socket, bytesPerSecond: number): void {
  const timer = setInterval(() => {
    const chunk = bytesPerSecond > 0 ? socket.read(bytesPerSecond) : null;
    if (chunk) socket.emit('data', chunk);
  }, 1000);
  socket.once('close', () => clearInterval(timer));
}

/** Sixteen sign-ins in one batch of just under 4 MiB, whose many fields take hundreds of megabytes once parsed (attack 1). */
export function signInBatch(): RawRequest {
  const names = Array.from({ length: 16 }, () => 'session.signIn');
  const signIn = bodyOfManyFields(28_000);
  const body = `{${names.map((_, index) => `"${index}":${signIn}`).join(',')}}`;
  return { target: `POST /account/trpc/${names.join(',')}?batch=1`, body };
}

/** A body of so many fields that it takes a second to parse (attack 2). */
export const bodyOfManyFields = (count = 450_000): string =>
  `{${Array.from({ length: count }, (_, index) => `"${index.toString(36)}":0`).join(',')}}`;

/** A body of the maximum size (attack 3). */
export const largestBody = (bytes: number): string =>
  JSON.stringify({ title: 'Large', message: 'x'.repeat(bytes - 64) });

/** Many calls with large results in one response (attack 4). */
export function largeBatch({ procedure, inputs }: { procedure: string; inputs: object[] }) {
  const names = inputs.map(() => procedure).join(',');
  const input = JSON.stringify(Object.fromEntries(inputs.entries()));
  return { target: `GET /trpc/${names}?batch=1&input=${encodeURIComponent(input)}` };
}

/** A batch that reads the longest page of announcements in every call. */
export const longestPages = (times: number) => ({
  procedure: 'announcements.list',
  inputs: Array.from({ length: times }, () => ({ per_page: 100 })),
});
