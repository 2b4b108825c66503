/** What a tRPC client asks: which procedures, alone or as a batch, and the input of each. */
import type { ParsedUrlQuery } from 'node:querystring';
import { badRequest } from '../routers/errors.ts';
import { bodyBytesMax, hasBody, isJsonObject, readJson } from './json-body.ts';
import { percentDecoded } from './percent-decoded.ts';
import type { RequestContext } from './request-state.ts';

export interface RpcRequest {
  /** The procedures' names; several, or one, of a batch. */
  names: string[];
  isBatch: boolean;
}

/** `/trpc/account.me` or `/trpc/account.me,tickets.list?batch=1` */
export function readRpcRequest({ query, state }: RequestContext, prefix: string): RpcRequest {
  const asked = percentDecoded(state.path.slice(prefix.length + 1));
  const isBatch = query['batch'] === '1';
  return { names: isBatch ? asked.split(',') : [asked], isBatch };
}

/** The input of one call of the request, by its place in the batch; undefined where none was sent. */
export type InputOf = (index: number) => Promise<unknown>;

/** Reads the inputs once, when the first call asks for its own; refuses with 400 or 413. */
export function createInputs(ctx: RequestContext, { names, isBatch }: RpcRequest): InputOf {
  let inputs: Promise<unknown> | undefined;
  const read = () => {
    inputs ??= ctx.state.method === 'POST' ? readBody(ctx, names.length) : readQuery(ctx.query);
    return inputs;
  };
  return isBatch ? async (index) => inputAt(await read(), index) : read;
}

/** A batch may hold what its calls could hold one by one, up to 4 MiB. */
const batchBytesMax = 16 * bodyBytesMax;

const readBody = async ({ req, state }: RequestContext, callCount: number): Promise<unknown> =>
  hasBody(req)
    ? state.waitForClient(readJson(req, Math.min(callCount * bodyBytesMax, batchBytesMax)))
    : undefined;

async function readQuery({ input }: ParsedUrlQuery): Promise<unknown> {
  if (input === undefined) return undefined;
  if (typeof input !== 'string') throw badRequest('input must be given once');
  try {
    return JSON.parse(input);
  } catch (cause) {
    throw badRequest('input is not valid JSON', cause);
  }
}

function inputAt(inputs: unknown, index: number): unknown {
  if (inputs === undefined) return undefined;
  if (!isJsonObject(inputs)) throw badRequest(`The inputs of a batch must be an object such as {"0": {}}`);
  return inputs[index];
}
