/** What the service is made of, as `main.ts` or a test puts it together. */
import type { AnyRouter } from '@trpc/server';
import type { Models } from '../models/index.ts';
import type { Panel } from '../routers/panel-port.ts';
import type { Clock } from '../routers/ports.ts';
import type { Config } from './config.ts';
import type { Fetch } from './oauth/client-metadata.ts';
import type { Readiness } from './observability/health.ts';
import type { Log } from './observability/log.ts';
import type { Metrics } from './observability/metrics/metrics.ts';
import type { Tracing } from './observability/tracing/create-tracing.ts';
import type { SharedRedis } from './redis.ts';

export interface AppDeps {
  models: Models;
  panel: Panel;
  clock: Clock;
  log: Log;
  /** What several processes count in together; null where there is one. */
  shared?: SharedRedis | null;
  readiness: Readiness;
  metrics?: Metrics | null;
  tracing?: Tracing | null;
  config: Pick<
    Config,
    | 'rateLimitPerMinute'
    | 'addressLimitPerMinute'
    | 'inFlightMax'
    | 'requestBytesMax'
    | 'responseBytesMax'
    | 'trustProxy'
    | 'corsOrigins'
    | 'admitsLoopbackPages'
    | 'publicUrl'
  > &
    Partial<
      Pick<
        Config,
        | 'brand'
        | 'supportEmail'
        | 'hasPasswordSignIn'
        | 'signInHelp'
        | 'identityProvider'
        | 'hasConsoleCommands'
        | 'keyMaxDays'
        | 'ticketsPerDay'
        | 'hasWebhooks'
        | 'webhooks'
      >
    >;
  /** The operations to serve; the service's own unless a test brings others. */
  router?: AnyRouter;
  /** Fetches metadata documents of apps; a test may fetch from this machine. */
  fetchDocument?: Fetch | null;
}
