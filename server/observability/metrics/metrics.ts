/**
 * Prometheus metrics, in a registry of their own.
 * Label values come from closed lists (operations, protocols, statuses, codes), never from a request.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { ProtocolName, RequestContext } from '../../../bridge/protocol.ts';
import { asApiError } from '../../../routers/errors.ts';
import type { ConsoleReadOutcome, OnOutcome } from '../../panel/failures.ts';

/** The events of the driver's client that are counted (Connection Monitoring and Pooling). */
export interface PoolEvents {
  on(event: PoolEvent, listener: () => void): unknown;
}

type PoolEvent =
  | 'connectionCreated'
  | 'connectionClosed'
  | 'connectionCheckedOut'
  | 'connectionCheckedIn'
  | 'connectionCheckOutFailed';

const noOperation = 'none';

const mailCountedMax = 10_000;

/** What is stored of deliveries that wait, in all processes. */
interface WaitingDeliveries {
  /** When the one that has waited longest became due. */
  oldestDue(of: { isMail: boolean }): Promise<Date | null>;
  countWaitingMail(limit: number): Promise<number>;
}

export class Metrics {
  readonly registry = new Registry();
  readonly #calls = new Counter({
    name: 'gamehost_calls_total',
    help: 'Operation calls; a batch counts each of its calls, a request without an operation counts as none.',
    labelNames: ['operation', 'status', 'protocol'],
    registers: [this.registry],
  });
  readonly #durations = new Histogram({
    name: 'gamehost_request_duration_seconds',
    help: 'Time from request to response; a batch has the operation several.',
    labelNames: ['operation', 'protocol'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [this.registry],
  });
  readonly #errors = new Counter({
    name: 'gamehost_refusals_total',
    help: 'Requests and calls that ended in an error, by error code.',
    labelNames: ['code', 'protocol'],
    registers: [this.registry],
  });
  readonly #panelCalls = new Counter({
    name: 'gamehost_panel_calls_total',
    help: 'Calls to the panel by API and outcome; circuitOpen ones were not sent.',
    labelNames: ['api', 'outcome'],
    registers: [this.registry],
  });

  readonly #consoleReads = new Counter({
    name: 'gamehost_console_reads_total',
    help: 'Reads of consoles from nodes by outcome; busy ones were not begun.',
    labelNames: ['outcome'],
    registers: [this.registry],
  });

  readonly #webhookAttempts = new Counter({
    name: 'gamehost_webhook_attempts_total',
    help: 'Attempts to deliver an event to a webhook, by outcome: success, or why it failed.',
    labelNames: ['outcome'],
    registers: [this.registry],
  });

  readonly #mailAttempts = new Counter({
    name: 'gamehost_mail_attempts_total',
    help: 'Attempts to send a mail, by outcome: success, or why it failed.',
    labelNames: ['outcome'],
    registers: [this.registry],
  });

  readonly #watchedServers = new Gauge({
    name: 'gamehost_watched_servers',
    help: 'Servers whose states this process watches for webhooks; 0 where another process does, or no webhook subscribes.',
    registers: [this.registry],
  });
  readonly #watchCalls = new Counter({
    name: 'gamehost_watch_measurements_total',
    help: 'Measurements of watched servers.',
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
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

  watchDeliveries(waiting: WaitingDeliveries): void {
    const registers = [this.registry];
    for (const [name, isMail] of [
      ['gamehost_webhook_oldest_pending_seconds', false],
      ['gamehost_mail_oldest_pending_seconds', true],
    ] as const)
      new Gauge({
        name,
        help: `For how long the oldest ${isMail ? 'mail' : 'delivery'} that is due has been waiting; 0 when none is.`,
        registers,
        async collect() {
          const due = await waiting.oldestDue({ isMail }).catch(() => null);
          this.set(due ? Math.max(0, (Date.now() - due.getTime()) / 1000) : 0);
        },
      });
    new Gauge({
      name: 'gamehost_mail_waiting',
      help: 'Mails that wait to be sent, or to be tried again; no more than 10000 are counted.',
      registers,
      async collect() {
        this.set(await waiting.countWaitingMail(mailCountedMax).catch(() => 0));
      },
    });
  }

  /** Counts the client's connections to MongoDB; call it once, before the client connects. */
  watchPool(client: PoolEvents): void {
    const registers = [this.registry];
    const open = new Gauge({ name: 'gamehost_mongodb_connections', help: 'Open connections.', registers });
    const busy = new Gauge({
      name: 'gamehost_mongodb_connections_busy',
      help: 'Connections in use by a call.',
      registers,
    });
    const failed = new Counter({
      name: 'gamehost_mongodb_checkout_failures_total',
      help: 'Calls that got no connection.',
      registers,
    });
    client.on('connectionCreated', () => open.inc());
    client.on('connectionClosed', () => open.dec());
    client.on('connectionCheckedOut', () => busy.inc());
    client.on('connectionCheckedIn', () => busy.dec());
    client.on('connectionCheckOutFailed', () => failed.inc());
  }
}
