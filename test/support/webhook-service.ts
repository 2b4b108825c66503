/** A service that sends webhooks to receivers on this machine. */
import { Dispatcher } from '../../server/events/dispatcher.ts';
import type { WebhookConfig } from '../../server/events/settings.ts';
import { createLimiter } from '../../server/limit/limiter.ts';
import { createLog } from '../../server/observability/log.ts';
import { startTestService, type TestService } from './service.ts';
import { useForEach, useStarted } from './use-started.ts';
import { createWebhookCalls } from './webhook-calls.ts';
import { startReceiver } from './webhook-receiver.ts';

export const webhookSettings: WebhookConfig = {
  secretsKeys: [],
  timeoutMs: 1000,
  watchCallsPerMinute: 120,
  retryMs: [5000, 300_000, 1_800_000],
  disableAfterMs: 120 * 3_600_000,
  allowedAddresses: ['127.0.0.0/8'],
};

type ServiceOptions = NonNullable<Parameters<typeof startTestService>[0]>;

/** A service shared by the tests of a `describe`, calls about its webhooks, and a receiver for each test. */
export function useWebhookService(settings?: Partial<WebhookConfig>, options?: ServiceOptions) {
  const receiver = useForEach(startReceiver);
  const service = useStarted(() => startWebhookService(settings, options));
  const calls = createWebhookCalls(service);
  /** A customer with a webhook to the receiver, and that customer's calls. */
  async function subscribe({ url = receiver.url, ...body }: { url?: string; [field: string]: unknown } = {}) {
    const { user, secret: key } = await service.addKey();
    const { webhook, secret } = await calls.createWebhook(key, url, body);
    const path = `/webhooks/${webhook.id}`;
    return {
      ...{ user, key, webhook, secret, path, id: webhook.id as string },
      open: (title?: string) => calls.openTicket(key, title),
      untilTried: (count?: number) => calls.untilTried(key, webhook.id, count),
      read: async () => (await service.call('GET', path, { key })).body.webhook,
    };
  }
  return { service, receiver, calls, subscribe };
}

/** Sends stored events from its start on. */
export async function startWebhookService(
  settings: Partial<WebhookConfig> = {},
  options: ServiceOptions = {},
) {
  const service = await startServiceWithoutSending(settings, options);
  const dispatcher = startSending(service, { ...webhookSettings, ...settings });
  return {
    ...service,
    /** Stops sending only: requests are still served. */
    stopSending: () => dispatcher.stop(),
    async leave() {
      await dispatcher.stop();
      await service.leave();
    },
    async stop() {
      await dispatcher.stop();
      await service.stop();
    },
  };
}

/** Stores events and leaves sending to other processes. */
export const startServiceWithoutSending = (
  settings: Partial<WebhookConfig> = {},
  options: ServiceOptions = {},
): Promise<TestService> =>
  startTestService({
    rateLimitPerMinute: 1_000_000,
    ...options,
    config: { webhooks: { ...webhookSettings, ...settings }, ...options.config },
  });

/** Another process that sends stored events; it checks for them more often than in production. */
export const startSending = ({ models, clock }: TestService, settings = webhookSettings): Dispatcher =>
  new Dispatcher({
    ...{ models, clock: clock.now, settings, sweepMs: 100, onAttempt: () => {} },
    limiter: createLimiter({ clock: clock.now, shared: null }),
    log: createLog('warn', { write: () => {} }),
  });
