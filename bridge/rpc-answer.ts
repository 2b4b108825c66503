/** tRPC's words for results and failures, alone and in batches. */
import { keepFrozen } from '../routers/keep-frozen.ts';
import { errorShape } from '../routers/trpc.ts';
import { type ErrorAnswer, envelope } from './envelope.ts';
import { answerJson, type Report, type RequestContext, type RequestState } from './request-state.ts';
import type { RpcRequest } from './rpc-request.ts';

/** How one call ended. */
interface RpcAnswer {
  status: number;
  headers: Record<string, string>;
  json: string;
}

/** A failure as `TRPCClientError` understands it, with our code and the request's id in its `data`. */
export const rpcEnvelope = (failure: unknown, { requestId }: RequestState, name?: string): ErrorAnswer => ({
  ...envelope(failure),
  body: { error: errorShape(failure, requestId, name) },
});

/** The JSON of a call's output as a result; that of a frozen output is kept with it. */
export const createResultOf = () =>
  keepFrozen((output: object) => `{"result":{"data":${JSON.stringify(output)}}}`);

/** Waits for the result of a call, or for its failure: calls of a batch do not share their fate. */
export async function settled(
  call: Promise<string>,
  { name, state, report }: { name: string; state: RequestState; report: Report },
): Promise<RpcAnswer> {
  try {
    return { status: 200, headers: {}, json: await call };
  } catch (failure) {
    report(failure, state);
    const { status, headers, body } = rpcEnvelope(failure, state, name);
    return { status, headers, json: JSON.stringify(body) };
  }
}

/** One call is answered with its own status, a batch with the status its calls share, or 207. */
export function answerRpc(ctx: RequestContext, { isBatch }: RpcRequest, answers: readonly RpcAnswer[]): void {
  const statuses = new Set(answers.map(({ status }) => status));
  const all = answers.map(({ json }) => json);
  const [status = 200] = statuses;
  for (const { headers } of answers) Object.assign(ctx.state.headers, headers);
  answerJson(ctx, statuses.size > 1 ? 207 : status, isBatch ? `[${all.join()}]` : all.join());
  if (isBatch) ctx.vary('trpc-accept, accept');
  if (isBatch && wantsLines(ctx)) answerInLines(ctx, all);
}

/** httpBatchStreamLink asks for JSON lines in either header. */
const wantsLines = (ctx: RequestContext) =>
  `${ctx.get('trpc-accept')},${ctx.get('accept')}`.split(',').some((type) => type.trim() === linesType);

const linesType = 'application/jsonl';

/**
 * One line holds all answers, each as `[[value], ...promises]` without promises: no answer may leave before the audit
 * of the writes is stored. The status is 200, as the client takes any other for the failure of all calls.
 */
function answerInLines(ctx: RequestContext, all: readonly string[]): void {
  ctx.state.contentType = linesType;
  answerJson(ctx, 200, `{${all.map((json, index) => `"${index}":[[${json}]]`).join()}}\n`);
}
