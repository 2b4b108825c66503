/** The protocol of 2026-07-28, message by message: what is answered, what is refused, and under which status. */
import { expect } from 'chai';
import { expectProtocolError } from '../support/expect-error.ts';
import {
  createSendMessage,
  legacyRequest,
  modernHeaders,
  modernRequest,
  type SendMessage,
} from '../support/mcp.ts';
import { useSampled } from '../support/use-key.ts';

const serverInfo = { name: 'gamehost', title: 'gamehost', version: '1.0.0' };

describe('messages to /mcp of 2026-07-28', () => {
  const service = useSampled({ rateLimitPerMinute: 1_000_000 });
  const send: SendMessage = (message, options) =>
    createSendMessage(service.url)(message, { key: service.key, ...options });

  it('server/discover says what we speak and may be kept', async () => {
    const answer = await send(modernRequest('server/discover'), {
      headers: modernHeaders('server/discover'),
    });
    const { instructions, _meta, ...result } = answer.body.result;
    const { icons, ...named } = _meta['io.modelcontextprotocol/serverInfo'];
    expect(named).to.deep.equal({ ...serverInfo, websiteUrl: `${service.url}/api/v1/docs` });
    expect(icons[0].src).to.match(/^data:image/);
    expect(result).to.deep.equal({
      supportedVersions: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'],
      capabilities: { tools: {} },
      ttlMs: 300_000,
      cacheScope: 'private',
      resultType: 'complete',
    });
    expect(instructions).to.include('owner of the API key');
  });

  it('a tool result says that it is complete and who gave it', async () => {
    const message = modernRequest('tools/call', { name: 'get_game', arguments: { slug: 'sample' } });
    const { body } = await send(message, { headers: modernHeaders('tools/call', 'get_game') });
    expect(body.result).to.include({ resultType: 'complete' });
    expect(body.result._meta).to.deep.equal({ 'io.modelcontextprotocol/serverInfo': serverInfo });
    expect(body.result.structuredContent.game.slug).to.equal('sample');
  });

  it('-32602: tools/list with a cursor, as we give none; null is an absent one', async () => {
    const list = (cursor: unknown) =>
      send(modernRequest('tools/list', { cursor }), { headers: modernHeaders('tools/list') });
    for (const cursor of ['', 'page-2'])
      expectProtocolError(await list(cursor), { status: 200, code: -32_602 });
    expect((await list(null)).body.result.tools).to.not.deep.equal([]);
  });

  it('404 -32601: methods this version no longer has, or never had', async () => {
    for (const method of ['ping', 'initialize', 'resources/list', 'subscriptions/listen']) {
      const answer = await send(modernRequest(method), { headers: modernHeaders(method) });
      expectProtocolError(answer, { status: 404, code: -32_601 });
    }
  });

  it('400 -32022: a version we do not speak, naming the one we do', async () => {
    const message = modernRequest('tools/list');
    Object.assign(message.params ?? {}, {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2099-01-01',
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    });
    const headers = { ...modernHeaders('tools/list'), 'MCP-Protocol-Version': '2099-01-01' };
    const answer = await send(message, { headers });
    expectProtocolError(answer, { status: 400, code: -32_022 });
    expect(answer.body.error.data).to.deep.equal({ supported: ['2026-07-28'], requested: '2099-01-01' });
  });

  it('400 -32020: headers that are missing or say something else than the body', async () => {
    const right = modernHeaders('tools/call', 'get_game');
    const message = modernRequest('tools/call', { name: 'get_game', arguments: { slug: 'sample' } });
    const { 'MCP-Protocol-Version': _, ...unversioned } = right;
    const wrong: Record<string, string>[] = [
      {},
      unversioned,
      { 'MCP-Protocol-Version': '2026-07-28' },
      modernHeaders('tools/call'),
      modernHeaders('tools/list', 'get_game'),
      modernHeaders('tools/call', 'list_games'),
      modernHeaders('tools/call', '=?base64?not base64?='),
      { ...right, 'MCP-Protocol-Version': '2025-11-25' },
    ];
    for (const headers of wrong)
      expectProtocolError(await send(message, { headers }), { status: 400, code: -32_020 });
    expect((await send(message, { headers: right })).status).to.equal(200);
  });

  it('a name that a header cannot carry may come as base64', async () => {
    const message = modernRequest('tools/call', { name: 'get_game', arguments: { slug: 'sample' } });
    const encoded = `=?base64?${Buffer.from('get_game').toString('base64')}?=`;
    expect((await send(message, { headers: modernHeaders('tools/call', encoded) })).status).to.equal(200);
  });

  it('400 -32602: headers of this version over a body without its envelope', async () => {
    const answer = await send(legacyRequest('tools/list'), { headers: modernHeaders('tools/list') });
    expectProtocolError(answer, { status: 400, code: -32_602 });
  });

  it('202: a notification', async () => {
    const message = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
    const { status, text } = await send(message, { headers: modernHeaders('notifications/cancelled') });
    expect([status, text]).to.deep.equal([202, '']);
  });
});
