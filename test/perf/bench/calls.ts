/** A work in each protocol, as the requests that autocannon sends. */
import type { Request } from 'autocannon';
import type { Customer } from './customers.ts';
import type { Work } from './works.ts';

export type Protocol = 'rest' | 'trpc' | 'mcp';

/** The calls of one customer, which are several where there are several things to call about. */
export function callsOf(work: Work, protocol: Protocol, customer: Customer): Request[] {
  const inputs = work.inputs?.(customer) ?? [{}];
  return inputs.map((input) => addKey(spoken[protocol](work, input as Record<string, unknown>), customer));
}

export const speaks = (work: Work, protocol: Protocol): boolean =>
  protocol === 'rest' || (protocol === 'trpc' ? work.procedure : work.tool) !== undefined;

/** The status of a right answer: tools are answered with 200, and so are procedures. */
export const statusOf = (work: Work, protocol: Protocol): number => (protocol === 'rest' ? work.status : 200);

type Speak = (work: Work, input: Record<string, unknown>) => Request;

const spoken: Record<Protocol, Speak> = {
  rest({ rest: { method, of } }, input) {
    const { path, body } = of(input);
    return withBody({ method, path: `/api/v1${path}` }, body);
  },
  trpc({ rest: { method }, procedure = '' }, input) {
    const path = `/trpc/${procedure}`;
    return method === 'GET' ? { method, path } : withBody({ method, path }, input);
  },
  mcp({ tool = null }, input) {
    const call = { method: 'tools/call', params: { name: tool, arguments: input } };
    const message = { jsonrpc: '2.0', id: 1, ...(tool === null ? { method: 'tools/list' } : call) };
    const request = withBody({ method: 'POST', path: '/mcp' }, message);
    const accept = 'application/json, text/event-stream';
    return { ...request, headers: { ...request.headers, accept, 'mcp-protocol-version': '2025-06-18' } };
  },
};

const withBody = (request: Request, body?: object): Request =>
  body
    ? { ...request, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
    : request;

const addKey = (request: Request, { secret }: Customer): Request => ({
  ...request,
  headers: { ...request.headers, authorization: `Bearer ${secret}` },
});
