/** Public judges of what a local service offers to programs. */
import { expect } from 'chai';
import { type ClientFolder, installFromPyPi } from '../support/client-tools.ts';
import { createSendMessage, legacyRequest } from '../support/mcp.ts';
import { useCustomer } from '../support/use-key.ts';

describe('public judges', () => {
  const service = useCustomer({ hasApps: true });
  let python: ClientFolder;

  before(async function install() {
    this.timeout(300_000);
    python = await installFromPyPi('judges', ['openapi-agent-ready==0.4.1', 'tdqs==0.1.0']);
  });

  it("find no error in a customer's tools (tdqs)", async () => {
    const { key } = service;
    const { body } = await createSendMessage(service.url)(legacyRequest('tools/list'), { key });
    await python.write('tools.json', JSON.stringify(body.result));
    const options = ['--file', 'tools.json', '--format', 'json', '--fail-on', 'never'];
    const { tools, findings } = JSON.parse(await python.run('tdqs', ['lint', ...options]));
    expect(tools).to.have.lengthOf(body.result.tools.length);
    expect(findings.filter(({ severity }: { severity: string }) => severity === 'error')).to.deep.equal([]);
  });
});
