/** Every setting of the service. Only this file reads process.env; a start with a wrong value fails and names the setting. */
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { KeyPolicy } from '../routers/context.ts';
import { missingSignInSettings, readSignInSettings, signInSettings } from './account/settings.ts';
import { brandOf, brandSettings } from './brand-settings.ts';
import { findSecretsKeyProblems, readWebhookConfig, webhookSettings } from './events/settings.ts';
import { isLoopback } from './loopback.ts';
import { mailOf, mailSettings, missingMailSettings } from './mail/settings.ts';
import { mongodbUri } from './mongodb-uri.ts';
import {
  commaList,
  contactUri,
  contentSignal,
  flag,
  headerText,
  hostNames,
  publicUrl,
  readSecretFiles,
  redisUrl,
  secret,
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
  NODE_ENV: z
    .string()
    .default('development')
    .describe('production refuses the demo and calls from web pages of this machine'),
  PORT: wholeNumber(0, 65_535)
    .default(3000)
    .describe('The port to listen on; with docker compose, the one that nginx publishes'),
  HOST: z.string().default('127.0.0.1').describe('The address to listen on; 0.0.0.0 for all'),
  PUBLIC_URL: publicUrl
    .optional()
    .describe(
      'The address that users see, with https and without a path: links begin with it, and apps sign users in at it',
    ),
  MONGODB_URI: secret(
    mongodbUri.optional(),
    'The MongoDB replica set or mongos; docker compose sets its own, and if unset an embedded MongoDB starts',
  ),
  REDIS_URL: secret(
    redisUrl.optional(),
    'The Redis in which several processes share their rate limits; docker compose sets its own',
  ),
  MONGOMS_SYSTEM_BINARY: z
    .string()
    .optional()
    .describe('The mongod of the embedded MongoDB, if it is not in the PATH'),
  DATA_DIR: z.string().default('.data').describe('Where the embedded MongoDB keeps its data'),
  PANEL_URL: httpUrl
    .optional()
    .describe('The Pterodactyl or Pelican panel, as the service reaches it; if unset, a demo panel is used'),
  PANEL_PUBLIC_URL: httpUrl.optional().describe('Where customers find the panel, if not at PANEL_URL'),
  PANEL_TYPE: z
    .string()
    .default('pterodactyl')
    .describe('The type that the API shows for each server: pterodactyl or pelican'),
  PANEL_APPLICATION_KEY: secret(
    headerText.optional(),
    'An application key of the panel (ptla_, on Pelican papp_) with Read for users, servers and allocations',
  ),
  PANEL_CLIENT_KEY: secret(
    headerText.optional(),
    'A client key (ptlc_, on Pelican pacc_) of a root administrator of the panel, for power, backups, consoles and files',
  ),
  PANEL_NODE_CALLS: wholeNumber(1, 1000)
    .default(4)
    .describe(
      'Concurrent calls per process for which the panel waits for its nodes: by default a panel has five workers',
    ),
  PANEL_CALLS_PER_CUSTOMER: wholeNumber(0, 100_000)
    .default(90)
    .describe('Panel calls per customer and minute, plus one for each server of the customer; 0: no limit'),
  CONSOLE_COMMANDS: flag
    .default(false)
    .describe("Lets keys have write:console, which sends commands to the consoles of the owner's servers"),
  PLAYER_QUERIES: flag
    .default(true)
    .describe('Asks the games of running servers who is playing, at the addresses that players use'),
  FILE_SOURCES: hostNames
    .default(['cdn.modrinth.com', 'hangarcdn.papermc.io', 'mediafilez.forgecdn.net'])
    .describe('Host names from which servers may fetch files, such as plugins; none: no files are fetched'),
  KEY_MAX_DAYS: wholeNumber(0, 36_500)
    .default(0)
    .describe('New keys must expire within this many days; 0: they need not expire'),
  TICKETS_PER_DAY: wholeNumber(0, 1_000_000)
    .default(200)
    .describe('How many tickets a customer may open in 24 hours; 0: no limit'),
  RATE_LIMIT_PER_MINUTE: wholeNumber(1, 1_000_000).default(120).describe('Calls per minute and key'),
  ADDRESS_LIMIT_PER_MINUTE: wholeNumber(0, 1_000_000)
    .default(600)
    .describe('Requests without a valid key per minute and address; 0: no limit'),
  MAX_IN_FLIGHT: wholeNumber(1, 1_000_000)
    .default(1000)
    .describe('Requests in progress per process; further ones are answered with 503'),
  ...brandSettings,
  ...signInSettings,
  ...webhookSettings,
  ...mailSettings,
  METRICS_PORT: wholeNumber(0, 65_535).optional().describe('Serves /metrics to Prometheus at this port'),
  METRICS_HOST: z
    .string()
    .default('127.0.0.1')
    .describe('The address where METRICS_PORT is served; docker compose sets its own'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('trace, debug, info, warn, error, fatal or silent; at info there is a line per request'),
  TRUST_PROXY: flag
    .default(false)
    .describe(
      'Trusts X-Forwarded-For and -Proto: only behind a proxy that sets them, as docker compose does',
    ),
  CORS_ORIGINS: commaList
    .pipe(z.array(origin))
    .default([])
    .describe('Origins whose web pages may call the API, separated by commas'),
  SECURITY_CONTACT: contactUri
    .optional()
    .describe(
      'Where to report a vulnerability, for /.well-known/security.txt: an e-mail address or an https address',
    ),
  CONTENT_SIGNAL: contentSignal
    .default('search=yes, ai-input=yes, ai-train=no')
    .describe('How search engines and AI may use the documents, for /robots.txt; none: no statement'),
  SEED_DEMO: flag.optional().describe('Adds demo data once; by default with the embedded MongoDB only'),
  ALLOW_DEMO: flag.default(false).describe('Allows the demo with NODE_ENV=production'),
  OTEL_SDK_DISABLED: z.string().optional().describe('true turns traces off'),
  OTEL_TRACES_EXPORTER: z
    .enum(['otlp', 'none'])
    .optional()
    .describe("otlp turns traces on at the collector's usual address, none turns them off"),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl
    .optional()
    .describe('An OpenTelemetry collector, which turns traces on'),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl
    .optional()
    .describe('The same for traces only, with the full path'),
  OTEL_EXPORTER_OTLP_PROTOCOL: traceProtocol.default('http/protobuf').describe('http/protobuf or http/json'),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: traceProtocol.optional().describe('The same for traces only'),
  OTEL_EXPORTER_OTLP_TIMEOUT: wholeNumber(1, 60_000)
    .default(3000)
    .describe('How long an export of traces may take, in milliseconds'),
});

