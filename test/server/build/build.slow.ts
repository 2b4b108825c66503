/** `npm run build`: the pages, the programs and the package of the router's type. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { readOperations } from '../../../bridge/operations.ts';
import { loadPageFiles } from '../../../bridge/pages/page-files.ts';
import { appRouter } from '../../../routers/index.ts';
import { pageSources } from '../../../server/build/programs.ts';
import { signInAccount } from '../../support/account.ts';
import { wholeBuild } from '../../support/built-programs.ts';
import { testDatabaseUri } from '../../support/mongo.ts';
import { startProgram } from '../../support/program.ts';
import { startTestRedis } from '../../support/redis.ts';
import { startTraceReceiver } from '../../support/trace-receiver.ts';

describe('npm run build', () => {
  let dist: string;
  let folder: string;

  before(async () => {
    dist = await wholeBuild();
    folder = `${dist}server/`;
  });

  for (const source of pageSources)
    it(`keeps the files of the ${source.name} page identical to those served from source`, async () => {
      const page = `${folder}pages/${source.name}`;
      const files = await loadPageFiles(source);
      expect((await readdir(page)).sort()).to.deep.equal([...files.keys()].sort());
      for (const [name, { content }] of files)
        expect(content.equals(await readFile(`${page}/${name}`)), name).to.equal(true);
    });

  it('builds a service that contains everything that its settings can enable', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'gamehost-build-'));
    const redis = await startTestRedis();
    const collector = await startTraceReceiver();
    const program = await startProgram(
      {
        DATA_DIR: dataDir,
        REDIS_URL: redis.url,
        METRICS_PORT: '0',
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      },
      `exec node --enable-source-maps ${folder}main.js`,
    );
    const statusOf = async (path: string) =>
      (await fetch(program.url + path, { headers: { 'X-API-Key': program.key ?? '' } })).status;
    for (const path of ['/readyz', '/api/v1/servers', '/api/v1/openapi.json', '/api/v1/docs', '/account'])
      expect(await statusOf(path), path).to.equal(200);
    const password = /Password +(\S+)/.exec(program.output())?.[1] ?? '';
    const { cookies } = await signInAccount(program.url, { email: 'demo@example.com', password });
    expect(cookies).to.have.lengthOf(1);
    const metricsUrl = /Metrics +(\S+)/.exec(program.output())?.[1] ?? '';
    expect(await (await fetch(metricsUrl)).text()).to.include('operation="servers.list"');
    expect(await program.stop()).to.equal(0);
    expect(collector.exports).not.to.have.lengthOf(0);
    await Promise.all([redis.stop(), collector.stop(), rm(dataDir, { recursive: true })]);
  });

  it('makes stack traces point to our source files', async () => {
    const program = (await readFile(`${folder}main.js`, 'utf8')).split('\n');
    const map = new SourceMap(JSON.parse(await readFile(`${folder}main.js.map`, 'utf8')));
    const place = map.findEntry(
      program.findIndex((line) => line.startsWith('async function startService(')),
      0,
    );
    expect(place)
      .to.have.property('originalSource')
      .that.matches(/\/server\/service\.ts$/);
  });
});

describe('the package of types from npm run build', () => {
  let packed: string;

  before(async () => {
    packed = `${await wholeBuild()}types/`;
  });

  it('is one file that needs only @trpc/server', async () => {
    expect((await readdir(packed)).sort()).to.deep.equal([
      'LICENSE',
      'README.md',
      'index.d.ts',
      'package.json',
    ]);
    const text = await readFile(`${packed}index.d.ts`, 'utf8');
    const imported = [...text.matchAll(/(?:from |import\()["']([^"']+)["']/g)].map(([, name]) => name);
    expect([...new Set(imported)]).to.deep.equal(['@trpc/server']);
  });

  it('declares every procedure', async () => {
    const text = await readFile(`${packed}index.d.ts`, 'utf8');
    for (const { name } of readOperations(appRouter))
      expect(text).to.match(
        new RegExp(`^ +${name.split('.').at(-1)}: import\\("@trpc/server"\\)\\.TRPC`, 'm'),
      );
  });

  describe('GET /trpc/types.d.ts', () => {
    let program: Awaited<ReturnType<typeof startProgram>>;

    before(async () => {
      program = await startProgram(
        { MONGODB_URI: testDatabaseUri() },
        `exec node ${packed}../server/main.js`,
      );
    });
    after(() => program.stop());

    const request = (headers: Record<string, string> = {}, method = 'GET') =>
      fetch(`${program.url}/trpc/types.d.ts`, {
        method,
        headers: { 'Cache-Control': 'max-age=0', ...headers },
      });

    it('returns the file of the package as text, without a key', async () => {
      const response = await request();
      expect([response.status, response.headers.get('Content-Type')]).to.deep.equal([
        200,
        'text/plain; charset=utf-8',
      ]);
      expect(await response.text()).to.equal(await readFile(`${packed}index.d.ts`, 'utf8'));
    });

    it('answers a matching ETag with 304 and another with 200', async () => {
      const etag = (await request()).headers.get('ETag') ?? '';
      const statuses = [
        await request({ 'If-None-Match': etag }),
        await request({ 'If-None-Match': '"other"' }),
      ];
      expect(statuses.map(({ status }) => status)).to.deep.equal([304, 200]);
    });

    it('compresses with gzip only when the client accepts it', async () => {
      const responses = [
        await request({ 'Accept-Encoding': 'gzip' }),
        await request({ 'Accept-Encoding': 'identity' }),
      ];
      expect(responses.map(({ headers }) => headers.get('Content-Encoding'))).to.deep.equal(['gzip', null]);
      expect(responses[1]?.headers.get('Vary')).to.include('Accept-Encoding');
    });

    it('answers POST with 405', async () => {
      const { status, headers } = await request({}, 'POST');
      expect([status, headers.get('Allow')]).to.deep.equal([405, 'GET, HEAD, OPTIONS']);
    });
  });
});
