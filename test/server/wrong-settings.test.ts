/** A wrong setting stops the start with a line that names it and repeats no secret. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { secretSettings, settings } from '../../server/config.ts';
import { problemsOf } from '../support/config-problems.ts';
import { useDirectory } from '../support/directory.ts';
import { projectRoot } from '../support/source-tree.ts';

describe('a wrong setting', () => {
  const folder = useDirectory();
  const wrong: Record<string, string[]> = {
    PORT: ['abc', '1.5', '-1', '65536', ' ', '0x50', '1e3', 'Infinity'],
    PUBLIC_URL: [
      ...['example.com', 'ftp://example.com', '/api', 'https://games.example/?a=b'],
      ...['https://games.example/#a', 'https://user:pass@games.example', 'https://games.example/Api/'],
    ],
    MONGODB_URI: [
      ...['localhost', 'postgres://user:hunter2@db', 'http://db.example.com', 'mongodb://'],
      ...['mongodb://db.example.com/admin', 'mongodb://db.example.com/local?replicaSet=rs0'],
      ...['mongodb://db.example.com:99999999/', 'mongodb://db.example.com/game host', 'mongodb://db/a.b'],
      ...['mongodb://user:p@ss/hunter2@db.example.com/gamehost', 'mongodb://user:p%zz@db.example.com'],
      ...['mongodb://user:p?hunter2@db.example.com', 'mongodb://user:p:hunter2@db.example.com/gamehost'],
    ],
    REDIS_URL: [
      ...['localhost:6379', 'redis://cache:nonsense', 'redis://:p@ss/hunter2@cache.example.com'],
      'redis://cache.example.com/first',
    ],
    PANEL_URL: ['panel.example.com', 'file:///panel', 'panel?key=hunter2'],
    PANEL_PUBLIC_URL: ['panel.example.com'],
    PANEL_APPLICATION_KEY: ['ptla 1', 'ptla_é'],
    PANEL_CLIENT_KEY: ['ptlc_1\nptlc_2'],
    PANEL_NODE_CALLS: ['0', 'some'],
    PANEL_CALLS_PER_CUSTOMER: ['-1', 'some'],
    CONSOLE_COMMANDS: ['maybe'],
    PLAYER_QUERIES: ['maybe'],
    FILE_SOURCES: [
      'https://files.example.com',
      'files.example.com:443',
      'files.example.com.',
      'a/b',
      'u@a',
      '127.1',
    ],
    KEY_MAX_DAYS: ['never', '36501'],
    TICKETS_PER_DAY: ['-1'],
    ADDRESS_LIMIT_PER_MINUTE: ['-1'],
    SECRETS_KEY: ['hunter2', 'not base64!', 'a'.repeat(63), 'A1'.repeat(33), 'a'.repeat(128)],
    SECRETS_KEY_PREVIOUS: ['hunter2', 'a'.repeat(63)],
    WEBHOOK_TIMEOUT_SECONDS: ['0', '31', '15s'],
    WEBHOOK_RETRY_SECONDS: ['5,never', ','],
    WEBHOOK_DISABLE_AFTER_HOURS: ['0'],
    WEBHOOK_ALLOWED_ADDRESSES: ['10.0.0.1', '10.0.0.0/33', 'intranet'],
    SERVER_WATCH_CALLS_PER_MINUTE: ['0'],
    HOST_NAME: [' ', 'x'.repeat(61), 'Acme\nHosting'],
    HOST_LOGO: ['/nowhere/logo.png', 'package.json'],
    KEY_PREFIX: ['a', 'Acme', '1acme', 'ac_me', 'a'.repeat(21)],
    SMTP_URL: [
      ...['mail.example.com', 'https://mail.example.com', 'smtp://', 'smtp://:587', 'smtp://user@m.example'],
      ...['smtp://m.example/hunter2', 'smtps://m.example?tls=hunter2', 'smtp://user:hunter2%@m.example'],
    ],
    SMTP_NAME: ['a b', 'games.example.', '-x', 'https://games.example'],
    MAIL_FROM: ['noreply', 'Host <noreply>', 'a@m.example, b@m.example', '<a@m.example', 'a\n<b@m.example>'],
    SUPPORT_EMAIL: ['support', 'Support <support@m.example>'],
    SIGN_IN_HELP: [' ', 'x'.repeat(301)],
    OIDC_NAME: ['x'.repeat(41)],
    RATE_LIMIT_PER_MINUTE: ['0', '-1', 'many', '1.5', ' '],
    MAX_IN_FLIGHT: ['0', 'many'],
    METRICS_PORT: ['abc', '65536'],
    PASSWORD_SIGN_IN: ['maybe'],
    OIDC_ISSUER: ['id.example.com', 'http://id.example.com'],
    OIDC_CREATE_USERS: ['maybe'],
    OIDC_STRONG: ['maybe'],
    STAFF_SECOND_FACTOR: ['maybe'],
    LOG_LEVEL: ['loud', 'INFO'],
    TRUST_PROXY: ['maybe', '2'],
    CORS_ORIGINS: ['example.com', 'https://a.example.com,nonsense', 'https://a.example.com/path'],
    SECURITY_CONTACT: ['us', 'http://example.com/report', 'mailto:', 'https://example.com/a b'],
    CONTENT_SIGNAL: [
      ...['yes', 'search', 'search=maybe', 'search = yes', 'Search=yes', 'search=yes,', ',', ' '],
      ...['search=yes ai-train=no', 'search=yes, search=no', 'none, search=yes', 'search=yes\nDisallow: /'],
    ],
    SEED_DEMO: ['maybe'],
    ALLOW_DEMO: ['maybe'],
    OTEL_TRACES_EXPORTER: ['console'],
    OTEL_EXPORTER_OTLP_ENDPOINT: ['collector:4318'],
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: ['collector:4318'],
    OTEL_EXPORTER_OTLP_PROTOCOL: ['grpc'],
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: ['grpc'],
    OTEL_EXPORTER_OTLP_TIMEOUT: ['10s', '0'],
  };
  /** Settings that only their use at the start can check, and those that take any text. */
  const anyText = [
    ...['NODE_ENV', 'HOST', 'METRICS_HOST', 'DATA_DIR', 'MONGOMS_SYSTEM_BINARY', 'PANEL_TYPE'],
    ...['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OTEL_SDK_DISABLED'],
  ];
  it('stops the start if the setting does not accept every text', () => {
    expect([...Object.keys(wrong), ...anyText]).to.have.members(Object.keys(settings));
  });
  /** Without it, the settings for traces belong to other programs. */
  const needed = {
    OTEL_TRACES_EXPORTER: 'otlp',
    PANEL_APPLICATION_KEY: 'ptla_1',
    PANEL_CLIENT_KEY: 'ptlc_1',
  };
  for (const [name, values] of Object.entries(wrong))
    it(`stops the start, which prints its name and not its value: ${name}`, () => {
      for (const value of values) {
        const problems = problemsOf({ ...needed, [name]: value });
        expect(problems, value).to.have.lengthOf(1);
        expect(problems[0])
          .to.match(new RegExp(`^${name}\\b.*: \\S`))
          .and.not.include('hunter2');
      }
    });

  it('is named if it is the file of a secret that is unreadable, empty, or set beside the secret', async () => {
    const file = join(folder.path, 'secret');
    await writeFile(file, '\n');
    for (const name of secretSettings) {
      const fileName = `${name}_FILE`;
      expect(problemsOf({ ...needed, [name]: undefined, [fileName]: '/nowhere/hunter2' })).to.include(
        `${fileName}: must be the path of a readable file`,
      );
      expect(problemsOf({ ...needed, [name]: undefined, [fileName]: file })).to.include(
        `${fileName}: the file is empty`,
      );
      expect(problemsOf({ ...needed, [name]: 'hunter2', [fileName]: file })).to.include(
        `${name} and ${fileName} are both set: give one of them`,
      );
    }
    expect(problemsOf({ SECRETS_KEY_FILE: `${projectRoot}package.json` })[0]).to.match(
      /^SECRETS_KEY: must be /,
    );
  });

  it('is named together with all other wrong settings', () => {
    expect(problemsOf({ PORT: 'abc', LOG_LEVEL: 'loud', TRUST_PROXY: 'maybe' })).to.have.lengthOf(3);
  });
});
