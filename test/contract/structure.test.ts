/** The rules of structure and style: where files belong, which layer may import which, and how the code is written. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import * as rules from '../support/source-rules.ts';
import { layers, projectRoot, readSources } from '../support/source-tree.ts';

const sources = readSources(layers);
const everything = [...sources, ...readSources(['test'])];

const fileLinesMax = 400;
const functionLinesMax = 40;
const parametersMax = 3;

/** Allowed at the top: the layers, and what tools require there. */
const topLevel = [
  ...`${layers.join(' ')} test package.json package-lock.json tsconfig.json .mocharc.json biome.json`.split(
    ' ',
  ),
  ...'docker-compose.yml Dockerfile README.md LICENSE .ci .git .github .gitignore .dockerignore .npmrc .env.example'.split(
    ' ',
  ),
];

/** A package that only some places may import, given by the start of their paths. */
const onlyIn: [packages: RegExp, ...places: string[]][] = [
  [/^mongoose$/, 'models/', 'server/database.ts', 'server/embedded-database/'],
  [/^mongodb-memory-server/, 'server/embedded-database/'],
  [/^mongodb$/, 'server/patch-mongodb-driver.ts'],
  [/^got$/, 'server/panel/'],
  [/^@modelcontextprotocol\//, 'bridge/mcp/'],
  [/^(koa|@koa\/.*|koa-.*)$/, 'bridge/', 'server/'],
  [/^@trpc\//, 'server/', 'bridge/', 'routers/'],
  [/^pino$/, 'server/observability/log.ts'],
  [/^ioredis$/, 'server/redis.ts'],
  [/^prom-client$/, 'server/observability/metrics/'],
  [/^@opentelemetry\//, 'server/observability/tracing/'],
  [
    /^quick-lru$/,
    ...['models/support/cache.ts', 'routers/support/memoize.ts', 'server/http/authenticate.ts'],
    ...['server/limit/', 'server/panel/changes.ts', 'server/panel/evidence.ts'],
  ],
  [/^oidc-provider$/, 'server/oauth/'],
  [/^ipaddr\.js$/, 'server/outbound/addresses.ts', 'server/limit/owner.ts'],
  [/^openid-client$/, 'server/account/identity-provider.ts', 'bridge/client/src/command/oauth.ts'],
  [/^bowser$/, 'server/account/read-session.ts'],
  [/^@zxcvbn-ts\//, 'routers/schemas/password.ts'],
  [/^@simplewebauthn\/server/, 'routers/second-factor/', 'routers/account/', 'routers/schemas/'],
  [/^otpauth$/, 'routers/second-factor/'],
  [/^ws$/, 'server/panel/'],
  [/^croner$/, 'server/panel/demo/'],
  [/^re2js$/, 'routers/servers/php-pattern.ts'],
  [/^trpc-to-openapi$/, 'bridge/openapi/document.ts'],
  [/^@apiture\/openapi-down-convert$/, 'bridge/openapi/downgrade.ts'],
  [/^@trpc\/client$/, 'server/account/page/'],
  [/^@node-rs\/argon2$/, 'models/support/secrets.ts'],
  [/^commander$/, 'server/cli/', 'bridge/client/src/command/'],
  [/^standardwebhooks$/, 'bridge/client/src/webhooks.ts'],
  [/^@hey-api\//, 'server/build/client.ts'],
  [/^nodemailer$/, 'server/mail/mailer.ts'],
  [/^yauzl$/, 'server/embedded-database/python-wheel.ts'],
  [/^preact/, 'server/account/page/'],
  [/^typescript(-7)?$/],
  [/^esbuild$/, 'bridge/pages/bundle-files.ts', 'server/build/programs.ts'],
  [/^marked$/, 'bridge/docs/'],
];

const depthOf = (path: string) => layers.findIndex((layer) => path.startsWith(`${layer}/`));

const pathsOf = (files: readonly { path: string }[]) => files.map(({ path }) => path);

describe('project structure', () => {
  describe('at the top level', () => {
    it('has the layers, what tools require, and nothing else', () => {
      const ignored = readFileSync(`${projectRoot}.gitignore`, 'utf8').replaceAll('/', '').split('\n');
      const entries = readdirSync(projectRoot).filter((name) => !ignored.includes(name));
      expect(entries.filter((name) => !topLevel.includes(name))).to.deep.equal([]);
    });

    for (const layer of [...layers, 'test'])
      it(`has a README in ${layer}`, () => {
        expect(existsSync(`${projectRoot}${layer}/README.md`)).to.equal(true);
      });
  });

  describe('in its imports', () => {
    it(`only goes from left to right in ${layers.join(' -> ')}, types too`, () => {
      const backwards = sources.flatMap(({ path, files }) =>
        files.filter((target) => depthOf(target) < depthOf(path)).map((target) => `${path} -> ${target}`),
      );
      expect(backwards).to.deep.equal([]);
    });

    it('does not reach from bridge into models, except for the table of bounds that a caller meets', () => {
      const bridge = sources.filter(({ path }) => path.startsWith('bridge/'));
      const isStore = (path: string) => path.startsWith('models/') && path !== 'models/bounds.ts';
      const reaching = bridge.filter(({ files }) => files.some(isStore));
      expect(pathsOf(reaching)).to.deep.equal([]);
    });

    it('has a client that imports nothing of this repository, and that only the build imports', () => {
      const isClient = (path: string) => path.startsWith('bridge/client/');
      const crossing = sources.flatMap(({ path, files }) =>
        files
          .filter((target) => isClient(path) !== isClient(target) && !path.startsWith('server/build/'))
          .map((target) => `${path} -> ${target}`),
      );
      expect(crossing).to.deep.equal([]);
    });

    it('has no cycle', () => {
      expect(rules.findCycle(sources)).to.equal(null);
    });
  });

  describe('in its packages', () => {
    for (const [name, ...places] of onlyIn)
      it(`uses ${name.source} in exactly these places: ${places.join(', ') || 'none'}`, () => {
        const knowing = pathsOf(sources.filter(({ packages }) => packages.some((known) => name.test(known))));
        const isIn = (place: string) => (path: string) => path.startsWith(place);
        expect(knowing.filter((path) => !places.some((place) => isIn(place)(path)))).to.deep.equal([]);
        expect(places.filter((place) => !knowing.some(isIn(place)))).to.deep.equal([]);
      });

    it('uses production dependencies, except for browser bundles, the bundler, and a converter that the build bundles (it depends on TypeScript)', () => {
      const { dependencies } = JSON.parse(readFileSync(`${projectRoot}package.json`, 'utf8'));
      const running = sources.filter(
        ({ path }) =>
          !/^((server\/account|bridge\/docs)\/page\/|bridge\/client\/|bridge\/pages\/bundle-files\.ts$|bridge\/openapi\/downgrade\.ts$|server\/build\/)/.test(
            path,
          ),
      );
      const imported = new Set(running.flatMap(({ packages }) => packages));
      const missing = [...imported].filter((name) => !name.startsWith('node:') && !(name in dependencies));
      expect(missing).to.deep.equal([]);
    });

    it('uses every package in package.json: in code, as types of another, or in a script', () => {
      const manifest = JSON.parse(readFileSync(`${projectRoot}package.json`, 'utf8'));
      const listed = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
      const commands = Object.values(manifest.scripts)
        .join(' ')
        .split(/[\s/]+/);
      const used = new Set([...everything.flatMap(({ packages }) => packages), ...commands, 'node']);
      const typedBy = (name: string) =>
        name.replace(/^@types\/(?:(\w+)__)?/, (_, scope) => (scope ? `@${scope}/` : ''));
      const isUsed = (name: string) =>
        used.has(name) || used.has(typedBy(name)) || used.has(name.replace(/^@\w+\//, ''));
      expect(listed.filter((name) => !isUsed(name))).to.deep.equal([]);
    });

    it('reads process.env in server/config.ts only, except for the client, which is a program of its own', () => {
      const others = sources.filter(
        ({ path }) => path !== 'server/config.ts' && !path.startsWith('bridge/client/'),
      );
      expect(rules.findAll(others, rules.isEnvironment)).to.deep.equal([]);
    });

    it("imports tRPC's internals in bridge/operations.ts only", () => {
      const others = sources.filter(({ path }) => path !== 'bridge/operations.ts');
      expect(rules.findAll(others, rules.isInternal)).to.deep.equal([]);
    });
  });

  describe('in its code', () => {
    it(`has files of at most ${fileLinesMax} lines`, () => {
      const long = everything.filter(({ text }) => text.split('\n').length - 1 > fileLinesMax);
      expect(pathsOf(long)).to.deep.equal([]);
    });

    it(`has functions of at most ${functionLinesMax} lines`, () => {
      expect(rules.findAll(sources, rules.isLongFunction(functionLinesMax))).to.deep.equal([]);
    });

    it(`has functions of at most ${parametersMax} parameters`, () => {
      expect(rules.findAll(everything, rules.hasManyParameters(parametersMax))).to.deep.equal([]);
    });

    it('says first in each file what it is for', () => {
      expect(pathsOf(everything.filter(({ text }) => !rules.openingComment.test(text)))).to.deep.equal([]);
    });

    it('names files in kebab-case', () => {
      expect(pathsOf(everything).filter((path) => !/^[a-z0-9/.-]+$/.test(path))).to.deep.equal([]);
    });

    it('exports by name', () => {
      expect(rules.findAll(everything, rules.isDefaultExport)).to.deep.equal([]);
    });

    it('exports nothing that no other file uses', () => {
      expect(rules.findUnusedExports(everything)).to.deep.equal([]);
    });

    it('has no `any` without a reason above it, and no `!`', () => {
      expect(rules.findAll(everything, rules.isBareAny)).to.deep.equal([]);
      expect(rules.findAll(everything, rules.isAssertedToExist)).to.deep.equal([]);
    });

    it('has no comments about unfinished work', () => {
      expect(pathsOf(everything.filter(({ text }) => /TO[D]O|FIX[M]E/.test(text)))).to.deep.equal([]);
    });

    it('runs every test: none is marked to run alone, and none is skipped unless a language is not installed', () => {
      const others = everything.filter(({ path }) => !path.endsWith('test/support/client-tools.ts'));
      expect(rules.findAll(others, rules.isSelective)).to.deep.equal([]);
    });
  });
});
