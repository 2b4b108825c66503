/** What a protocol supplies to the pipeline (server/pipeline.ts), which does authentication, limits, audit and errors once for all. */
import type { Call, Cost, Exchange, Reply } from './exchange.ts';
import type { JsonChunks } from './json-chunks.ts';
import type { RequestContext, SelectedProtocol } from './request-state.ts';

/** Methods, not functions, so that a protocol with a richer exchange is one too. */
export interface Protocol<Parsed extends Exchange = Exchange> extends SelectedProtocol {
  /** How many calls of one batch run side by side. */
  readonly concurrency: number;
  /** What a request costs that cannot be parsed. */
  readonly unparsedCost: Cost;
  /** What the request asks for. Receives the body only if it names the calls, and then only from a caller with a key. */
  parse(ctx: RequestContext): Parsed | Promise<Parsed>;
  formatResult(output: object, call: Call): string | JsonChunks;
  /** @param replies one for each call, in their order */
  respond(ctx: RequestContext, exchange: Parsed, replies: readonly Reply[]): void | Promise<void>;
}
