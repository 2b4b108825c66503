/** Settings: what is read from them, what holds when nothing is set, and which need each other. */
import { expect } from 'chai';
import { readConfig } from '../../server/config.ts';
import { problemsOf } from '../support/config-problems.ts';

describe('configuration', () => {
  const panelKeys = { PANEL_APPLICATION_KEY: 'ptla_1', PANEL_CLIENT_KEY: 'ptlc_1' };
  const settings: [name: string, given: string, field: string, read: unknown, otherwise: unknown][] = [
    ['PORT', '8080', 'port', 8080, 3000],
    ['HOST', '0.0.0.0', 'host', '0.0.0.0', '127.0.0.1'],
    ['PUBLIC_URL', 'https://api.example.com/', 'publicUrl', 'https://api.example.com', undefined],
    ['MONGODB_URI', 'mongodb://db.example.com/a', 'mongodbUri', 'mongodb://db.example.com/a', undefined],
    ['DATA_DIR', '/var/lib/gamehost', 'dataDir', '/var/lib/gamehost', '.data'],
    ['MONGOMS_SYSTEM_BINARY', '/usr/bin/mongod', 'mongodSystemBinary', '/usr/bin/mongod', undefined],
    ['CONSOLE_COMMANDS', 'true', 'hasConsoleCommands', true, false],
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
    ['SEED_DEMO', 'false', 'seedDemo', false, true],
  ];
  for (const [name, given, field, read, otherwise] of settings)
    it(`reads ${name}, and needs neither it nor a value in it`, () => {
      expect(readConfig({ [name]: given })).to.have.deep.property(field, read);
      for (const nothing of [{}, { [name]: '' }])
        expect(readConfig(nothing)).to.have.deep.property(field, otherwise);
    });

  const publicUrls: [given: string, read: string][] = [
    ['https://Games.Example', 'https://games.example'],
    ['https://games.example:443/', 'https://games.example'],
    ['HTTP://127.0.0.1:80', 'http://127.0.0.1'],
  ];
  for (const [given, read] of publicUrls)
    it(`reads PUBLIC_URL=${given} as ${read}, as browsers write it`, () => {
      expect(readConfig({ PUBLIC_URL: given }).publicUrl).to.equal(read);
    });

  it('reads a panel, and where metrics are served; without one there is a demo panel', () => {
    const environment = { PANEL_URL: 'https://panel.example.com/', PANEL_TYPE: 'pelican', ...panelKeys };
    expect(readConfig({ ...environment, METRICS_PORT: '9090', METRICS_HOST: '0.0.0.0' })).to.deep.include({
      panel: {
        ...{ url: 'https://panel.example.com', kind: 'pelican' },
        ...{ applicationKey: 'ptla_1', clientKey: 'ptlc_1', nodeCalls: 4, callsPerCustomer: 90 },
      },
      metrics: { host: '0.0.0.0', port: 9090 },
    });
    expect(readConfig({}).panel).to.equal(null);
    const inner = { ...environment, PANEL_PUBLIC_URL: 'https://games.example/' };
    expect(readConfig(inner).panel).to.include({ publicUrl: 'https://games.example' });
  });

  it('seeds nothing into a database of its operator unless asked', () => {
    const mongodbUri = { MONGODB_URI: 'mongodb://db.example.com' };
    expect(readConfig(mongodbUri).seedDemo).to.equal(false);
    expect(readConfig({ ...mongodbUri, SEED_DEMO: 'true' }).seedDemo).to.equal(true);
    expect(readConfig({ SEED_DEMO: 'false' }).seedDemo).to.equal(false);
  });

  const rightDatabases = [
    'mongodb+srv://user:p%40ss%2Fword@cluster.example.com/?retryWrites=true&w=majority',
    'mongodb://a.example.com:27017,[2001:db8::1]:27018/gamehost?replicaSet=rs0&authSource=admin',
    'mongodb://%2Fvar%2Frun%2Fmongodb.sock/gamehost',
    'mongodb://user@db.example.com?appName=a@b',
  ];
  for (const uri of rightDatabases)
    it(`reads MONGODB_URI=${uri}`, () => {
      expect(readConfig({ MONGODB_URI: uri }).mongodbUri).to.equal(uri);
    });

  it('reads keys of a panel without the line break of the file that they come from', () => {
    const environment = { PANEL_URL: 'https://panel.example.com', ...panelKeys };
    const { panel } = readConfig({ ...environment, PANEL_CLIENT_KEY: 'ptlc_1\n' });
    expect(panel).to.include({ clientKey: 'ptlc_1' });
  });

  it('reads where mail is sent and who it is from; without them mail is off', () => {
    const url = 'smtps://user%40m:p%3Aw@mail.example.com';
    expect(readConfig({ SMTP_URL: url, MAIL_FROM: '"Host" <a@m.example>' }).mail).to.deep.equal({
      server: {
        ...{ host: 'mail.example.com', port: 465, isTls: true },
        credentials: { user: 'user@m', password: 'p:w' },
      },
      from: { name: 'Host', address: 'a@m.example' },
    });
    expect(readConfig({ SMTP_URL: 'smtp://[::1]:25', MAIL_FROM: 'a@m.example' }).mail).to.deep.equal({
      server: { host: '::1', port: 25, isTls: false, credentials: null },
      from: { name: '', address: 'a@m.example' },
    });
    expect(readConfig({ SUPPORT_EMAIL: 'help@m.example' })).to.include({
      mail: null,
      supportEmail: 'help@m.example',
    });
  });

  it('greets the mail server by SMTP_NAME, or by the host of PUBLIC_URL where that has a name', () => {
    const mail = { SMTP_URL: 'smtp://m.example', MAIL_FROM: 'a@m.example' };
    const nameOf = (given: object) => readConfig({ ...mail, ...given }).mail?.server.ownName;
    expect(nameOf({ PUBLIC_URL: 'https://games.example:8443' })).to.equal('games.example');
    expect(nameOf({ PUBLIC_URL: 'https://games.example', SMTP_NAME: 'out.example' })).to.equal('out.example');
    expect(nameOf({ PUBLIC_URL: 'http://192.0.2.7' })).to.equal(undefined);
  });

  it('wants PUBLIC_URL with mail in production, where links in mails would lead to this machine', () => {
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

  it('wants both settings of mail', () => {
    expect(problemsOf({ SMTP_URL: 'smtp://m.example' })).to.deep.equal([
      'MAIL_FROM is required with SMTP_URL',
    ]);
    expect(problemsOf({ MAIL_FROM: 'a@m.example' })).to.deep.equal(['SMTP_URL is required with MAIL_FROM']);
  });

  it('wants both keys of a panel', () => {
    expect(problemsOf({ PANEL_URL: 'https://panel.example.com' })).to.deep.equal([
      'PANEL_APPLICATION_KEY is required with PANEL_URL',
      'PANEL_CLIENT_KEY is required with PANEL_URL',
    ]);
  });

  describe('traces', () => {
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example.com:4318' };

    const on: [what: string, environment: NodeJS.ProcessEnv, protocol: string][] = [
      ['an endpoint', endpoint, 'http/protobuf'],
      [
        'an endpoint of their own',
        { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1/v1/traces' },
        'http/protobuf',
      ],
      ['the exporter alone', { OTEL_TRACES_EXPORTER: 'otlp' }, 'http/protobuf'],
      ['a protocol', { ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }, 'http/json'],
    ];
    for (const [what, environment, protocol] of on)
      it(`are made where ${what} is named`, () => {
        expect(readConfig(environment).tracing).to.deep.equal({
          ...{ protocol, exportTimeoutMs: 3000 },
          isCallerTrusted: false,
        });
      });

    const off = [
      {},
      { ...endpoint, OTEL_TRACES_EXPORTER: 'none' },
      { ...endpoint, OTEL_SDK_DISABLED: 'true' },
      { OTEL_SDK_DISABLED: 'true', OTEL_TRACES_EXPORTER: 'console' },
      { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    ];
    for (const environment of off)
      it(`are not made with ${JSON.stringify(environment)}`, () => {
        expect(readConfig(environment).tracing).to.equal(null);
      });
  });

  describe('in production', () => {
    const production = {
      NODE_ENV: 'production',
      MONGODB_URI: 'mongodb://db.example.com',
      PANEL_URL: 'https://panel.example.com',
      ...panelKeys,
    };
    const lifted = 'with NODE_ENV=production (ALLOW_DEMO=true lifts this)';

    it('admits no pages of this machine to the API, as it does elsewhere', () => {
      expect(readConfig(production).admitsLoopbackPages).to.equal(false);
      expect(readConfig({}).admitsLoopbackPages).to.equal(true);
    });

    it('starts on a database and a panel of its operator', () => {
      expect(problemsOf(production)).to.deep.equal([]);
    });

    const refused: [what: string, change: NodeJS.ProcessEnv, problem: string][] = [
      ['the embedded database', { MONGODB_URI: '' }, `MONGODB_URI is required ${lifted}`],
      ['the demo panel', { PANEL_URL: '' }, `PANEL_URL is required ${lifted}`],
      ['demo credentials', { SEED_DEMO: 'true' }, `SEED_DEMO must not be true ${lifted}`],
    ];
    for (const [what, change, problem] of refused)
      it(`refuses ${what}, unless a flag says so`, () => {
        expect(problemsOf({ ...production, ...change })).to.deep.equal([problem]);
        expect(problemsOf({ ...production, ...change, ALLOW_DEMO: 'true' })).to.deep.equal([]);
      });
  });
});
