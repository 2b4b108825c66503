/** mcpscore, a public judge of MCP servers, against the service as an authorization server on this machine. */
import { expect } from 'chai';
import { type ClientFolder, installFromPyPi } from '../support/client-tools.ts';
import { useCustomer } from '../support/use-key.ts';

/** A service on this machine has no TLS, and its tools change with its releases alone. */
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

  it('finds nothing but the missing TLS, and a list of tools that does not change', async () => {
    const options = ['--no-config', '--json', `${service.url}/mcp`];
    const report = JSON.parse(await judge.run('mcpscore', options, { MCPSCORE_TOKEN: service.key }));
    const failed = [...report.results, ...report.readiness.results].filter(({ passed }) => passed === false);
    expect(failed.map(({ rule_id }) => rule_id)).to.have.members(expectedFindings);
  });
});
