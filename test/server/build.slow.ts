/** What `npm run build` leaves behind: the pages as they are served from source, and programs that need only what stays outside. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { SourceMap } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { loadPageFiles } from '../../bridge/pages/page-files.ts';
import { pageSources, writePages, writePrograms } from '../../server/build/programs.ts';
import { signedIn } from '../support/account.ts';
import { mongodCacheDir, testDatabaseUri } from '../support/mongo.ts';
import { startProgram } from '../support/program.ts';
import { startTestRedis } from '../support/redis.ts';
import { startTraceReceiver } from '../support/trace-receiver.ts';

const run = promisify(execFile);
const cacheDir = fileURLToPath(new URL('../../.cache', import.meta.url));

describe('npm run build', () => {
  /** Stands for the project, whose node_modules it is below. */
  let dir: string;
  let folder: string;

  before(async () => {
    dir = await mkdtemp(join(cacheDir, 'build-'));
    await mkdir(join(dir, '.cache'));
    await symlink(mongodCacheDir, join(dir, '.cache/mongod'), 'dir');
    folder = join(dir, 'dist/server/');
    await writePages(pathToFileURL(join(folder, 'pages/')));
    await writePrograms(pathToFileURL(folder));
  });
  after(() => rm(dir, { recursive: true, force: true }));

  for (const source of pageSources)
    it(`leaves the files of the ${source.name} page as they are served from source`, async () => {
      const page = join(folder, 'pages', source.name);
      const files = await loadPageFiles(source);
      expect((await readdir(page)).sort()).to.deep.equal([...files.keys()].sort());
      for (const [name, { content }] of files)
        expect(content.equals(await readFile(join(page, name))), name).to.equal(true);
    });

  it('makes a service that has all it needs, whatever it is told to use', async () => {
    const redis = await startTestRedis();
    const collector = await startTraceReceiver();
    const program = await startProgram(
      {
        DATA_DIR: join(dir, 'data'),
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
    const { cookies } = await signedIn(program.url, { email: 'demo@example.com', password });
    expect(cookies).to.have.lengthOf(1);
    const metricsUrl = /Metrics +(\S+)/.exec(program.output())?.[1] ?? '';
    expect(await (await fetch(metricsUrl)).text()).to.include('operation="servers.list"');
    expect(await program.stop()).to.equal(0);
    expect(collector.exports).not.to.have.lengthOf(0);
    await Promise.all([redis.stop(), collector.stop()]);
  });

  it('makes a command line', async () => {
    const env = { ...process.env, MONGODB_URI: testDatabaseUri('built') };
    const { stdout } = await run(process.execPath, [`${folder}cli.js`, 'user', 'list', '--json'], { env });
    expect(JSON.parse(stdout)).to.deep.equal([]);
  });

  it('lets a trace say where in our sources it came by', async () => {
    const program = (await readFile(join(folder, 'main.js'), 'utf8')).split('\n');
    const map = new SourceMap(JSON.parse(await readFile(join(folder, 'main.js.map'), 'utf8')));
    const place = map.findEntry(
      program.findIndex((line) => line.startsWith('async function startService(')),
      0,
    );
    expect(place)
      .to.have.property('originalSource')
      .that.matches(/\/server\/service\.ts$/);
  });
});
