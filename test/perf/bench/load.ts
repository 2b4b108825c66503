/** The measured requests and their load, by autocannon. */
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import autocannon, { type Options, type Request } from 'autocannon';
import type { Customer } from '../customers.ts';
import { cpuMicroseconds, type Server } from './processes.ts';

export interface Work {
  name: string;
  title: string;
  status: number;
  requestsOf(customer: Customer): Request[];
}

const message = 'Players time out every few minutes; it began after the update of this morning.';

const post = (path: string, body: object): Request => ({
  ...{ method: 'POST', path: `/api/v1${path}`, body: JSON.stringify(body) },
  headers: { 'content-type': 'application/json' },
});

export const works: Work[] = [
  { name: 'me', title: 'GET /me', status: 200, requestsOf: () => [{ path: '/api/v1/me' }] },
  {
    ...{ name: 'tickets', title: 'GET /tickets (20)', status: 200 },
    requestsOf: () => [{ path: '/api/v1/tickets' }],
  },
  {
    ...{ name: 'create', title: 'POST /tickets', status: 201 },
    requestsOf: () => [post('/tickets', { title: 'Lag since noon', message })],
  },
  {
    ...{ name: 'reply', title: 'POST /tickets/{id}/reply', status: 201 },
    requestsOf: ({ ticketIds }) => ticketIds.map((id) => post(`/tickets/${id}/reply`, { message })),
  },
];

/** The first requests of all customers, then the second ones: two of one key are never close together. */
export function allRequests(work: Work, customers: readonly Customer[]): Request[] {
  const ofEach = customers.map((customer) =>
    work.requestsOf(customer).map((request) => ({
      ...request,
      headers: { ...request.headers, authorization: `Bearer ${customer.secret}` },
    })),
  );
  const most = Math.max(...ofEach.map(({ length }) => length));
  return Array.from({ length: most }, (_, index) => ofEach.flatMap((own) => own[index] ?? [])).flat();
}

export interface Load {
  server: Server;
  requests: Request[];
  connections: number;
  status: number;
}

export interface Sample {
  cpuMicroseconds: number;
  perSecond: number;
}

/** Seconds at the start and end of a turn that do not count: connections open, and end one after the other. */
const [runIn, runOut] = [0.2, 0.1];

export async function measure(load: Load, seconds: number): Promise<Sample> {
  let responses = 0;
  const onResponse = () => {
    responses += 1;
  };
  const read = () => ({ at: performance.now(), cpu: cpuMicroseconds(load.server.pid), responses });
  const sending = send(load, runIn + seconds + runOut, onResponse);
  await delay(runIn * 1000);
  const from = read();
  await delay(seconds * 1000);
  const to = read();
  await sending;
  const counted = to.responses - from.responses;
  if (counted === 0) throw new Error(`${load.server.url} gave no response in ${seconds} s`);
  return {
    cpuMicroseconds: (to.cpu - from.cpu) / counted,
    perSecond: (1000 * counted) / (to.at - from.at),
  };
}

export const warmUp = (load: Load, seconds: number) => send(load, seconds, () => {});

/** @throws when a response is wrong */
async function send(load: Load, duration: number, onResponse: () => void) {
  const { server, requests, connections, status } = load;
  let connection = 0;
  const { statusCodeStats = {}, errors } = await autocannon({
    ...{ url: server.url, connections, duration, sampleInt: 50 },
    setupClient(client) {
      const own = requests.filter((_, index) => index % connections === connection);
      client.setRequests(own.map((request) => ({ ...request }))); // autocannon writes into them
      client.on('response', onResponse);
      connection += 1;
    },
  } as Options); // its types lack sampleInt
  const wrong = Object.keys(statusCodeStats).filter((code) => code !== String(status));
  if (errors > 0 || wrong.length > 0)
    throw new Error(`${server.url}: ${wrong} and ${errors} errors instead of only ${status}`);
}
