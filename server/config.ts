/** Every setting of the service, read once. The only reader of process.env; a wrong value stops the start by name. */
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { KeyPolicy } from '../routers/context.ts';
import { isLoopback, missingSignInSettings, signInOf, signInSettings } from './account/settings.ts';
import { brandOf, brandSettings } from './brand-settings.ts';
import { missingSecretsKey, webhookSettings, webhooksOf } from './events/settings.ts';
import { mailOf, mailSettings, missingMailSettings } from './mail/settings.ts';
import { mongodbUri } from './mongodb-uri.ts';
import {
  commaList,
  contactUri,
  flag,
  headerText,
  hostNames,
  publicUrl,
  readSecretFiles,
  redisUrl,
  wholeNumber,
  withoutEndSlash,
} from './setting-types.ts';

const httpUrl = z.url({ protocol: /^https?$/ }).transform(withoutEndSlash);
const isOrigin = (url: string) => /^https?:/.test(url) && URL.canParse(url) && new URL(url).origin === url;
const origin = z
  .string()
  .transform(withoutEndSlash)
  .refine((url) => url === '*' || isOrigin(url), 'must be * or an origin such as https://app.example.com');

const traceProtocol = z.enum(['http/protobuf', 'http/json']);

const Environment = z.object({
  NODE_ENV: z.string().default('development'),
  PORT: wholeNumber(0, 65_535).default(3000),
  HOST: z.string().default('127.0.0.1'),
  PUBLIC_URL: publicUrl.optional(),
  MONGODB_URI: mongodbUri.optional(),
  REDIS_URL: redisUrl.optional(),
  MONGOMS_SYSTEM_BINARY: z.string().optional(),
  DATA_DIR: z.string().default('.data'),
  PANEL_URL: httpUrl.optional(),
  PANEL_PUBLIC_URL: httpUrl.optional(),
  PANEL_TYPE: z.string().default('pterodactyl'),
  PANEL_APPLICATION_KEY: headerText.optional(),
  PANEL_CLIENT_KEY: headerText.optional(),
  PANEL_NODE_CALLS: wholeNumber(1, 1000).default(4),
  PANEL_CALLS_PER_CUSTOMER: wholeNumber(0, 100_000).default(90),
  CONSOLE_COMMANDS: flag.default(false),
  PLAYER_QUERIES: flag.default(true),
  FILE_SOURCES: hostNames.default(['cdn.modrinth.com', 'hangarcdn.papermc.io', 'mediafilez.forgecdn.net']),
  KEY_MAX_DAYS: wholeNumber(0, 36_500).default(0),
  TICKETS_PER_DAY: wholeNumber(0, 1_000_000).default(200),
  RATE_LIMIT_PER_MINUTE: wholeNumber(1, 1_000_000).default(120),
  ADDRESS_LIMIT_PER_MINUTE: wholeNumber(0, 1_000_000).default(600),
  MAX_IN_FLIGHT: wholeNumber(1, 1_000_000).default(1000),
  MAX_REQUEST_MEGABYTES: wholeNumber(1, 100_000).default(32),
  MAX_RESPONSE_MEGABYTES: wholeNumber(1, 100_000).default(64),
  ...brandSettings,
  ...signInSettings,
  ...webhookSettings,
  ...mailSettings,
  METRICS_PORT: wholeNumber(0, 65_535).optional(),
  METRICS_HOST: z.string().default('127.0.0.1'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  TRUST_PROXY: flag.default(false),
  CORS_ORIGINS: commaList.pipe(z.array(origin)).default([]),
  SECURITY_CONTACT: contactUri.optional(),
  SEED_DEMO: flag.optional(),
  ALLOW_DEMO: flag.default(false),
  OTEL_SDK_DISABLED: z.string().optional(),
  OTEL_TRACES_EXPORTER: z.enum(['otlp', 'none']).optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl.optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: traceProtocol.default('http/protobuf'),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: traceProtocol.optional(),
  OTEL_EXPORTER_OTLP_TIMEOUT: wholeNumber(1, 60_000).default(3000),
  npm_lifecycle_event: z.string().optional(),
});

/** Settings that are secret, or hold a password: each may be in a file instead, which NAME_FILE names. */
export const secretSettings = [
  ...['MONGODB_URI', 'REDIS_URL', 'PANEL_APPLICATION_KEY', 'PANEL_CLIENT_KEY', 'SECRETS_KEY'],
  ...['SECRETS_KEY_PREVIOUS', 'SMTP_URL', 'OIDC_CLIENT_SECRET'],
] as const;

/** The environment variables that are read; secrets also as NAME_FILE. */
export const settingNames: readonly string[] = Object.keys(Environment.shape);

export type Config = ReturnType<typeof readConfig>;

/**
 * Reads the settings.
 * @throws {ConfigError} naming each variable that is wrong
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env) {
  // Without tracing, these variables are meant for other programs.
  const ignored = isTraced(environment) ? /^$/ : /^OTEL_/;
  const given = Object.fromEntries(
    Object.entries(environment).filter(([name, value]) => value !== '' && !ignored.test(name)),
  );
  const { secrets, problems: unread } = readSecretFiles(given, secretSettings);
  const parsed = Environment.safeParse({ ...given, ...secrets });
  if (!parsed.success || unread.length > 0)
    throw new ConfigError([...unread, ...(parsed.error?.issues ?? []).map(describe)]);
  const problems = [
    ...missingPanelKeys(parsed.data),
    ...missingSignInSettings(parsed.data),
    ...missingSecretsKey(parsed.data),
    ...missingMailSettings(parsed.data),
    ...demoInProduction(parsed.data),
  ];
  if (problems.length > 0) throw new ConfigError(problems);
  return present(parsed.data);
}

type Environment = z.infer<typeof Environment>;

function present(env: Environment) {
  return {
    port: env.PORT,
    host: env.HOST,
    publicUrl: env.PUBLIC_URL,
    /** Where to report a vulnerability; null: there is no security.txt. */
    securityContact: env.SECURITY_CONTACT ?? null,
    mongodbUri: env.MONGODB_URI,
    redisUrl: env.REDIS_URL,
    mongodSystemBinary: env.MONGOMS_SYSTEM_BINARY,
    dataDir: env.DATA_DIR,
    /** Beside the project, so that a fetched mongod outlives the data. */
    cacheDir: fileURLToPath(new URL(`${projectRoot}.cache/mongod`, import.meta.url)),
    panel: panelOf(env),
    players: { isOn: env.PLAYER_QUERIES, allowsLoopback: isPanelHere(env) },
    ...customersOf(env),
    ...limitsOf(env),
    ...brandOf(env),
    ...signInOf(env),
    ...webhooksOf(env),
    ...mailOf(env),
    metrics: env.METRICS_PORT === undefined ? null : { host: env.METRICS_HOST, port: env.METRICS_PORT },
    tracing: isTraced(env) ? tracingOf(env) : null,
    logLevel: env.LOG_LEVEL,
    trustProxy: env.TRUST_PROXY,
    corsOrigins: env.CORS_ORIGINS,
    /** Whether pages of any address of this machine may call, as front ends in the making do. */
    admitsLoopbackPages: env.NODE_ENV !== 'production',
    /** npm sets this variable; then npm's shell is our parent. */
    isRunByNpm: env.npm_lifecycle_event !== undefined,
    seedDemo: env.SEED_DEMO ?? env.MONGODB_URI === undefined,
    /** Whether demo data may be seeded when asked for. */
    allowsDemo: isDemoAllowed(env),
  };
}

