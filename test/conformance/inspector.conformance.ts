/** The official inspector's command line, in strict mode, against the unmodified service. */
import { expect } from 'chai';
import { addSamples } from '../support/samples.ts';
import { useService } from '../support/service.ts';
import { startKeyProxy } from './key-proxy.ts';
import { runSuite } from './run-suite.ts';

const inspector = { package: '@modelcontextprotocol/inspector@2.12.0', program: 'mcp-inspector' };

describe('the official MCP inspector', () => {
  const service = useService();
  let proxy: Awaited<ReturnType<typeof startKeyProxy>>;

  before(async () => {
    proxy = await startKeyProxy(service.url, (await addSamples(service)).key);
  });
  after(() => proxy.stop());

  /** The inspector's output without the line with its date. */
  async function inspect(...args: string[]) {
    const server = [`${proxy.url}/mcp`, '--transport', 'http'];
    const { exitCode, output, errors } = await runSuite(inspector, [
      '--cli',
      ...server,
      ...args,
      '--format',
      'json',
    ]);
    return { exitCode, errors, result: exitCode === 0 ? JSON.parse(output) : output };
  }

  it('finds nothing wrong with the tools in strict mode', async () => {
    const { exitCode, errors, result } = await inspect('--method', 'tools/list', '--strict');
    expect(exitCode, errors).to.equal(0);
    expect(JSON.stringify(result)).to.include('set_server_power');
    expect(result).to.not.have.property('schemaFindings');
  });

  for (const version of ['legacy', 'auto', 'modern'])
    it(`calls a tool in the protocol era ${version}`, async () => {
      const call = ['--method', 'tools/call', '--tool-name', 'get_game', '--tool-arg', 'slug=sample'];
      const { exitCode, errors, result } = await inspect(...call, '--protocol-era', version);
      expect(exitCode, errors).to.equal(0);
      expect(JSON.stringify(result)).to.include('"slug":"sample"');
    });
});
