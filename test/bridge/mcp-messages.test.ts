/** The protocol up to 2025-11-25, message by message: what is answered, what is refused, and under which status. */
import { expect } from 'chai';
import { expectProtocolError } from '../support/expect-error.ts';
import {
  createSendMessage,
  legacyRequest,
  modernRequest,
  type SendMessage,
  toolCall,
} from '../support/mcp.ts';
import { useSampled } from '../support/use-key.ts';

const serverInfo = { name: 'gamehost', title: 'gamehost', version: '1.0.0' };

describe('messages to /mcp', () => {
  const service = useSampled({ rateLimitPerMinute: 1_000_000 });
  const send: SendMessage = (message, options) =>
    createSendMessage(service.url)(message, { key: service.key, ...options });

  it('answer in JSON, whatever Accept says', async () => {
    for (const Accept of [
      'application/json',
      '*/*',
      'text/event-stream',
      'application/json, text/event-stream',
    ]) {
      const { status, headers } = await send(legacyRequest('ping'), { headers: { Accept } });
      expect([status, headers.get('Content-Type')]).to.deep.equal([200, 'application/json; charset=utf-8']);
    }
  });

  it('open no session, and need none', async () => {
    const opened = await send(legacyRequest('initialize', { protocolVersion: '2025-11-25' }));
    expect(opened.headers.has('Mcp-Session-Id')).to.equal(false);
    const { body } = await send(toolCall('get_my_profile'), {
      headers: { 'Mcp-Session-Id': 'of another server' },
    });
    expect(body.result.structuredContent.user.id).to.be.a('number');
  });

  it('keep the id they came with, a number or a text', async () => {
    for (const id of [0, 7, 'seven', ''])
      expect((await send(legacyRequest('ping', {}, id))).body.id).to.equal(id);
  });

  it('-32700: more than about 2,000 fields, which no call has', async () => {
    const fields = Object.fromEntries(Array.from({ length: 2100 }, (_, index) => [`field${index}`, index]));
    const refused = await send(toolCall('get_game', fields));
    expectProtocolError(refused, { status: 400, code: -32_700, id: null });
    expect(refused.body.error.message).to.equal('The body has too many fields or items');
  });

  it('-32700: a body that is no JSON', async () => {
    for (const text of ['{"jsonrpc":', 'not JSON', ' '])
      expectProtocolError(await send(text), { status: 400, code: -32_700, id: null });
  });

  it('-32600: a body of another Content-Type, which is named', async () => {
    const plain = await send('{}', { headers: { 'Content-Type': 'text/plain' } });
    expectProtocolError(plain, { status: 400, code: -32_600, id: null });
    expect(plain.body.error.message).to.equal('Content-Type must be application/json');
  });

  it('-32600: JSON that is no message', async () => {
    for (const message of [{}, 1, null, 'text', { jsonrpc: '2.0' }, { method: 'ping' }])
      expectProtocolError(await send(JSON.stringify(message)), { status: 400, code: -32_600, id: null });
    expectProtocolError(await send({ ...legacyRequest('ping'), jsonrpc: '1.0' }), {
      status: 400,
      code: -32_600,
    });
  });

  describe('up to 2025-11-25', () => {
    it('initialize agrees on the version asked for, or offers the newest', async () => {
      for (const [asked, version] of [
        ['2025-11-25', '2025-11-25'],
        ['2025-06-18', '2025-06-18'],
        ['2025-03-26', '2025-03-26'],
        ['2024-11-05', '2024-11-05'],
        ['2026-07-28', '2025-11-25'],
        ['1999-01-01', '2025-11-25'],
      ]) {
        const { body } = await send(legacyRequest('initialize', { protocolVersion: asked }));
        const { instructions, ...result } = body.result;
        const { serverInfo: self, ...rest } = result;
        expect(rest).to.deep.equal({ protocolVersion: version, capabilities: { tools: {} } });
        const { icons, ...named } = self;
        expect(named).to.deep.equal({ ...serverInfo, websiteUrl: `${service.url}/api/v1/docs` });
        expect(icons).to.have.length(1);
        expect(icons[0].mimeType).to.equal('image/svg+xml');
        expect(icons[0].src)
          .to.match(/^data:image\/svg\+xml;base64,[\w+/]+=*$/)
          .with.length.at.most(8192);
        expect(instructions).to.include('owner of the API key');
      }
    });

    it('-32602: initialize without a version', async () => {
      expectProtocolError(await send(legacyRequest('initialize', {})), { status: 200, code: -32_602 });
    });

    it('-32602: tools/list with a cursor, as we give none; null is an absent one', async () => {
      for (const cursor of ['', 'page-2', 0, {}])
        expectProtocolError(await send(legacyRequest('tools/list', { cursor })), {
          status: 200,
          code: -32_602,
        });
      const { body } = await send(legacyRequest('tools/list', { cursor: null }));
      expect(body.result.tools).to.not.deep.equal([]);
    });

    it('202 without a body: notifications, and responses to what we never asked', async () => {
      for (const message of [
        { jsonrpc: '2.0', method: 'notifications/initialized' },
        { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
        { jsonrpc: '2.0', id: 1, result: {} },
      ]) {
        const { status, text } = await send(message, { headers: { 'MCP-Protocol-Version': '2025-11-25' } });
        expect([status, text]).to.deep.equal([202, '']);
      }
    });

    it('-32601: methods we do not have', async () => {
      for (const method of [
        'resources/list',
        'prompts/list',
        'logging/setLevel',
        'server/discover',
        'constructor',
      ])
        expectProtocolError(await send(legacyRequest(method)), { status: 200, code: -32_601 });
    });

    it('-32022: a version header we do not know, naming those we do', async () => {
      const answer = await send(legacyRequest('ping'), { headers: { 'MCP-Protocol-Version': '1999-01-01' } });
      expectProtocolError(answer, { status: 400, code: -32_022 });
      expect(answer.body.error.data.supported).to.include.members(['2025-11-25', '2025-06-18', '2025-03-26']);
    });
  });

  describe('batches, which 2025-03-26 has', () => {
    it('are answered message by message, each with its own outcome, notifications with none', async () => {
      const { status, body } = await send([
        legacyRequest('ping', undefined, 1),
        { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 0 } },
        toolCall('get_game', { slug: 'nowhere' }, 2),
        toolCall('get_game', { slug: 'sample' }, 3),
        legacyRequest('no/such', undefined, 4),
      ]);
      expect(status).to.equal(200);
      expect(body.map(({ id }: { id: number }) => id)).to.deep.equal([1, 2, 3, 4]);
      expect(body[1].result.isError).to.equal(true);
      expect(body[2].result.structuredContent.game.slug).to.equal('sample');
      expect(body[3].error.code).to.equal(-32_601);
    });

    it('202 without a body: one of notifications only', async () => {
      const { status, text } = await send([{ jsonrpc: '2.0', method: 'notifications/initialized' }]);
      expect([status, text]).to.deep.equal([202, '']);
    });

    it('-32600: an empty one, one with something else in it, one with a message of 2026-07-28, one too long', async () => {
      const ping = legacyRequest('ping');
      for (const batch of [[], [ping, 1], [ping, modernRequest('tools/list')], Array(51).fill(ping)])
        expectProtocolError(await send(batch), { status: 400, code: -32_600, id: null });
    });
  });
});