/** What customers may do. */
const customersOf = (env: Environment) => ({
  hasConsoleCommands: env.CONSOLE_COMMANDS,
  /** Hosts from which servers may fetch files; none: this is turned off. */
  fileSources: env.FILE_SOURCES,
  /** New keys expire within so many days; null: they need not. */
  keyMaxDays: env.KEY_MAX_DAYS || null,
  /** How many tickets a customer may open in 24 hours; null: as many as it likes. */
  ticketsPerDay: env.TICKETS_PER_DAY || null,
});

const limitsOf = (env: Environment) => ({
  rateLimitPerMinute: env.RATE_LIMIT_PER_MINUTE,
  /** How many requests may be at work at once; more are refused. */
  inFlightMax: env.MAX_IN_FLIGHT,
  /** For callers without a verified key. 0 turns it off. */
  addressLimitPerMinute: env.ADDRESS_LIMIT_PER_MINUTE,
  /** For all request bodies that are being received or worked on. */
  requestBytesMax: env.MAX_REQUEST_MEGABYTES * megabyte,
  /** For all responses that clients have not taken yet. */
  responseBytesMax: env.MAX_RESPONSE_MEGABYTES * megabyte,
});

/** The exporter itself reads its address from the same variables. */
const tracingOf = (env: Environment) => ({
  protocol: env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? env.OTEL_EXPORTER_OTLP_PROTOCOL,
  /** Limits each export, and so how long the last one may delay the stop. */
  exportTimeoutMs: env.OTEL_EXPORTER_OTLP_TIMEOUT,
  /** Whether to accept `traceparent`: otherwise any caller could decide which calls are traced, and in whose trace. */
  isCallerTrusted: env.TRUST_PROXY,
});

