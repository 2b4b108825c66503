/** A service that sends notices to a real SMTP server for tests. */
import { Dispatcher } from '../../server/events/dispatcher.ts';
import { createLimiter } from '../../server/limit/limiter.ts';
import { createMailer } from '../../server/mail/mailer.ts';
import { createLog } from '../../server/observability/log.ts';
import { startTestService, type TestService } from './service.ts';
import { startSmtp } from './smtp-receiver.ts';
import { useStarted } from './use-started.ts';
import { webhookSettings } from './webhook-service.ts';

export const supportEmail = 'support@host.example';

type Options = NonNullable<Parameters<typeof startTestService>[0]> & {
  attemptMs?: number;
};

type MailService = Awaited<ReturnType<typeof startMailService>>;

/** A service and its mail server, shared by the tests of a `describe`. */
export const useMailService = (options?: Options): MailService => useStarted(() => startMailService(options));

async function startMailService({ attemptMs, ...options }: Options = {}) {
  const smtp = await startSmtp();
  const service = await startTestService({
    rateLimitPerMinute: 1_000_000,
    ...options,
    config: { webhooks: webhookSettings, ticketsPerDay: null, ...options.config },
  });
  await service.models.notices.applySettings(['customer', 'host'], new Date(0));
  /** The log of the sending process, and the outcomes of its attempts. */
  const sending = { lines: [] as string[], outcomes: [] as string[] };
  const start = () => startMailing(service, smtp.url, { attemptMs, ...sending });
  let stopSending = start();
  return {
    ...service,
    smtp,
    sending,
    async stopSendingFor(act: () => Promise<unknown>) {
      await stopSending();
      await act();
      stopSending = start();
    },
    async stop() {
      await stopSending();
      await service.stop();
      await smtp.stop();
    },
  };
}

interface Sending {
  attemptMs?: number | undefined;
  lines?: string[];
  outcomes?: string[];
}

/** Another process that sends mail; returns a function that stops it. */
export function startMailing(
  { models, clock, url: publicUrl }: Pick<TestService, 'models' | 'clock' | 'url'>,
  smtpUrl: string,
  { attemptMs = 5000, lines = [], outcomes = [] }: Sending = {},
): () => Promise<void> {
  const { hostname: host, port } = new URL(smtpUrl);
  const server = { host, port: Number(port), isTls: false, credentials: null, allowsUntrusted: false };
  const mailer = createMailer({ server, from: { name: 'Host', address: 'noreply@host.example' } }, attemptMs);
  const brand = { name: 'Example Hosting', publicUrl };
  const dispatcher = new Dispatcher({
    ...{ models, clock: clock.now, settings: webhookSettings, sweepMs: 100 },
    onAttempt: (outcome) => void outcomes.push(outcome),
    limiter: createLimiter({ clock: clock.now, shared: null }),
    log: createLog('warn', { write: (line) => void lines.push(line) }),
    mail: { mailer, brand, supportEmail },
  });
  return () => dispatcher.stop();
}
