/** Answers, refusals and statuses for each message of both generations of the protocol. */
import { expect } from 'chai';
import { expectProtocolError } from '../support/expect-error.ts';
import {
  createSendMessage,
  legacyRequest,
  modernHeaders,
  modernRequest,
  type SendMessage,
  toolCall,
} from '../support/mcp.ts';
import { useSamples } from '../support/use-key.ts';

const serverInfo = { name: 'gamehost', title: 'gamehost', version: '1.0.0' };

describe('messages to /mcp', () => {
  const service = useSamples({ rateLimitPerMinute: 1_000_000 });
  const send: SendMessage = (message, options) =>
    createSendMessage(service.url)(message, { key: service.key, ...options });

  it('are answered in JSON, whatever Accept says', async () => {
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

  it('need no session and open none', async () => {
    const opened = await send(legacyRequest('initialize', { protocolVersion: '2025-11-25' }));
    expect(opened.headers.has('Mcp-Session-Id')).to.equal(false);
    const { body } = await send(toolCall('get_my_profile'), {
      headers: { 'Mcp-Session-Id': 'of another server' },
    });
    expect(body.result.structuredContent.user.id).to.be.a('number');
  });

  it('keep their id, a number or a string', async () => {
    for (const id of [0, 7, 'seven', ''])
      expect((await send(legacyRequest('ping', {}, id))).body.id).to.equal(id);
  });

  it('get -32700 for more than about 2,000 fields', async () => {
    const fields = Object.fromEntries(Array.from({ length: 2100 }, (_, index) => [`field${index}`, index]));
    const refused = await send(toolCall('get_game', fields));
    expectProtocolError(refused, { status: 400, code: -32_700, id: null });
    expect(refused.body.error.message).to.equal('The body has too many fields or items');
  });

  it('get -32700 for a body that is not JSON', async () => {
    for (const text of ['{"jsonrpc":', 'not JSON', ' '])
      expectProtocolError(await send(text), { status: 400, code: -32_700, id: null });
  });

  it('get -32600 with the name of an unsupported Content-Type', async () => {
    const plain = await send('{}', { headers: { 'Content-Type': 'text/plain' } });
    expectProtocolError(plain, { status: 400, code: -32_600, id: null });
    expect(plain.body.error.message).to.equal('Content-Type must be application/json');
  });

  it('get -32600 for JSON that is not a message', async () => {
    for (const message of [{}, 1, null, 'text', { jsonrpc: '2.0' }, { method: 'ping' }])
      expectProtocolError(await send(JSON.stringify(message)), { status: 400, code: -32_600, id: null });
    expectProtocolError(await send({ ...legacyRequest('ping'), jsonrpc: '1.0' }), {
      status: 400,
      code: -32_600,
    });
  });

  describe('of versions up to 2025-11-25', () => {
    it('agree in initialize on the requested version, or offer the newest', async () => {
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

    it('get -32602 for initialize without a version', async () => {
      expectProtocolError(await send(legacyRequest('initialize', {})), { status: 200, code: -32_602 });
    });

    it('get -32602 for tools/list with a cursor, and an answer when the cursor is null', async () => {
      for (const cursor of ['', 'page-2', 0, {}])
        expectProtocolError(await send(legacyRequest('tools/list', { cursor })), {
          status: 200,
          code: -32_602,
        });
      const { body } = await send(legacyRequest('tools/list', { cursor: null }));
      expect(body.result.tools).to.not.deep.equal([]);
    });

    it('get 202 without a body for notifications and unsolicited responses', async () => {
      for (const message of [
        { jsonrpc: '2.0', method: 'notifications/initialized' },
        { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
        { jsonrpc: '2.0', id: 1, result: {} },
      ]) {
        const { status, text } = await send(message, { headers: { 'MCP-Protocol-Version': '2025-11-25' } });
        expect([status, text]).to.deep.equal([202, '']);
      }
    });

    it('get -32601 for unknown methods', async () => {
      for (const method of [
        'resources/list',
        'prompts/list',
        'logging/setLevel',
        'server/discover',
        'constructor',
      ])
        expectProtocolError(await send(legacyRequest(method)), { status: 200, code: -32_601 });
    });

    it('get -32022 with the supported versions for an unknown version header', async () => {
      const answer = await send(legacyRequest('ping'), { headers: { 'MCP-Protocol-Version': '1999-01-01' } });
      expectProtocolError(answer, { status: 400, code: -32_022 });
      expect(answer.body.error.data.supported).to.include.members(['2025-11-25', '2025-06-18', '2025-03-26']);
    });
  });

  describe('in batches, as in 2025-03-26,', () => {
    it('are answered one by one, except notifications', async () => {
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

    it('get 202 without a body when all are notifications', async () => {
      const { status, text } = await send([{ jsonrpc: '2.0', method: 'notifications/initialized' }]);
      expect([status, text]).to.deep.equal([202, '']);
    });

    it('get -32600 when the batch is empty, too long, or holds a message of 2026-07-28 or anything else', async () => {
      const ping = legacyRequest('ping');
      for (const batch of [[], [ping, 1], [ping, modernRequest('tools/list')], Array(51).fill(ping)])
        expectProtocolError(await send(batch), { status: 400, code: -32_600, id: null });
    });
  });

  describe('of 2026-07-28', () => {
    it('learn the supported versions from server/discover, which may be cached', async () => {
      const answer = await send(modernRequest('server/discover'), {
        headers: modernHeaders('server/discover'),
      });
      const { instructions, _meta, ...result } = answer.body.result;
      const { icons, ...named } = _meta['io.modelcontextprotocol/serverInfo'];
      expect(named).to.deep.equal({ ...serverInfo, websiteUrl: `${service.url}/api/v1/docs` });
      expect(icons[0].src).to.match(/^data:image/);
      expect(result).to.deep.equal({
        supportedVersions: [
          '2026-07-28',
          '2025-11-25',
          '2025-06-18',
          '2025-03-26',
          '2024-11-05',
          '2024-10-07',
        ],
        capabilities: { tools: {} },
        ttlMs: 300_000,
        cacheScope: 'private',
        resultType: 'complete',
      });
      expect(instructions).to.include('owner of the API key');
    });

    it('get tool results that are marked complete and name the server', async () => {
      const message = modernRequest('tools/call', { name: 'get_game', arguments: { slug: 'sample' } });
      const { body } = await send(message, { headers: modernHeaders('tools/call', 'get_game') });
      expect(body.result).to.include({ resultType: 'complete' });
      expect(body.result._meta).to.deep.equal({ 'io.modelcontextprotocol/serverInfo': serverInfo });
      expect(body.result.structuredContent.game.slug).to.equal('sample');
    });

    it('get -32602 for tools/list with a cursor, and an answer when the cursor is null', async () => {
      const list = (cursor: unknown) =>
        send(modernRequest('tools/list', { cursor }), { headers: modernHeaders('tools/list') });
      for (const cursor of ['', 'page-2'])
        expectProtocolError(await list(cursor), { status: 200, code: -32_602 });
      expect((await list(null)).body.result.tools).to.not.deep.equal([]);
    });

    it('get 404 -32601 for methods that this version removed or never had', async () => {
      for (const method of ['ping', 'initialize', 'resources/list', 'subscriptions/listen']) {
        const answer = await send(modernRequest(method), { headers: modernHeaders(method) });
        expectProtocolError(answer, { status: 404, code: -32_601 });
      }
    });

    it('get 400 -32022 with the supported version for an unsupported one', async () => {
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

    it('get 400 -32020 when headers are missing or differ from the body', async () => {
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

    it('may encode a name in base64 when a header cannot carry it', async () => {
      const message = modernRequest('tools/call', { name: 'get_game', arguments: { slug: 'sample' } });
      const encoded = `=?base64?${Buffer.from('get_game').toString('base64')}?=`;
      expect((await send(message, { headers: modernHeaders('tools/call', encoded) })).status).to.equal(200);
    });

    it('get 400 -32602 for headers of this version and a body without its envelope', async () => {
      const answer = await send(legacyRequest('tools/list'), { headers: modernHeaders('tools/list') });
      expectProtocolError(answer, { status: 400, code: -32_602 });
    });

    it('get 202 for a notification', async () => {
      const message = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
      const { status, text } = await send(message, { headers: modernHeaders('notifications/cancelled') });
      expect([status, text]).to.deep.equal([202, '']);
    });
  });
});
