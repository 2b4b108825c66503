/** An agent on the demo finds the server with a problem, reads its console and opens a ticket about it. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect } from 'chai';
import { useDirectory } from '../support/directory.ts';
import { startProgram } from '../support/program.ts';
import { useStarted } from '../support/use-started.ts';

describe('an agent that hears that players cannot join', () => {
  const folder = useDirectory();
  const program = useStarted(() => startProgram({ DATA_DIR: folder.path }));
  let client: Client;

  before(async () => {
    client = new Client({ name: 'test', version: '1.0.0' });
    const requestInit = { headers: { Authorization: `Bearer ${program.key}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${program.url}/mcp`), { requestInit }));
  });
  after(() => client.close());

  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape it expects
  const call = async (name: string, args: Record<string, unknown> = {}): Promise<any> =>
    (await client.callTool({ name, arguments: args })).structuredContent;

  it('finds the server, its failing plugin and the related ticket with three tools', async () => {
    const { states } = await call('list_server_states');
    const { server } = states.find(({ name }: { name: string }) => name === 'Rusty Weekend');
    const { console: output } = await call('get_console_output', { server_identifier: server });
    expect(output.state).to.equal('running');
    const failure = output.lines.find((line: string) => line.includes('NullReferenceException'));
    expect(failure).to.match(/RaidTimer v2\.3\.1/);
    const written = { title: 'Players cannot join', message: failure, service_reference: server };
    const { ticket } = await call('create_ticket', written);
    expect((await call('get_ticket', { ticket_id: ticket.id })).messages[0].message).to.equal(failure);
  });
});
