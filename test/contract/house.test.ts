/** The house keeps its own rules: what stands where, which room may know which, and how the code is written. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import * as rules from '../support/source-rules.ts';
import { projectRoot, readSources, rooms } from '../support/source-tree.ts';

const sources = readSources(rooms);
const everything = [...sources, ...readSources(['test'])];

const fileLinesMax = 200;
const functionLinesMax = 40;
const parametersMax = 3;

/** What may stand at the top: the rooms, and what tools demand there. */
const topLevel = [
  ...`${rooms.join(' ')} test package.json package-lock.json tsconfig.json .mocharc.json biome.json`.split(
    ' ',
  ),
  ...'docker-compose.yml Dockerfile README.md LICENSE .ci .git .github .gitignore .dockerignore .npmrc'.split(
    ' ',
  ),
];

/** A package that only some rooms may know, and where. */
const onlyIn: [packages: RegExp, where: RegExp][] = [
  [/^mongoose$/, /^(models\/|server\/database\.ts|server\/embedded\/)/],
  [/^mongodb-memory-server/, /^server\/embedded\//],
  [/^mongodb$/, /^$/],
  [/^got$/, /^(server\/panel\/|bridge\/mcp)/],
  [/^@modelcontextprotocol\//, /^bridge\/mcp/],
  [/^(koa|@koa\/.*|koa-.*)$/, /^(bridge|server)\//],
  [/^@trpc\//, /^(server|bridge|routers)\//],
  [/^pino$/, /^server\/log\.ts$/],
  [/^ioredis$/, /^server\/redis\.ts$/],
  [/^prom-client$/, /^server\/metrics\//],
  [/^@opentelemetry\//, /^server\/tracing\//],
  [/^rate-limiter-flexible$/, /^server\/account\/sign-in-throttle\.ts$/],
  [/^cockatiel$/, /^server\/panel\//],
  [/^raw-body$/, /^(bridge\/json-body|server\/panel\/demo-api)\.ts$/],
  [/^trpc-to-openapi$/, /^(bridge\/openapi|routers\/trpc)\.ts$/],
  [/^@trpc\/client$/, /^server\/account\/page\//],
  [/^@node-rs\/argon2$/, /^models\/password\.ts$/],
  [/^commander$/, /^server\/cli(\/|\.ts$)/],
  [/^yauzl$/, /^server\/embedded\/python-wheel\.ts$/],
  [/^preact/, /^server\/account\/page\//],
  [/^esbuild$/, /^(bridge\/pages\/bundle-files|server\/build\/programs)\.ts$/],
  [/^marked$/, /^bridge\/docs\//],
  [/^swagger-ui-dist$/, /^bridge\/docs\/page\//],
];

const depthOf = (path: string) => rooms.findIndex((room) => path.startsWith(`${room}/`));

const pathsOf = (files: readonly { path: string }[]) => files.map(({ path }) => path);

describe('house', () => {
  describe('the top level', () => {
    it('has the rooms and what tools demand, and nothing else', () => {
      const ignored = readFileSync(`${projectRoot}.gitignore`, 'utf8').replaceAll('/', '').split('\n');
      const entries = readdirSync(projectRoot).filter((name) => !ignored.includes(name));
      expect(entries.filter((name) => !topLevel.includes(name))).to.deep.equal([]);
    });

    for (const room of [...rooms, 'test'])
      it(`has a door sign on ${room}`, () => {
        expect(existsSync(`${projectRoot}${room}/README.md`)).to.equal(true);
      });
  });

  describe('arrows', () => {
    it(`go ${rooms.join(' -> ')} and never back, types too`, () => {
      const backwards = sources.flatMap(({ path, files }) =>
        files.filter((target) => depthOf(target) < depthOf(path)).map((target) => `${path} -> ${target}`),
      );
      expect(backwards).to.deep.equal([]);
    });

    it('do not reach from bridge into models', () => {
      const bridge = sources.filter(({ path }) => path.startsWith('bridge/'));
      const reaching = bridge.filter(({ files }) => files.some((target) => target.startsWith('models/')));
      expect(pathsOf(reaching)).to.deep.equal([]);
    });

    it('never close a circle', () => {
      expect(rules.findCycle(sources)).to.equal(null);
    });
  });

  describe('packages', () => {
    for (const [name, where] of onlyIn)
      it(`${name.source} is known to ${where.source} only`, () => {
        const knowing = sources.filter(({ packages }) => packages.some((known) => name.test(known)));
        expect(pathsOf(knowing).filter((path) => !where.test(path))).to.deep.equal([]);
      });

    it('that the rooms import are installed in production, but for what is bundled for browsers, and by what', () => {
      const { dependencies } = JSON.parse(readFileSync(`${projectRoot}package.json`, 'utf8'));
      const running = sources.filter(
        ({ path }) =>
          !/^((server\/account|bridge\/docs)\/page\/|bridge\/pages\/bundle-files\.ts$|server\/build\/)/.test(
            path,
          ),
      );
      const imported = new Set(running.flatMap(({ packages }) => packages));
      const missing = [...imported].filter((name) => !name.startsWith('node:') && !(name in dependencies));
      expect(missing).to.deep.equal([]);
    });

    it('and process.env are known to server/config.ts only', () => {
      const others = sources.filter(({ path }) => path !== 'server/config.ts');
      expect(rules.findAll(others, rules.isEnvironment)).to.deep.equal([]);
    });

    it("and tRPC's internals are known to bridge/catalogue.ts only", () => {
      const others = sources.filter(({ path }) => path !== 'bridge/catalogue.ts');
      expect(rules.findAll(others, rules.isInternal)).to.deep.equal([]);
    });
  });

  describe('code', () => {
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

    it('says in each file, first of all, what it is for', () => {
      expect(pathsOf(everything.filter(({ text }) => !rules.opening.test(text)))).to.deep.equal([]);
    });

    it('is in files named in kebab-case', () => {
      expect(pathsOf(everything).filter((path) => !/^[a-z0-9/.-]+$/.test(path))).to.deep.equal([]);
    });

    it('exports by name', () => {
      expect(rules.findAll(everything, rules.isDefaultExport)).to.deep.equal([]);
    });

    it('has no `any` without a reason above it, and no `!`', () => {
      expect(rules.findAll(everything, rules.isBareAny)).to.deep.equal([]);
      expect(rules.findAll(everything, rules.isAssertedToExist)).to.deep.equal([]);
    });

    it('leaves nothing to be done', () => {
      expect(pathsOf(everything.filter(({ text }) => /TO[D]O|FIX[M]E/.test(text)))).to.deep.equal([]);
    });

    it('runs all tests: none is skipped, and none runs alone', () => {
      expect(rules.findAll(everything, rules.isSelective)).to.deep.equal([]);
    });
  });
});
