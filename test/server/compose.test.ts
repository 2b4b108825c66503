/** docker-compose.yml locks its containers down, requires its secrets, and sets values that the service accepts. */
import { expect } from 'chai';
import { parse } from 'yaml';
import { readConfig } from '../../server/config.ts';
import { describeOutdated } from '../../server/outdated.ts';
import { readDocument, sectionOf } from '../support/documents.ts';

interface ComposeService {
  image?: string;
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  mem_limit?: string;
  deploy?: { replicas: number };
  user?: string;
  build?: string;
  ports?: string[];
  networks?: string[];
  env_file?: string;
  environment?: Record<string, string>;
  entrypoint?: string[];
  command?: string[];
  healthcheck?: { test: string[]; interval: string; start_interval?: string; start_period?: string };
  tmpfs?: string[];
  logging?: { driver: string };
  stop_grace_period?: string;
}

const secondsOf = (duration = '0s'): number => Number(/^(\d+)s$/.exec(duration)?.[1]);

/** `${NAME:?message}`: Compose refuses to start without it. */
const required = /(?<!\$)\$\{(\w+):\?([^}]*)\}/g;

describe('docker-compose.yml', () => {
  let text: string;
  let services: Record<string, ComposeService>;
  let networks: Record<string, { enable_ipv6?: boolean; internal?: boolean } | null>;

  before(async () => {
    text = await readDocument('docker-compose.yml');
    const composed = parse(text, { merge: true }) as { services: typeof services; networks: typeof networks };
    ({ services, networks } = composed); // as Compose's schema has it
  });

  it('denies containers a writable file system, capabilities, privileges, unlimited memory and unlimited logs', () => {
    for (const [name, service] of Object.entries(services)) {
      expect(service, name).to.deep.include({ read_only: true, cap_drop: ['ALL'] });
      expect(service.security_opt, name).to.include('no-new-privileges:true');
      expect(service.mem_limit, name).to.match(/^\d+[mg]$/);
      expect(service.logging, name).to.deep.equal({ driver: 'local' }); // which bounds its size
      // The api's own image sets its user.
      expect(service.user ?? service.build, name).to.match(/^(nginx|mongodb|redis|\.)$/);
    }
  });

  it('fits into the memory that README.md asks for', async () => {
    const megabytes = Object.values(services).map(({ mem_limit = '', deploy }) => {
      const [, amount, unit] = /^(\d+)([mg])$/.exec(mem_limit) ?? [];
      return Number(amount) * (unit === 'g' ? 1024 : 1) * (deploy?.replicas ?? 1);
    });
    const [, gigabytes] = /(\d+) GB of memory/.exec(await readDocument('README.md')) ?? [];
    const needed = megabytes.reduce((sum, each) => sum + each, 0);
    expect(needed / 1024).to.be.within(1, Number(gigabytes) - 1); // the last is the system's
  });

  it('pins each image to a patch level with all known fixes, as the Dockerfile does', async () => {
    const products = { mongo: 'MongoDB', redis: 'Redis', nginx: 'nginx', node: 'Node.js' } as const;
    const dockerfile = await readDocument('Dockerfile');
    const bases = [...dockerfile.matchAll(/^FROM (?:--platform=\S+ )?(\S+)/gm)].map(
      ([, image = '']) => image,
    );
    const composed = Object.values(services).flatMap(({ image, build }) => (image && !build ? image : []));
    const stages = [...dockerfile.matchAll(/ AS (\w+)$/gm)].map(([, stage = '']) => stage);
    const pulled = bases.filter((image) => !stages.includes(image));
    expect([pulled.length, composed.length]).to.deep.equal([2, 5]);
    for (const image of [...pulled, ...composed]) {
      const [, name, version = ''] = /^(mongo|redis|nginx|node):(\d+\.\d+\.\d+)(-\w+)?$/.exec(image) ?? [];
      expect(name, image).to.be.oneOf(Object.keys(products));
      expect(describeOutdated(products[name as keyof typeof products], version), image).to.equal(null);
    }
  });

  it('gives each container enough time to stop in order', () => {
    const mongodMs = 15_000;
    for (const name of ['mongo-1', 'mongo-2', 'mongo-3'])
      expect(secondsOf(services[name]?.stop_grace_period) * 1000, name).to.be.above(mongodMs);
    expect(secondsOf(services['api']?.stop_grace_period)).to.be.at.least(20);
    expect(secondsOf(services['proxy']?.stop_grace_period)).to.be.at.least(20);
  });

  it('lets the service see the addresses of IPv6 callers', async () => {
    expect(networks['front']).to.deep.equal({ enable_ipv6: true });
    const nginx = await readDocument('server/nginx.conf');
    expect(nginx)
      .to.include('listen [::]:8080;')
      .and.match(/resolver 127\.0\.0\.11 .*ipv6=off;/);
  });

  it('runs mongosh health checks rarely once the set exists, and leaves no unnamed volume', () => {
    const { interval, start_interval } = services['mongo-1']?.healthcheck ?? {};
    expect([secondsOf(interval), secondsOf(start_interval)]).to.deep.equal([30, 3]);
    for (const name of ['mongo-1', 'mongo-2', 'mongo-3'])
      expect(services[name]?.tmpfs, name).to.include('/data/configdb');
  });

  it('listens on this machine alone, unless PUBLISH is set', () => {
    expect(services['proxy']?.ports).to.deep.equal([`\${PUBLISH:-127.0.0.1:\${PORT:-3000}}:8080`]);
  });

  it('publishes only nginx, through which neither MongoDB nor Redis can be reached', () => {
    const published = Object.entries(services).filter(([, { ports }]) => ports);
    expect(published.map(([name]) => name)).to.deep.equal(['proxy']);
    expect(services['proxy']?.networks).to.deep.equal(['front']);
    for (const name of ['mongo-1', 'mongo-2', 'mongo-3', 'redis', 'backup'])
      expect(services[name]?.networks, name).to.deep.equal(['data']);
  });

  it('refuses to start without secrets and a panel, and names the missing setting, as the operations guide does', async () => {
    const names = [...new Set([...text.matchAll(required)].map(([, name]) => name))];
    expect(names).to.have.members([
      ...['MONGODB_ROOT_PASSWORD', 'MONGODB_PASSWORD', 'REDIS_PASSWORD'],
      ...['PANEL_URL', 'PANEL_APPLICATION_KEY', 'PANEL_CLIENT_KEY'],
    ]);
    const messages = [...text.matchAll(required)].map(([, , message]) => message);
    expect([...new Set(messages)]).to.deep.equal(['is missing in .env, see server/operations/adopt.md']);
    const steps = sectionOf(await readDocument('server/operations/adopt.md'), 'Step by step');
    for (const name of names) expect(steps).to.match(RegExp(`\\b${name}\\b`));
  });

  it('passes .env to the service, except for settings that it sets itself and passwords of other services', () => {
    const { env_file, environment = {} } = services['api'] ?? {};
    expect(env_file).to.equal('.env');
    const fixed = Object.entries(environment).filter(([, value]) => !value.includes('${'));
    expect(Object.fromEntries(fixed)).to.deep.equal({
      ...{ NODE_ENV: 'production', ALLOW_DEMO: 'false', HOST: '0.0.0.0', PORT: '3000' },
      ...{ TRUST_PROXY: 'true', METRICS_HOST: '0.0.0.0' },
      ...{ MONGODB_ROOT_PASSWORD: '', MONGODB_PASSWORD: '', REDIS_PASSWORD: '' },
    });
  });

  it('gives the backup only MONGODB_URI, and the backup accepts that all other settings are missing', () => {
    const { environment = {}, ...backup } = services['backup'] ?? {};
    expect(environment['MONGODB_URI']).to.equal(services['api']?.environment?.['MONGODB_URI']);
    expect(backup.image).to.equal(services['api']?.image);
    const settings = { ...environment, MONGODB_URI: 'mongodb://mongo-1/gamehost' };
    expect(() => readConfig({ ...settings, NODE_ENV: environment['NODE_ENV'] })).not.to.throw();
    expect(Object.keys(environment)).to.have.members(['MONGODB_URI', 'NODE_ENV']);
  });

  it('keeps secrets out of program arguments', () => {
    for (const [name, { command = [], entrypoint = [], healthcheck }] of Object.entries(services)) {
      const programs = [...command, ...entrypoint, ...(healthcheck?.test ?? [])].join('\n');
      // Two dollar signs are a variable of the shell or of mongosh.
      expect(programs.match(/(?<!\$)\$\{?\w+/g), name).to.equal(null);
    }
  });

  it('builds an image that installs packages before it copies sources, and runs under a numeric user', async () => {
    const lines = (await readDocument('Dockerfile')).split('\n');
    const first = (pattern: RegExp) => lines.findIndex((line) => pattern.test(line));
    expect(first(/^RUN npm ci/)).to.be.within(0, first(/^COPY (server|routers|models|bridge) /));
    // Kubernetes with runAsNonRoot cannot check a user by name.
    expect(lines.filter((line) => line.startsWith('USER '))).to.deep.equal(['USER 1000']);
  });

  it('sets values that the service accepts in production, without the demo', () => {
    const values: Record<string, string> = {
      ...{ MONGODB_PASSWORD: 'a1', REDIS_PASSWORD: 'b2', PANEL_URL: 'https://panel.example' },
      ...{ PANEL_APPLICATION_KEY: 'ptla_1', PANEL_CLIENT_KEY: 'ptlc_1' },
    };
    const settings = Object.entries(services['api']?.environment ?? {}).map(([name, value]) => [
      name,
      value.replace(/\$\{(\w+)(:[?-][^}]*)?\}/g, (_, variable: string) => values[variable] ?? ''),
    ]);
    const config = readConfig(Object.fromEntries(settings));
    expect(config).to.deep.include({
      mongodbUri: 'mongodb://gamehost:a1@mongo-1,mongo-2,mongo-3/gamehost?replicaSet=rs0',
      redisUrl: 'redis://:b2@redis',
      ...{ trustProxy: true, allowsDemo: false, seedDemo: false },
    });
  });
});
