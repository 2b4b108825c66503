/** /mcp with the protocol's own clients: the 1.x client for the 2025 versions and the 2.x client for both generations. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect } from 'chai';
import { failureOf } from '../support/failure-of.ts';
import { apiOperations } from '../support/samples.ts';
import { useSamples } from '../support/use-key.ts';

const clientInfo = { name: 'test', version: '1.0.0' };

describe('/mcp with the official clients', () => {
  const service = useSamples({ rateLimitPerMinute: 1_000_000 });

  const endpoint = (headers = { Authorization: `Bearer ${service.key}` }) =>
    [new URL(`${service.url}/mcp`), { requestInit: { headers } }] as const;

  async function connectOld(): Promise<OldClient> {
    const client = new OldClient(clientInfo);
    const transport = new OldTransport(...endpoint());
    await client.connect(transport as Parameters<OldClient['connect']>[0]); // its types do not support exactOptionalPropertyTypes
    return client;
  }

  async function connectNew(mode: 'legacy' | 'auto' | { pin: string }): Promise<Client> {
    const client = new Client(clientInfo, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(...endpoint()));
    return client;
  }

  const clients = {
    'the 1.x client': connectOld,
    'the 2.x client in an old version': () => connectNew('legacy'),
    'the 2.x client, choosing for itself': () => connectNew('auto'),
    'the 2.x client, asking for 2026-07-28': () => connectNew({ pin: '2026-07-28' }),
  };

  for (const [name, connect] of Object.entries(clients))
    it(`lets ${name} identify the server, list and call tools, and read refusals`, async () => {
      const client = await connect();
      expect(client.getServerVersion()).to.include({ name: 'gamehost' });
      expect(client.getServerCapabilities()).to.deep.equal({ tools: {} });
      expect(client.getInstructions()).to.include('owner of the API key');
      const listed = (await client.listTools()).tools.map(({ name }) => name);
      expect(listed).to.have.members(apiOperations.flatMap(({ tool }) => tool?.name ?? []));
      // A client that has listed the tools validates results against their schemas.
      const game = await client.callTool({ name: 'get_game', arguments: { slug: 'sample' } });
      expect(game.structuredContent).to.have.nested.property('game.slug', 'sample');
      expect(game.isError).to.not.equal(true);
      const ticket = { title: 'Lag', message: 'It lags' };
      const { structuredContent } = await client.callTool({ name: 'create_ticket', arguments: ticket });
      expect(structuredContent).to.have.nested.property('ticket.status', 'New');
      const refused = await client.callTool({ name: 'get_game', arguments: { slug: 'nowhere' } });
      expect(refused.isError).to.equal(true);
      const text = '{"error":{"code":"not_found","message":"Game not found"}}';
      expect(refused.content).to.deep.equal([{ type: 'text', text }]);
      expect(await failureOf(client.callTool({ name: 'no_such_tool' }))).to.have.property('code', -32_602);
      await client.close();
    });

  it('lets the 2.x client choose 2026-07-28', async () => {
    const client = await connectNew('auto');
    expect(client.getProtocolEra()).to.equal('modern');
    await client.close();
  });

  it('makes a client without a key fail at once, without a search for an authorization server', async () => {
    const client = new Client(clientInfo);
    const [url] = endpoint();
    const failure = await failureOf(client.connect(new StreamableHTTPClientTransport(url)));
    expect(String(failure)).to.include('API key missing');
  });
});
