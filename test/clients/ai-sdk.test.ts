/** @ai-sdk/mcp, the Vercel AI SDK's MCP client: lists the tools, calls them, and reads why a key is refused. */
import { expect } from 'chai';
import { type ClientFolder, installFromNpm } from '../support/client-tools.ts';
import { useService } from '../support/service.ts';

const program = `
import { createMCPClient } from '@ai-sdk/mcp';

const { BASE_URL, KEY } = process.env;
const connect = (key) =>
  createMCPClient({ transport: { type: 'http', url: BASE_URL + '/mcp', headers: { Authorization: 'Bearer ' + key } } });
const client = await connect(KEY);
const { create_ticket, list_my_tickets } = await client.tools();
const context = { toolCallId: '1', messages: [] };
await create_ticket.execute({ title: 'Agent', message: 'Hello.', service_name: null, idempotency_key: null }, context);
const list = await list_my_tickets.execute({ status: null }, context);
await client.close();
const refusal = await connect('wrong').catch((error) => error.message);
console.log(JSON.stringify([list.structuredContent.tickets.map(({ subject }) => subject), refusal]));
`;

describe('@ai-sdk/mcp', () => {
  const service = useService();
  let folder: ClientFolder;

  before(async () => {
    folder = await installFromNpm('ai-sdk', ['@ai-sdk/mcp@2', 'zod@4']);
  });

  it('calls tools with null for what is optional, and reads why a key is refused', async () => {
    const { secret } = await service.addKey();
    await folder.write('main.js', program);
    const [subjects, refusal] = JSON.parse(
      await folder.run('node', ['main.js'], { BASE_URL: service.url, KEY: secret }),
    );
    expect(subjects).to.deep.equal(['Agent']);
    expect(refusal).to.include('API key malformed');
  });
});
