/** Public judges of what a service offers to programs: the OpenAPI document of the demo with apps, and every tool. */
import { expect } from 'chai';
import { type ClientFolder, installFromNpm, installFromPyPi } from '../support/client-tools.ts';
import { createSendMessage, legacyRequest } from '../support/mcp.ts';
import { useCustomer } from '../support/use-key.ts';

const aim = 82;
const offline = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

describe('public judges', () => {
  const demo = useCustomer({ hasApps: true, config: { hasConsoleCommands: false } });
  const withAllTools = useCustomer({ hasApps: true });
  let node: ClientFolder;
  let python: ClientFolder;

  before(async function install() {
    this.timeout(300_000);
    node = await installFromNpm('judges-node', ['@redocly/cli@2.77.0']);
    python = await installFromPyPi('judges', ['openapi-agent-ready==0.4.1', 'tdqs==0.1.0']);
    const { text } = await demo.call('GET', '/openapi.json');
    await Promise.all([node, python].map((folder) => folder.write('openapi.json', text)));
  });

  it(`give the OpenAPI document ${aim} of 100 or more (redocly score)`, async () => {
    const report = await node.run('redocly', ['score', 'openapi.json', '--format', 'json'], offline);
    expect(JSON.parse(report).agentReadiness).to.be.at.least(aim);
  });

  it(`give the OpenAPI document ${aim} of 100 or more (openapi-agent-ready)`, async () => {
    const report = await python.run('agent-ready', ['openapi.json', '--format', 'json']);
    expect(JSON.parse(report).overall_score).to.be.at.least(aim);
  });

  it("find no error in a customer's tools (tdqs)", async () => {
    const { url, key } = withAllTools;
    const { body } = await createSendMessage(url)(legacyRequest('tools/list'), { key });
    await python.write('tools.json', JSON.stringify(body.result));
    const options = ['--file', 'tools.json', '--format', 'json', '--fail-on', 'never'];
    const { tools, findings } = JSON.parse(await python.run('tdqs', ['lint', ...options]));
    expect(tools).to.have.lengthOf(body.result.tools.length);
    expect(findings.filter(({ severity }: { severity: string }) => severity === 'error')).to.deep.equal([]);
  });
});
