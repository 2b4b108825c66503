/**
 * A span per MongoDB command of a request, from the driver's command monitoring: command and collection, never values.
 * Calls that were batched into one command appear in the trace of the first one.
 */
import { type Span, SpanKind, SpanStatusCode, type Spans } from './spans.ts';

/** The events of the driver's client that are traced (Command Logging and Monitoring). */
export interface CommandEvents {
  on(event: 'commandStarted', listener: (event: CommandStarted) => void): unknown;
  on(event: 'commandSucceeded', listener: (event: CommandEnded) => void): unknown;
  on(event: 'commandFailed', listener: (event: CommandFailed) => void): unknown;
}

interface CommandStarted extends CommandEnded {
  commandName: string;
  databaseName: string;
  command: Readonly<Record<string, unknown>>;
}

interface CommandEnded {
  /** The same for all events of one command. */
  requestId: number;
}

interface CommandFailed extends CommandEnded {
  failure: Error;
}

export function traceCommands(client: CommandEvents, spans: Spans): void {
  const activeSpans = new Map<number, Span>();
  const end = ({ requestId }: CommandEnded) => {
    activeSpans.get(requestId)?.end();
    activeSpans.delete(requestId);
  };
  client.on('commandStarted', (event) => {
    const span = spans.start(...describe(event));
    if (span) activeSpans.set(event.requestId, span);
  });
  client.on('commandSucceeded', end);
  client.on('commandFailed', (event) => {
    const span = activeSpans.get(event.requestId);
    span?.setAttribute('error.type', event.failure.name).setStatus({ code: SpanStatusCode.ERROR });
    end(event);
  });
}

function describe({ commandName, databaseName, command }: CommandStarted) {
  const target = command[commandName];
  const collection = typeof target === 'string' ? target : null;
  const attributes = {
    'db.system.name': 'mongodb',
    'db.namespace': databaseName,
    'db.operation.name': commandName,
    ...(collection && { 'db.collection.name': collection }),
  };
  const name = collection ? `${commandName} ${collection}` : commandName;
  return [name, { kind: SpanKind.CLIENT, attributes }] as const;
}
