/**
 * A span for each command that a request sends to MongoDB, from the driver's own command monitoring: what was asked of
 * which collection, never with what values. Calls that are gathered into one command are in the trace of the first.
 */
import { type Span, SpanKind, SpanStatusCode, type Spans } from './spans.ts';

/** The part of the driver's client that is listened to (Command Logging and Monitoring). */
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
  /** The same for the events of one command. */
  requestId: number;
}

interface CommandFailed extends CommandEnded {
  failure: Error;
}

export function watchCommands(client: CommandEvents, spans: Spans): void {
  const underWay = new Map<number, Span>();
  const end = ({ requestId }: CommandEnded) => {
    underWay.get(requestId)?.end();
    underWay.delete(requestId);
  };
  client.on('commandStarted', (event) => {
    const span = spans.begin(...describe(event));
    if (span) underWay.set(event.requestId, span);
  });
  client.on('commandSucceeded', end);
  client.on('commandFailed', (event) => {
    const span = underWay.get(event.requestId);
    span?.setAttribute('error.type', event.failure.name).setStatus({ code: SpanStatusCode.ERROR });
    end(event);
  });
}

function describe({ commandName, databaseName, command }: CommandStarted) {
  const named = command[commandName];
  const collection = typeof named === 'string' ? named : null;
  const attributes = {
    'db.system.name': 'mongodb',
    'db.namespace': databaseName,
    'db.operation.name': commandName,
    ...(collection && { 'db.collection.name': collection }),
  };
  const name = collection ? `${commandName} ${collection}` : commandName;
  return [name, { kind: SpanKind.CLIENT, attributes }] as const;
}