const megabyte = 1024 * 1024;

/** This file runs from server/ and, compiled, from dist/server/. */
const projectRoot = import.meta.url.includes('/dist/server/') ? '../../' : '../';

/** When the standard variables ask for it; OpenTelemetry's specification takes nothing but "true" for true. */
const isTraced = (env: NodeJS.ProcessEnv | Environment) =>
  env.OTEL_SDK_DISABLED?.toLowerCase() !== 'true' &&
  env.OTEL_TRACES_EXPORTER !== 'none' &&
  Boolean(
    env.OTEL_TRACES_EXPORTER || env.OTEL_EXPORTER_OTLP_ENDPOINT || env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT,
  );

const panelOf = (env: Environment) =>
  env.PANEL_URL && env.PANEL_APPLICATION_KEY && env.PANEL_CLIENT_KEY
    ? {
        url: env.PANEL_URL,
        ...(env.PANEL_PUBLIC_URL && { publicUrl: env.PANEL_PUBLIC_URL }),
        kind: env.PANEL_TYPE,
        applicationKey: env.PANEL_APPLICATION_KEY,
        clientKey: env.PANEL_CLIENT_KEY,
        nodeCalls: env.PANEL_NODE_CALLS,
        callsPerCustomer: env.PANEL_CALLS_PER_CUSTOMER,
      }
    : null;

/** The demo panel is. */
const isPanelHere = ({ PANEL_URL: url }: Environment) => url === undefined || isLoopback(new URL(url));

const missingPanelKeys = (env: Environment) =>
  (['PANEL_APPLICATION_KEY', 'PANEL_CLIENT_KEY'] as const)
    .filter((name) => env.PANEL_URL && !env[name])
    .map((name) => `${name} is required with PANEL_URL`);

const isDemoAllowed = (env: Environment) => env.NODE_ENV !== 'production' || env.ALLOW_DEMO;

const demoInProduction = (env: Environment) =>
  [
    ...(env.MONGODB_URI ? [] : ['MONGODB_URI is required']),
    ...(env.PANEL_URL ? [] : ['PANEL_URL is required']),
    ...(env.SEED_DEMO ? ['SEED_DEMO must not be true'] : []),
  ]
    .filter(() => !isDemoAllowed(env))
    .map((rule) => `${rule} with NODE_ENV=production (ALLOW_DEMO=true lifts this)`);

const describe = (issue: z.core.$ZodIssue) => `${issue.path.join('.')}: ${issue.message}`;

/** The settings are not valid; the message names each variable and its rule. */
export class ConfigError extends Error {
  constructor(problems: string[]) {
    super(`The configuration is not valid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
}

/** Https ends at a proxy, whose own address every call seems to come from unless it is trusted. */
export const keyPolicyOf = ({ publicUrl, trustProxy, keyMaxDays }: Config): KeyPolicy => ({
  maxDays: keyMaxDays,
  canRestrictAddresses: trustProxy || !publicUrl?.startsWith('https:'),
});

/** Where the service listens, as programs of this machine reach it. */
export function localUrlOf({ host, port }: Pick<Config, 'host' | 'port'>): string {
  const localHost = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host;
  return `http://${localHost.includes(':') ? `[${localHost}]` : localHost}:${port}`;
}
