/** tRPC's wire format for results and errors, alone and in batches. */
import { memoizeByIdentity } from '../../routers/memoize-by-identity.ts';
import { errorShape } from '../../routers/trpc.ts';
import { type ErrorResponse, toErrorResponse } from '../http/error-response.ts';
import type { Reply } from '../http/exchange.ts';
import { type RequestContext, type RequestState, respondJson } from '../http/request-state.ts';

/** An error as `TRPCClientError` reads it, with our code and the request's id in its `data`. */
export const formatTrpcError = (
  failure: unknown,
  { requestId }: RequestState,
  name?: string,
): ErrorResponse => ({
  ...toErrorResponse(failure),
  body: { error: errorShape(failure, requestId, name) },
});

/** The result of a call as JSON, kept for outputs that are frozen. */
export const createFormatResult = () =>
  memoizeByIdentity((output: object) => `{"result":{"data":${JSON.stringify(output)}}}`);

/** One call has its own status, a batch the status that its calls share, or 207. */
export function respondTrpc(ctx: RequestContext, isBatch: boolean, replies: readonly Reply[]): void {
  const statuses = new Set(replies.map(({ status }) => (status < 400 ? 200 : status)));
  const all = replies.map(({ json }) => json);
  const [status = 200] = statuses;
  for (const { headers } of replies) Object.assign(ctx.state.headers, headers);
  respondJson(ctx, statuses.size > 1 ? 207 : status, isBatch ? `[${all.join()}]` : all.join());
  if (isBatch) ctx.vary('trpc-accept, accept');
  if (isBatch && acceptsLines(ctx)) respondInLines(ctx, all.map(String));
}

/** httpBatchStreamLink asks for JSON lines in either header. */
const acceptsLines = (ctx: RequestContext) =>
  `${ctx.get('trpc-accept')},${ctx.get('accept')}`.split(',').some((type) => type.trim() === linesType);

const linesType = 'application/jsonl';

/**
 * One line holds all results, each as `[[value], ...promises]` without promises: no result may leave before the audit
 * of the writes is stored. The status is 200, as the client takes any other for a failure of all calls.
 */
function respondInLines(ctx: RequestContext, all: readonly string[]): void {
  ctx.state.contentType = linesType;
  respondJson(ctx, 200, `{${all.map((json, index) => `"${index}":[[${json}]]`).join()}}\n`);
}
