/** What a tRPC client asks for: which procedures, alone or as a batch, and the input of each. */
import type { ParsedUrlQuery } from 'node:querystring';
import { badRequest } from '../../routers/errors.ts';
import { bodyBytesMax, hasBody, isJsonObject, readJson, visitorBodyBytesMax } from '../http/json-body.ts';
import { percentDecode } from '../http/percent-decode.ts';
import type { RequestContext } from '../http/request-state.ts';

export interface TrpcRequest {
  /** The procedures' names; several, or one, of a batch. */
  names: string[];
  isBatch: boolean;
}

/** `/trpc/account.me` or `/trpc/account.me,tickets.list?batch=1` */
export function readTrpcRequest({ query, state }: RequestContext, prefix: string): TrpcRequest {
  const path = percentDecode(state.path.slice(prefix.length + 1));
  const isBatch = query['batch'] === '1';
  return { names: isBatch ? path.split(',') : [path], isBatch };
}

/** The input of one call, by its index in the batch; undefined where none was sent. */
export type InputOf = (index: number) => Promise<unknown>;

/** Reads the inputs once, when the first call asks for its own. Throws bad_request or payload_too_large. */
export function createInputs(ctx: RequestContext, { names, isBatch }: TrpcRequest): InputOf {
  let inputs: Promise<unknown> | undefined;
  const read = () => {
    inputs ??= ctx.state.method === 'POST' ? readBody(ctx, names.length) : readQuery(ctx.query);
    return inputs;
  };
  return isBatch ? async (index) => inputAt(await read(), index) : read;
}

/** A batch may hold what its calls could hold one by one, up to 4 MiB. */
const batchBytesMax = 16 * bodyBytesMax;

async function readBody(ctx: RequestContext, callCount: number): Promise<unknown> {
  const { caller, session } = ctx.state;
  const bytesMax =
    caller || session ? Math.min(callCount * bodyBytesMax, batchBytesMax) : visitorBodyBytesMax;
  return hasBody(ctx.req) ? readJson(ctx, bytesMax) : undefined;
}

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
