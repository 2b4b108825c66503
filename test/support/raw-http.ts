/** HTTP as bytes on a socket, for requests that a real client refuses to send. */
import { connect } from 'node:net';

export interface RawAnswer {
  status: number;
  headers: Headers;
  text: string;
  /** The JSON body, if it is one. */
  body: unknown;
}

/** Sends a request unchanged and reads until the server closes the connection: request that, or expect a refusal. */
export const sendRaw = async (url: string, request: string | Buffer): Promise<RawAnswer> =>
  parseAnswer(await exchangeRaw(url, request));

/** The same for several requests; resolves to all received bytes. */
export async function exchangeRaw(url: string, request: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('error', () => {}); // a reset after the answer counts as a close
  socket.write(request);
  await new Promise((resolve) => socket.once('close', resolve));
  return Buffer.concat(chunks).toString();
}

/** A request built from lines, with which the server closes the connection after its answer. */
export const requestOf = (firstLine: string, headers: Record<string, string> = {}, body = '') =>
  [
    firstLine,
    ...Object.entries({ Host: 'localhost', Connection: 'close', ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    ),
    '',
    body,
  ].join('\r\n');

/** The raw answer, up to the end of the connection. */
export function parseAnswer(answer: string): RawAnswer {
  const end = answer.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = answer.slice(0, end).split('\r\n');
  const headers = new Headers(lines.map((line) => splitAt(line, line.indexOf(':'))));
  const text = answer.slice(end + 4);
  const isJson = headers.get('Content-Type')?.startsWith('application/json') && text !== '';
  return {
    status: Number(statusLine.split(' ')[1]),
    headers,
    text,
    body: isJson ? JSON.parse(text) : undefined,
  };
}

const splitAt = (line: string, index: number): [string, string] => [
  line.slice(0, index),
  line.slice(index + 1).trim(),
];
