/** Tool calls get the same answers, refusals, limit and line in the audit as calls of the API. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'chai';
import { createSendMessage, legacyRequest, type SendMessage, toolCall, toolErrorOf } from '../support/mcp.ts';
import { sampleInputOf } from '../support/sample-inputs.ts';
import { apiOperations } from '../support/samples.ts';
import { useSamples } from '../support/use-key.ts';

const powerRule = 'signal must be one of start, stop, restart; kill is not permitted';

interface Refusal {
  code: string;
  message: string;
}

describe('tools/call', () => {
  const service = useSamples({ rateLimitPerMinute: 1_000_000 });
  let send: SendMessage;

  before(async () => {
    send = createSendMessage(service.url);
  });

  describe('on success', () => {
    it('returns structuredContent that matches the schema, and the same as text, for each tool', async () => {
      const ajv = addFormats.default(new Ajv2020({ strict: true, allErrors: true }));
      const listed = (await send(legacyRequest('tools/list'), { key: service.key })).body.result.tools;
      for (const row of apiOperations.filter(({ tool }) => tool)) {
        if (row.type === 'mutation') await service.restore();
        const name = row.tool?.name ?? '';
        const { result } = (await send(toolCall(name, sampleInputOf(row)), { key: service.key })).body;
        const { content, structuredContent, _meta, ...rest } = result;
        expect(rest, name).to.deep.equal({});
        if (!row.tool?.foreignText) expect(_meta, name).to.equal(undefined);
        expect(content).to.deep.equal([{ type: 'text', text: JSON.stringify(structuredContent) }]);
        const { outputSchema } = listed.find((tool: { name: string }) => tool.name === name);
        expect(ajv.validate(outputSchema, structuredContent), `${name} ${ajv.errorsText()}`).to.equal(true);
      }
    });

    it('accepts text that is exactly a number or a boolean, and fields that clients add', async () => {
      const [row] = apiOperations.filter(({ tool }) => tool?.name === 'reply_to_ticket');
      if (!row) throw new Error('there is no such tool');
      await service.restore();
      const input = sampleInputOf(row);
      const added = { sessionId: 'a', action: 'sendMessage', chatInput: 'Reply', toolCallId: 'b' };
      const sent = { ...input, ...added, ticket_id: String(input['ticket_id']) };
      const { result } = (await send(toolCall('reply_to_ticket', sent), { key: service.key })).body;
      expect(result.structuredContent).to.deep.equal({ ticket_id: input['ticket_id'], status: 'Active' });
      const pages = toolCall('list_announcements', { page: '1', per_page: '1' });
      expect((await send(pages, { key: service.key })).body.result).to.not.have.property('isError');
    });

    it('accepts null params or metadata, in a batch too, and a path that ends in a slash', async () => {
      const list = { ...legacyRequest('tools/list'), params: null };
      const answer = await service.callAt('POST', '/mcp/', { key: service.key, body: list });
      expect(answer.body.result.tools).to.be.an('array').that.is.not.empty;
      const { params } = toolCall('list_games', null) as { params: object };
      const call = { ...toolCall('list_games'), params: { ...params, _meta: null } };
      const batch = await send([{ ...legacyRequest('ping'), params: null }, call], { key: service.key });
      expect(batch.body[0].result).to.deep.equal({});
      expect(batch.body[1].result.structuredContent.games).to.have.length(1);
    });

    it('needs no arguments when the tool has none', async () => {
      for (const call of [toolCall('list_games'), toolCall('list_games', {}), toolCall('list_games', null)])
        expect((await send(call, { key: service.key })).body.result.structuredContent.games).to.have.length(
          1,
        );
    });
  });

  describe('with wrong parameters', () => {
    /** Expects the REST error body as text in an error result under 200, not an HTTP or protocol error. */
    const expectRefused = async (call: object, error: Refusal, callKey = service.key) => {
      const answer = await send(call, { key: callKey });
      expect(answer.status).to.equal(200);
      expect(Object.keys(answer.body.result)).to.deep.equal(['content', 'isError']);
      expect(answer.body.result.isError).to.equal(true);
      expect(toolErrorOf(answer)).to.deep.equal({ error });
    };

    it('answers bad_request to arguments that do not match the schema, such as text that is not exactly a number or a boolean', async () => {
      const bad: [string, unknown, string][] = [
        ['get_game', {}, 'slug is required'],
        ['get_game', { slug: 7 }, 'slug must be a string'],
        ['get_game', { slug: '' }, 'slug must not be empty'],
        ['get_game', { slug: 'sample', page: 1 }, 'page is not a known field'],
        ['list_games', { page: 1 }, 'page is not a known field'],
        ['list_announcements', { per_page: 101 }, 'per_page must be at most 100'],
        ['list_announcements', { page: '1.5' }, 'page must be an integer'],
        ['list_announcements', { page: ' 1' }, 'page must be an integer'],
        ['list_announcements', { page: '01' }, 'page must be an integer'],
        ['reply_to_ticket', { ticket_id: '1e0', message: 'Hi' }, 'ticket_id must be an integer'],
        ['reply_to_ticket', { ticket_id: { $ne: 0 }, message: 'Hi' }, 'ticket_id must be an integer'],
        ['set_server_power', { server_identifier: 'sample', signal: 'kill' }, powerRule],
        ['list_games', [], 'input must be an object'],
        ['list_games', 'all', 'input must be an object'],
      ];
      for (const [name, args, message] of bad)
        await expectRefused(toolCall(name, args), { code: 'bad_request', message });
    });

    it('answers -32602 to an unknown or missing tool name', async () => {
      for (const params of [{ name: 'no_such_tool' }, { name: '__proto__' }, { name: 7 }, {}]) {
        const { status, body } = await send(legacyRequest('tools/call', params), { key: service.key });
        expect([status, body.error.code, body.id]).to.deep.equal([200, -32_602, 1]);
      }
      const { body } = await send(toolCall('no_such_tool'), { key: service.key });
      expect(body.error.message).to.equal('Unknown tool: no_such_tool');
    });
  });
});
