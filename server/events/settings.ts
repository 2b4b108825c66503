/** The settings of webhooks: the key that encrypts their secrets, and how deliveries are retried. */
import { isIP, isIPv6 } from 'node:net';
import { z } from 'zod';
import { hourMs } from '../../models/support/durations.ts';
import { commaList, secret, wholeNumber } from '../setting-types.ts';

const keyBytesMin = 32;

/** Text of only hexadecimal digits is never read as base64: a key that lost a digit would become another key. */
function decodeKey(text: string): Buffer | null {
  if (/^[0-9a-f]+$/i.test(text)) return text.length === 2 * keyBytesMin ? Buffer.from(text, 'hex') : null;
  return /^[\w+/-]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : null;
}

const secretsKey = z
  .string()
  .transform(decodeKey)
  .refine((key) => key !== null && key.length >= keyBytesMin, {
    error: `must be ${2 * keyBytesMin} hexadecimal digits, or ${keyBytesMin} bytes or more as base64; create one with openssl rand -hex ${keyBytesMin}`,
  })
  .optional();

const isCidr = (text: string) => {
  const [network = '', bits = '', ...others] = text.split('/');
  const addressBits = isIPv6(network) ? 128 : 32;
  return isIP(network) !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= addressBits && others.length === 0;
};

const dayS = 86_400;

export const webhookSettings = {
  SECRETS_KEY: secret(
    secretsKey,
    'Turns on webhooks and second factors, and encrypts their secrets; create one with openssl rand -hex 32',
  ),
  SECRETS_KEY_PREVIOUS: secret(
    secretsKey,
    'The previous key, for one start of each process with a new SECRETS_KEY',
  ),
  /** At most 30, because an attempt must end before the lease of its delivery. */
  WEBHOOK_TIMEOUT_SECONDS: wholeNumber(1, 30)
    .default(15)
    .describe('How many seconds the receiver of a webhook may take to respond, at most 30'),
  WEBHOOK_RETRY_SECONDS: commaList
    .pipe(
      z
        .array(wholeNumber(1, 7 * dayS))
        .min(1)
        .max(30),
    )
    .default([5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400])
    .describe('When a failed delivery is retried, in seconds after the last attempt'),
  WEBHOOK_DISABLE_AFTER_HOURS: wholeNumber(1, 24 * 365)
    .default(120)
    .describe('After how many hours without a success a webhook is turned off'),
  SERVER_WATCH_CALLS_PER_MINUTE: wholeNumber(1, 10_000)
    .default(120)
    .describe('How many panel calls per minute the service may make to watch servers for webhooks'),
  WEBHOOK_ALLOWED_ADDRESSES: commaList
    .pipe(z.array(z.string().refine(isCidr, 'must be a range of addresses such as 10.1.0.0/16')))
    .default([])
    .describe(
      'Address ranges that webhooks may be sent to, besides the public internet, such as 10.1.0.0/16',
    ),
};

type WebhookSettings = z.infer<z.ZodObject<typeof webhookSettings>>;

export const readWebhookConfig = (env: WebhookSettings & { MONGODB_URI?: string | undefined }) => ({
  /** Without MONGODB_URI, the embedded database creates its own key. */
  hasWebhooks: env.SECRETS_KEY !== undefined || env.MONGODB_URI === undefined,
  webhooks: {
    secretsKeys: [env.SECRETS_KEY, env.SECRETS_KEY_PREVIOUS].flatMap((key) => key ?? []),
    timeoutMs: env.WEBHOOK_TIMEOUT_SECONDS * 1000,
    retryMs: env.WEBHOOK_RETRY_SECONDS.map((each) => each * 1000),
    disableAfterMs: env.WEBHOOK_DISABLE_AFTER_HOURS * hourMs,
    allowedAddresses: env.WEBHOOK_ALLOWED_ADDRESSES,
    watchCallsPerMinute: env.SERVER_WATCH_CALLS_PER_MINUTE,
  },
});

export type WebhookConfig = ReturnType<typeof readWebhookConfig>['webhooks'];

export const findSecretsKeyProblems = (env: WebhookSettings) =>
  env.SECRETS_KEY_PREVIOUS && !env.SECRETS_KEY ? ['SECRETS_KEY is required with SECRETS_KEY_PREVIOUS'] : [];
