/** The collector of traces may be there, away or stuck: answers and the stop do not depend on it, and without one nothing is loaded. */
import { expect } from 'chai';
import { openTestModels, type TestModels } from '../support/models.ts';
import { runProgram, startProgram } from '../support/program.ts';
import { startTraceReceiver } from '../support/trace-receiver.ts';

/** Nobody listens there. */
const nowhere = 'http://127.0.0.1:9';

const graceMs = 15_000;

/** Has a program print, as its last act, the paths of the CommonJS modules it has loaded. */
const tellLoaded = `data:text/javascript,${encodeURIComponent(
  'import { createRequire } from "node:module"; const { cache } = createRequire("/");' +
    'process.on("exit", () => console.log("LOADED " + JSON.stringify(Object.keys(cache))));',
)}`;

describe('the collector of traces', function () {
  this.timeout(60_000);
  let database: TestModels;

  before(async () => {
    database = await openTestModels();
  });
  after(() => database.close());

  const start = (settings: Record<string, string>, command?: string) =>
    startProgram({ MONGODB_URI: database.databaseUri, ...settings }, command);

  const describeApi = async (url: string) => (await fetch(`${url}/api/v1/openapi.json`)).status;

  async function stopTime(program: Awaited<ReturnType<typeof startProgram>>): Promise<number> {
    const from = performance.now();
    expect(await program.stop()).to.equal(0);
    return performance.now() - from;
  }

  it('gets the last spans at the stop, in protobuf unless told otherwise, under the name it is told', async () => {
    const collector = await startTraceReceiver();
    const program = await start({
      ...{ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SERVICE_NAME: 'gamehost-eu' },
      OTEL_BSP_SCHEDULE_DELAY: '600000',
    });
    expect(await describeApi(program.url)).to.equal(200);
    expect(collector.exports).to.deep.equal([]);
    await stopTime(program);
    expect(collector.exports.map(({ path, type }) => ({ path, type }))).to.deep.equal([
      { path: '/v1/traces', type: 'application/x-protobuf' },
    ]);
    expect(collector.text()).to.include('openapi.document').and.include('gamehost-eu');
    await collector.stop();
  });

  it('may be away: every call is answered, the log says so once, and the stop takes no longer than it may', async () => {
    const program = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: nowhere, OTEL_BSP_SCHEDULE_DELAY: '10' });
    const told = program.says('The collector of traces takes none');
    for (let calls = 0; calls < 50; calls += 1) expect(await describeApi(program.url)).to.equal(200);
    await told;
    for (let calls = 0; calls < 50; calls += 1) expect(await describeApi(program.url)).to.equal(200);
    expect(await stopTime(program)).to.be.below(graceMs);
    expect(program.output().match(/"level"/g)).to.have.lengthOf(1);
  });

  it('may hang: the stop gives up on it', async () => {
    const collector = await startTraceReceiver(() => {});
    const program = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    expect(await describeApi(program.url)).to.equal(200);
    expect(await stopTime(program)).to.be.below(graceMs);
    await collector.stop();
  });

  it('is spoken to over HTTP only, which a wrong setting is told by name', async () => {
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: nowhere, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' };
    const { code, output } = await runProgram(settings);
    expect(code).to.equal(1);
    expect(output).to.match(/OTEL_EXPORTER_OTLP_PROTOCOL: .*http\/protobuf/);
  });

  describe('decides what is loaded', () => {
    /** The files of OpenTelemetry's packages, which are CommonJS, that a start with these settings has loaded at its end. */
    async function loadedBy(settings: Record<string, string>): Promise<string[]> {
      const program = await start(settings, `exec node --import tsx --import '${tellLoaded}' server/main.ts`);
      expect(await describeApi(program.url)).to.equal(200);
      await program.stop();
      const loaded: string[] = JSON.parse(/LOADED (.*)/.exec(program.output())?.[1] ?? '[]');
      expect(loaded.some((path) => path.includes('/mongoose/'))).to.equal(true);
      return loaded.filter((path) => path.includes('/@opentelemetry/'));
    }

    it('nothing of OpenTelemetry without the variables', async () => {
      expect(await loadedBy({})).to.deep.equal([]);
    });

    it('nothing of it where traces are turned off', async () => {
      const off = { OTEL_EXPORTER_OTLP_ENDPOINT: nowhere, OTEL_TRACES_EXPORTER: 'none' };
      expect(await loadedBy(off)).to.deep.equal([]);
    });

    it('one exporter of the two with them', async () => {
      const loaded = await loadedBy({ OTEL_TRACES_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_TIMEOUT: '100' });
      expect(loaded.some((url) => url.includes('exporter-trace-otlp-proto'))).to.equal(true);
      expect(loaded.filter((url) => url.includes('exporter-trace-otlp-http'))).to.deep.equal([]);
    });
  });
});
