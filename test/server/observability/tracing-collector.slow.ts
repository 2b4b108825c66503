/** Responses and the stop do not depend on the trace collector, and OpenTelemetry is not loaded without one. */
import { expect } from 'chai';
import { builtPrograms } from '../../support/built-programs.ts';
import { openTestModels } from '../../support/models.ts';
import { startProgram } from '../../support/program.ts';
import { startTraceReceiver } from '../../support/trace-receiver.ts';
import { useStarted } from '../../support/use-started.ts';

/** Nothing listens there. */
const closedEndpoint = 'http://127.0.0.1:9';

/** Makes a program print the paths of the CommonJS modules it has loaded when it exits. */
const printLoaded = `data:text/javascript,${encodeURIComponent(
  'import { createRequire } from "node:module"; const { cache } = createRequire("/");' +
    'process.on("exit", () => console.log("LOADED " + JSON.stringify(Object.keys(cache))));',
)}`;

describe('the trace exporter', () => {
  const database = useStarted(openTestModels);

  const start = (settings: Record<string, string>, command?: string) =>
    startProgram({ MONGODB_URI: database.databaseUri, ...settings }, command);

  const getOpenApi = async (url: string) => (await fetch(`${url}/api/v1/openapi.json`)).status;

  it('sends the last spans at the stop, as protobuf by default, under OTEL_SERVICE_NAME', async () => {
    const collector = await startTraceReceiver();
    const program = await start({
      ...{ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SERVICE_NAME: 'gamehost-eu' },
      OTEL_BSP_SCHEDULE_DELAY: '600000',
    });
    expect(await getOpenApi(program.url)).to.equal(200);
    expect(collector.exports).to.deep.equal([]);
    expect(await program.stop()).to.equal(0);
    expect(collector.exports.map(({ path, type }) => ({ path, type }))).to.deep.equal([
      { path: '/v1/traces', type: 'application/x-protobuf' },
    ]);
    expect(collector.text()).to.include('openapi.document').and.include('gamehost-eu');
    await collector.stop();
  });

  it('survives a collector that is down: every call is answered, one warning is logged, and the stop is not delayed', async () => {
    const program = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: closedEndpoint,
      OTEL_BSP_SCHEDULE_DELAY: '10',
    });
    const warned = program.says('Trace collector is unavailable');
    for (let calls = 0; calls < 50; calls += 1) expect(await getOpenApi(program.url)).to.equal(200);
    await warned;
    for (let calls = 0; calls < 50; calls += 1) expect(await getOpenApi(program.url)).to.equal(200);
    expect(await program.stop()).to.equal(0);
    expect(program.output().match(/"level"[^\n]*collector/gi)).to.have.lengthOf(1);
  });

  it('survives a collector that hangs: the stop continues after the export timeout', async () => {
    const collector = await startTraceReceiver(() => {});
    const program = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    expect(await getOpenApi(program.url)).to.equal(200);
    expect(await program.stop()).to.equal(0);
    await collector.stop();
  });

  describe('when packages are loaded', () => {
    /** The files of OpenTelemetry's packages (CommonJS) that a service with these settings has loaded. */
    async function loadedBy(settings: Record<string, string>): Promise<string[]> {
      const program = await start(
        settings,
        `exec node --import '${printLoaded}' ${await builtPrograms()}main.js`,
      );
      expect(await getOpenApi(program.url)).to.equal(200);
      await program.stop();
      const loaded: string[] = JSON.parse(/LOADED (.*)/.exec(program.output())?.[1] ?? '[]');
      expect(loaded.some((path) => path.includes('/@node-rs/argon2/'))).to.equal(true);
      return loaded.filter((path) => path.includes('/@opentelemetry/'));
    }

    it('needs no OpenTelemetry package without its variables', async () => {
      expect(await loadedBy({})).to.deep.equal([]);
    });

    it('needs no OpenTelemetry package with OTEL_TRACES_EXPORTER=none', async () => {
      const off = { OTEL_EXPORTER_OTLP_ENDPOINT: closedEndpoint, OTEL_TRACES_EXPORTER: 'none' };
      expect(await loadedBy(off)).to.deep.equal([]);
    });

    it('needs only the packages of the configured exporter', async () => {
      const loaded = await loadedBy({ OTEL_TRACES_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_TIMEOUT: '100' });
      expect(loaded.some((url) => url.includes('exporter-trace-otlp-proto'))).to.equal(true);
      expect(loaded.filter((url) => url.includes('exporter-trace-otlp-http'))).to.deep.equal([]);
    });
  });
});
