/**
 * Prometheus metrics, in a separate registry.
 * Label values come from closed lists (operations, protocols, statuses, codes), never from a request.
 */
import type { EventEmitter } from 'node:events';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { ProtocolName, RequestContext } from '../../../bridge/protocol.ts';
import type { Models } from '../../../models/index.ts';
import { asApiError } from '../../../routers/errors.ts';
import type { ConsoleReadOutcome, OnOutcome } from '../../panel/failures.ts';

const noOperation = 'none';

const mailCountedMax = 10_000;

export class Metrics {
  readonly registry = new Registry();
  readonly #calls = this.#counter(
    'gamehost_calls_total',
    'Operation calls, including each call of a batch; a request without an operation has the operation none.',
    ['operation', 'status', 'protocol'],
  );
  readonly #durations = new Histogram({
    name: 'gamehost_request_duration_seconds',
    help: 'Time from request to response; the operation of a batch is several.',
    labelNames: ['operation', 'protocol'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [this.registry],
  });
  readonly #errors = this.#counter(
    'gamehost_refusals_total',
    'Requests and calls that ended in an error, by error code.',
    ['code', 'protocol'],
  );
  readonly #panelCalls = this.#counter(
    'gamehost_panel_calls_total',
    'Calls to the panel by API and outcome; those with circuitOpen were not sent.',
    ['api', 'outcome'],
  );
  readonly #consoleReads = this.#counter(
    'gamehost_console_reads_total',
    'Reads of consoles from nodes by outcome; those with busy were not started.',
    ['outcome'],
  );
  readonly #webhookAttempts = this.#counter(
    'gamehost_webhook_attempts_total',
    'Attempts to deliver an event to a webhook, by outcome: success, or why it failed.',
    ['outcome'],
  );
  readonly #mailAttempts = this.#counter(
    'gamehost_mail_attempts_total',
    'Attempts to send a mail, by outcome: success, or why it failed.',
    ['outcome'],
  );
  readonly #watchedServers = this.#gauge(
    'gamehost_watched_servers',
    'Servers whose states this process watches for webhooks; 0 where another process does, or no webhook subscribes.',
  );
  readonly #watchCalls = this.#counter(
    'gamehost_watch_measurements_total',
    'Measurements of watched servers.',
  );

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  #counter<Label extends string>(name: string, help: string, labelNames: Label[] = []): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  #gauge(name: string, help: string, read?: () => Promise<number>): Gauge {
    return new Gauge({
      name,
      help,
      registers: [this.registry],
      ...(read && {
        async collect() {
          this.set(await read().catch(() => 0));
        },
      }),
    });
  }

  countRequest({ state, status }: RequestContext, durationMs: number): void {
    const { calls, protocol } = state.record;
    const [first] = calls;
    for (const call of calls)
      this.#calls.inc({ operation: call.operation ?? noOperation, status: call.status, protocol });
    if (!first) this.#calls.inc({ operation: noOperation, status, protocol });
    const operation = calls.length > 1 ? 'several' : (first?.operation ?? noOperation);
    this.#durations.observe({ operation, protocol }, durationMs / 1000);
  }

  countError(error: unknown, protocol: ProtocolName): void {
    this.#errors.inc({ code: asApiError(error).apiCode, protocol });
  }

  readonly countPanelCall: OnOutcome = (api, outcome) => {
    this.#panelCalls.inc({ api, outcome });
  };

  readonly recordWatch = ({ servers, measurements }: { servers: number; measurements: number }): void => {
    this.#watchedServers.set(servers);
    this.#watchCalls.inc(measurements);
  };

  readonly countConsoleRead = (outcome: ConsoleReadOutcome): void => {
    this.#consoleReads.inc({ outcome });
  };

  countAttempt(outcome: string, isMail: boolean): void {
    (isMail ? this.#mailAttempts : this.#webhookAttempts).inc({ outcome });
  }

  watchDeliveries(waiting: Pick<Models['deliveries'], 'oldestDue' | 'countWaitingMail'>): void {
    for (const [name, what, isMail] of [
      ['gamehost_webhook_oldest_pending_seconds', 'delivery', false],
      ['gamehost_mail_oldest_pending_seconds', 'mail', true],
    ] as const)
      this.#gauge(
        name,
        `How long the oldest ${what} that is due has been waiting; 0 when none is due.`,
        async () => {
          const due = await waiting.oldestDue({ isMail });
          return due ? Math.max(0, (Date.now() - due.getTime()) / 1000) : 0;
        },
      );
    this.#gauge(
      'gamehost_mail_waiting',
      'Mails that wait to be sent or retried; at most 10000 are counted.',
      () => waiting.countWaitingMail(mailCountedMax),
    );
  }

  /** Call it once, before the client connects. */
  watchPool(client: EventEmitter): void {
    const open = this.#gauge('gamehost_mongodb_connections', 'Open connections.');
    const busy = this.#gauge('gamehost_mongodb_connections_busy', 'Connections in use by a call.');
    const failed = this.#counter('gamehost_mongodb_checkout_failures_total', 'Calls that got no connection.');
    client.on('connectionCreated', () => open.inc());
    client.on('connectionClosed', () => open.dec());
    client.on('connectionCheckedOut', () => busy.inc());
    client.on('connectionCheckedIn', () => busy.dec());
    client.on('connectionCheckOutFailed', () => failed.inc());
  }
}
