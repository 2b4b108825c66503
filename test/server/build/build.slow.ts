/** `npm run build`: the pages, the programs and the router's type in the client's package. */
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

describe('the entry gamehost/trpc of the package from npm run build', () => {
  let text: string;

  before(async () => {
    text = await readFile(`${await wholeBuild()}client/lib/trpc.d.ts`, 'utf8');
  });

  it('is one file that needs only @trpc/server', () => {
    const imported = [...text.matchAll(/(?:from |import\()["']([^"']+)["']/g)].map(([, name]) => name);
    expect([...new Set(imported)]).to.deep.equal(['@trpc/server']);
  });

  it('declares every procedure', () => {
    for (const { name } of readOperations(appRouter))
      expect(text).to.match(
        new RegExp(`^ +${name.split('.').at(-1)}: import\\("@trpc/server"\\)\\.TRPC`, 'm'),
      );
  });
});
