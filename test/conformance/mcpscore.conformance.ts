/** mcpscore, a public rating of MCP servers, against a local service that is an authorization server. */
import { expect } from 'chai';
import { type ClientFolder, installFromPyPi } from '../support/client-tools.ts';
import { useCustomer } from '../support/use-key.ts';

/** A local service has no TLS, and its tools change only with a release. */
const expectedFindings = [
  ...['security_tls_enabled', 'auth_metadata_https', 'auth_authorization_servers_https'],
  'capability_tools_list_changed',
];

describe('mcpscore', () => {
  const service = useCustomer({ hasApps: true, rateLimitPerMinute: 1_000 });
  let judge: ClientFolder;

  before(async function install() {
    this.timeout(300_000);
    judge = await installFromPyPi('mcpscore', ['mcpscore==1.29.0']);
  });

  it('reports only the missing TLS and the unchanging list of tools', async () => {
    const options = ['--no-config', '--json', `${service.url}/mcp`];
    const report = JSON.parse(await judge.run('mcpscore', options, { MCPSCORE_TOKEN: service.key }));
    const failed = [...report.results, ...report.readiness.results].filter(({ passed }) => passed === false);
    expect(failed.map(({ rule_id }) => rule_id)).to.have.members(expectedFindings);
  });
});
