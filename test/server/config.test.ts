/** How settings are read, their defaults, and which ones need each other. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { readConfig, secretSettings } from '../../server/config.ts';
import { problemsOf } from '../support/config-problems.ts';
import { useDirectory } from '../support/directory.ts';

describe('the configuration', () => {
  const folder = useDirectory();
  const panelKeys = { PANEL_APPLICATION_KEY: 'ptla_1', PANEL_CLIENT_KEY: 'ptlc_1' };
  const settings: [name: string, given: string, field: string, read: unknown, otherwise: unknown][] = [
    ['PORT', '8080', 'port', 8080, 3000],
    ['HOST', '0.0.0.0', 'host', '0.0.0.0', '127.0.0.1'],
    ['PUBLIC_URL', 'https://api.example.com/', 'publicUrl', 'https://api.example.com', undefined],
    ['MONGODB_URI', 'mongodb://db.example.com/a', 'mongodbUri', 'mongodb://db.example.com/a', undefined],
    ['DATA_DIR', '/var/lib/gamehost', 'dataDir', '/var/lib/gamehost', '.data'],
    ['MONGOMS_SYSTEM_BINARY', '/usr/bin/mongod', 'mongodSystemBinary', '/usr/bin/mongod', undefined],
    ['CONSOLE_COMMANDS', 'true', 'hasConsoleCommands', true, false],
    ['PLAYER_QUERIES', 'false', 'players.isOn', false, true],
    ['RATE_LIMIT_PER_MINUTE', '60', 'rateLimitPerMinute', 60, 120],
    ['MAX_IN_FLIGHT', '50', 'inFlightMax', 50, 1000],
    ['METRICS_PORT', '9090', 'metrics', { host: '127.0.0.1', port: 9090 }, null],
    ['LOG_LEVEL', 'debug', 'logLevel', 'debug', 'info'],
    ['TRUST_PROXY', 'true', 'trustProxy', true, false],
    [
      'CORS_ORIGINS',
      'https://a.example.com, http://localhost:1/',
      'corsOrigins',
      ['https://a.example.com', 'http://localhost:1'],
      [],
    ],
    [
      'FILE_SOURCES',
      'Files.Example.com, cdn.example.com',
      'fileSources',
      ['files.example.com', 'cdn.example.com'],
      ['cdn.modrinth.com', 'hangarcdn.papermc.io', 'mediafilez.forgecdn.net'],
    ],
    [
      'CONTENT_SIGNAL',
      'ai-train=yes,search=no',
      'contentSignal',
      'ai-train=yes, search=no',
      'search=yes, ai-input=yes, ai-train=no',
    ],
    ['SEED_DEMO', 'false', 'seedDemo', false, true],
  ];
  it('reads each setting, and accepts it missing or empty', () => {
    for (const [name, given, field, read, otherwise] of settings) {
      expect(readConfig({ [name]: given })).to.have.deep.nested.property(field, read);
      for (const nothing of [{}, { [name]: '' }])
        expect(readConfig(nothing)).to.have.deep.nested.property(field, otherwise);
    }
    const { metrics } = readConfig({ METRICS_PORT: '9090', METRICS_HOST: '0.0.0.0' });
    expect(metrics).to.deep.equal({ host: '0.0.0.0', port: 9090 });
  });

  it('reads each secret from the file in NAME_FILE, without the final line break', async () => {
    const secrets: Record<string, string> = {
      MONGODB_URI: 'mongodb://user:p%40ss@db.example.com/a',
      REDIS_URL: 'redis://:hunter2@cache.example.com',
      PANEL_APPLICATION_KEY: 'ptla_1',
      PANEL_CLIENT_KEY: 'ptlc_1',
      SECRETS_KEY: 'a1'.repeat(32),
      SECRETS_KEY_PREVIOUS: 'b2'.repeat(32),
      SMTP_URL: 'smtp://user:hunter2@mail.example.com',
      OIDC_CLIENT_SECRET: ' # "hunter2" ',
    };
    expect(Object.keys(secrets)).to.have.members([...secretSettings]);
    const others = {
      ...{ PANEL_URL: 'https://panel.example.com', MAIL_FROM: 'a@m.example' },
      ...{ OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: 'gamehost' },
    };
    for (const lineBreak of ['', '\n', '\r\n']) {
      const files = Object.entries(secrets).map(async ([name, value]) => {
        const path = join(folder.path, name);
        await writeFile(path, value + lineBreak);
        return [`${name}_FILE`, path];
      });
      const named = Object.fromEntries(await Promise.all(files));
      expect(readConfig({ ...others, ...named })).to.deep.equal(readConfig({ ...others, ...secrets }));
    }
  });

  it('allows player queries to this machine if the panel runs on it', () => {
    const allows = (PANEL_URL: string) => readConfig({ PANEL_URL, ...panelKeys }).players.allowsLoopback;
    for (const here of ['', 'http://127.0.0.1:8080', 'http://localhost', 'http://[::1]:8080'])
      expect(allows(here), here).to.equal(true);
    for (const elsewhere of ['https://panel.example.com', 'http://10.0.0.5', 'https://localhost.example.com'])
      expect(allows(elsewhere), elsewhere).to.equal(false);
  });

  it('normalizes PUBLIC_URL as browsers do', () => {
    for (const [given, read] of [
      ['https://Games.Example', 'https://games.example'],
      ['https://games.example:443/', 'https://games.example'],
      ['HTTP://127.0.0.1:80', 'http://127.0.0.1'],
    ])
      expect(readConfig({ PUBLIC_URL: given }).publicUrl).to.equal(read);
  });

  it('treats the host none as no host, and the content signal none as no signal', () => {
    expect(readConfig({ FILE_SOURCES: 'none' }).fileSources).to.deep.equal([]);
    expect(readConfig({ CONTENT_SIGNAL: 'none' }).contentSignal).to.equal(null);
  });

  it('reads a panel and its keys from files that end with a line break, and uses the demo panel without one', () => {
    const environment = { PANEL_URL: 'https://panel.example.com/', PANEL_TYPE: 'pelican', ...panelKeys };
    expect(readConfig({ ...environment, PANEL_CLIENT_KEY: 'ptlc_1\n' }).panel).to.deep.equal({
      ...{ url: 'https://panel.example.com', kind: 'pelican' },
      ...{ applicationKey: 'ptla_1', clientKey: 'ptlc_1', nodeCalls: 4, callsPerCustomer: 90 },
    });
    expect(readConfig({}).panel).to.equal(null);
    const inner = { ...environment, PANEL_PUBLIC_URL: 'https://games.example/' };
    expect(readConfig(inner).panel).to.include({ publicUrl: 'https://games.example' });
  });

  it("seeds nothing into the operator's database unless it is told to", () => {
    const mongodbUri = { MONGODB_URI: 'mongodb://db.example.com' };
    expect(readConfig(mongodbUri).seedDemo).to.equal(false);
    expect(readConfig({ ...mongodbUri, SEED_DEMO: 'true' }).seedDemo).to.equal(true);
    expect(readConfig({ SEED_DEMO: 'false' }).seedDemo).to.equal(false);
  });

  it('reads every form of MONGODB_URI', () => {
    for (const uri of [
      'mongodb+srv://user:p%40ss%2Fword@cluster.example.com/?retryWrites=true&w=majority',
      'mongodb://a.example.com:27017,[2001:db8::1]:27018/gamehost?replicaSet=rs0&authSource=admin',
      'mongodb://%2Fvar%2Frun%2Fmongodb.sock/gamehost',
      'mongodb://user@db.example.com?appName=a@b',
    ])
      expect(readConfig({ MONGODB_URI: uri }).mongodbUri).to.equal(uri);
  });

  it('reads the mail server and the sender, and turns mail off without them', () => {
    const url = 'smtps://user%40m:p%3Aw@mail.example.com';
    expect(readConfig({ SMTP_URL: url, MAIL_FROM: '"Host" <a@m.example>' }).mail).to.deep.equal({
      server: {
        ...{ host: 'mail.example.com', port: 465, isTls: true, allowsUntrusted: false },
        credentials: { user: 'user@m', password: 'p:w' },
      },
      from: { name: 'Host', address: 'a@m.example' },
    });
    expect(readConfig({ SMTP_URL: 'smtp://[::1]:25', MAIL_FROM: 'a@m.example' }).mail).to.deep.equal({
      server: { host: '::1', port: 25, isTls: false, credentials: null, allowsUntrusted: false },
      from: { name: '', address: 'a@m.example' },
    });
    expect(readConfig({ SUPPORT_EMAIL: 'help@m.example' })).to.include({
      mail: null,
      supportEmail: 'help@m.example',
    });
  });

  it('uses SMTP_NAME in its SMTP greeting, or the host of PUBLIC_URL if that is a name', () => {
    const mail = { SMTP_URL: 'smtp://m.example', MAIL_FROM: 'a@m.example' };
    const nameOf = (given: object) => readConfig({ ...mail, ...given }).mail?.server.ownName;
    expect(nameOf({ PUBLIC_URL: 'https://games.example:8443' })).to.equal('games.example');
    expect(nameOf({ PUBLIC_URL: 'https://games.example', SMTP_NAME: 'out.example' })).to.equal('out.example');
    expect(nameOf({ PUBLIC_URL: 'http://192.0.2.7' })).to.equal(undefined);
  });

  it('requires PUBLIC_URL for mail in production, where links would otherwise lead to this machine', () => {
    const mail = { SMTP_URL: 'smtp://m.example', MAIL_FROM: 'a@m.example' };
    const production = {
      ...mail,
      NODE_ENV: 'production',
      MONGODB_URI: 'mongodb://db/x?replicaSet=rs',
      SEED_DEMO: 'false',
    };
    const problem =
      'PUBLIC_URL is required with SMTP_URL and NODE_ENV=production: links in mails begin with it';
    expect(problemsOf({ ...production, ALLOW_DEMO: 'true' })).to.deep.equal([problem]);
    expect(readConfig(mail).mail).to.not.equal(null);
  });

  it('requires both mail settings together, and both keys of a panel', () => {
    const missing = { SMTP_URL: 'smtp://m.example', PANEL_URL: 'https://panel.example.com' };
    expect(problemsOf(missing)).to.deep.equal([
      'PANEL_APPLICATION_KEY is required with PANEL_URL',
      'PANEL_CLIENT_KEY is required with PANEL_URL',
      'MAIL_FROM is required with SMTP_URL',
    ]);
    expect(problemsOf({ MAIL_FROM: 'a@m.example' })).to.deep.equal(['SMTP_URL is required with MAIL_FROM']);
  });

  it('requires SECRETS_KEY if staff must have a second factor, or there is an identity provider', () => {
    const asked = { STAFF_SECOND_FACTOR: 'true', MONGODB_URI: 'mongodb://db.example.com/a' };
    expect(problemsOf(asked)).to.deep.equal(['SECRETS_KEY is required with STAFF_SECOND_FACTOR']);
    const provider = {
      OIDC_ISSUER: 'https://id.example',
      OIDC_CLIENT_ID: 'gamehost',
      OIDC_CLIENT_SECRET: 'secret',
    };
    for (const given of [{ SECRETS_KEY: 'a'.repeat(64) }, provider, { MONGODB_URI: '' }])
      expect(readConfig({ ...asked, ...given }).staffNeedsSecondFactor).to.equal(true);
  });

  it('enables traces if the standard variables ask for them', () => {
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example.com:4318' };
    const asked: [environment: NodeJS.ProcessEnv, protocol: string | undefined][] = [
      [endpoint, 'http/protobuf'],
      [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1/v1/traces' }, 'http/protobuf'],
      [{ OTEL_TRACES_EXPORTER: 'otlp' }, 'http/protobuf'],
      [{ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }, 'http/json'],
      [{}, undefined],
      [{ ...endpoint, OTEL_TRACES_EXPORTER: 'none' }, undefined],
      [{ ...endpoint, OTEL_SDK_DISABLED: 'true' }, undefined],
      [{ OTEL_SDK_DISABLED: 'true', OTEL_TRACES_EXPORTER: 'console' }, undefined],
      [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, undefined],
    ];
    for (const [environment, protocol] of asked)
      expect(readConfig(environment).tracing?.protocol, JSON.stringify(environment)).to.equal(protocol);
    expect(readConfig(endpoint).tracing).to.include({ exportTimeoutMs: 3000, isCallerTrusted: false });
  });

  describe('in production', () => {
    const production = {
      NODE_ENV: 'production',
      MONGODB_URI: 'mongodb://db.example.com',
      PANEL_URL: 'https://panel.example.com',
      ...panelKeys,
    };
    it("accepts the operator's database and panel, and lets no pages from this machine call the API", () => {
      expect(problemsOf(production)).to.deep.equal([]);
      expect(readConfig(production).admitsLoopbackPages).to.equal(false);
      expect(readConfig({}).admitsLoopbackPages).to.equal(true);
    });

    it('refuses the embedded database, the demo panel and demo credentials without a flag', () => {
      const refused: [change: NodeJS.ProcessEnv, rule: string][] = [
        [{ MONGODB_URI: '' }, 'MONGODB_URI is required'],
        [{ PANEL_URL: '' }, 'PANEL_URL is required'],
        [{ SEED_DEMO: 'true' }, 'SEED_DEMO must not be true'],
      ];
      for (const [change, rule] of refused) {
        const problem = `${rule} with NODE_ENV=production (ALLOW_DEMO=true lifts this)`;
        expect(problemsOf({ ...production, ...change })).to.deep.equal([problem]);
        expect(problemsOf({ ...production, ...change, ALLOW_DEMO: 'true' })).to.deep.equal([]);
      }
    });
  });
});