export const settings: Readonly<Record<string, z.ZodType>> = Environment.shape;

export const secretSettings = Object.keys(settings).filter((name) => settings[name]?.meta()?.['isSecret']);

export type Config = ReturnType<typeof readConfig>;

/** @throws {ConfigError} that names each wrong variable */
export function readConfig(environment: NodeJS.ProcessEnv = process.env) {
  // While tracing is off, the OTEL_ variables are meant for other programs.
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
    ...findSecretsKeyProblems(parsed.data),
    ...missingMailSettings(parsed.data),
    ...demoInProduction(parsed.data),
  ];
  if (problems.length > 0) throw new ConfigError(problems);
  return toConfig(parsed.data, environment['npm_lifecycle_event'] !== undefined);
}

type Environment = z.infer<typeof Environment>;

function toConfig(env: Environment, isRunByNpm: boolean) {
  return {
    port: env.PORT,
    host: env.HOST,
    publicUrl: env.PUBLIC_URL,
    securityContact: env.SECURITY_CONTACT ?? null,
    contentSignal: env.CONTENT_SIGNAL,
    mongodbUri: env.MONGODB_URI,
    redisUrl: env.REDIS_URL,
    mongodSystemBinary: env.MONGOMS_SYSTEM_BINARY,
    dataDir: env.DATA_DIR,
    /** In the project, not in the data directory, so that a downloaded mongod outlives the data. */
    cacheDir: fileURLToPath(new URL(`${projectRoot}.cache/mongod`, import.meta.url)),
    panel: panelOf(env),
    players: { isOn: env.PLAYER_QUERIES, allowsLoopback: isPanelOnThisMachine(env) },
    ...customersOf(env),
    ...limitsOf(env),
    ...brandOf(env),
    ...readSignInSettings(env),
    ...readWebhookConfig(env),
    ...mailOf(env),
    metrics: env.METRICS_PORT === undefined ? null : { host: env.METRICS_HOST, port: env.METRICS_PORT },
    tracing: isTraced(env) ? tracingOf(env) : null,
    logLevel: env.LOG_LEVEL,
    trustProxy: env.TRUST_PROXY,
    corsOrigins: env.CORS_ORIGINS,
    /** Whether web pages served from this machine, such as front ends under development, may call the API. */
    admitsLoopbackPages: env.NODE_ENV !== 'production',
    /** If true, the parent process is npm's shell, and the service stops when that shell ends. */
    isRunByNpm,
    seedDemo: env.SEED_DEMO ?? env.MONGODB_URI === undefined,
    allowsDemo: isDemoAllowed(env),
  };
}

const customersOf = (env: Environment) => ({
  hasConsoleCommands: env.CONSOLE_COMMANDS,
  fileSources: env.FILE_SOURCES,
  keyMaxDays: env.KEY_MAX_DAYS || null,
  ticketsPerDay: env.TICKETS_PER_DAY || null,
});

const limitsOf = (env: Environment) => ({
  rateLimitPerMinute: env.RATE_LIMIT_PER_MINUTE,
  inFlightMax: env.MAX_IN_FLIGHT,
  addressLimitPerMinute: env.ADDRESS_LIMIT_PER_MINUTE,
  /** Limits all request bodies together that the process receives or handles at one time. */
  requestBytesMax: 32 * megabyte,
  /** Limits all responses together that clients have not read yet. */
  responseBytesMax: 64 * megabyte,
});

/** Omits the collector's address, because the exporter reads that variable itself. */
const tracingOf = (env: Environment) => ({
  protocol: env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? env.OTEL_EXPORTER_OTLP_PROTOCOL,
  /** Limits each export, and so how long the last one can delay the stop. */
  exportTimeoutMs: env.OTEL_EXPORTER_OTLP_TIMEOUT,
  /** Whether to accept `traceparent`, with which a caller decides which calls are traced, and in whose trace. */
  isCallerTrusted: env.TRUST_PROXY,
});

const megabyte = 1024 * 1024;

/** This file runs from server/ and, compiled, from dist/server/. */
const projectRoot = import.meta.url.includes('/dist/server/') ? '../../' : '../';

/** OpenTelemetry's specification accepts only "true" as true. */
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

/** Without PANEL_URL, the service uses the demo panel, which is on this machine. */
const isPanelOnThisMachine = ({ PANEL_URL: url }: Environment) =>
  url === undefined || isLoopback(new URL(url));

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

export class ConfigError extends Error {
  constructor(problems: string[]) {
    super(`The configuration is not valid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
}

/** An https address implies a proxy. Unless it is trusted, every call seems to come from the proxy's own address. */
export const keyPolicyOf = ({ publicUrl, trustProxy, keyMaxDays }: Config): KeyPolicy => ({
  maxDays: keyMaxDays,
  canRestrictAddresses: trustProxy || !publicUrl?.startsWith('https:'),
});

export function localUrlOf({ host, port }: Pick<Config, 'host' | 'port'>): string {
  const localHost = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host;
  return `http://${localHost.includes(':') ? `[${localHost}]` : localHost}:${port}`;
}
