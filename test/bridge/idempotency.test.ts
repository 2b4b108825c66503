/** An Idempotency-Key in a request of several calls, and from clients that cannot set a header. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { expectError } from '../support/expect-error.ts';
import { createSendMessage, legacyRequest, toolCall, toolErrorOf } from '../support/mcp.ts';
import { isReplay } from '../support/protocol-clients.ts';
import { useCustomer } from '../support/use-key.ts';

const notAKey = 'The idempotency key must be 1 to 255 printable ASCII characters';

describe('Idempotency-Key', () => {
  const service = useCustomer({ rateLimitPerMinute: 1_000_000 });

  const ticket = { title: 'Lag', message: 'Since noon.' };
  const countTickets = () => service.connection.collection('tickets').countDocuments();

  describe('with a batch', () => {
    const headers = { 'Idempotency-Key': 'batch' };
    const message = 'Idempotency-Key works with a single call, not with a batch of several';

    it('refuses several tRPC calls with 400 bad_request and does nothing', async () => {
      const before = await countTickets();
      const batch = { key: service.key, headers, body: { 0: ticket, 1: ticket } };
      const answer = await service.callAt('POST', '/trpc/tickets.create,tickets.create?batch=1', batch);
      expect(answer.status).to.equal(400);
      expect(answer.body.error).to.deep.include({ message });
      expect(await countTickets()).to.equal(before);
    });

    it('works for a batch of one call, which batching clients send', async () => {
      const batch = { key: service.key, headers: { 'Idempotency-Key': randomUUID() }, body: { 0: ticket } };
      const first = await service.callAt('POST', '/trpc/tickets.create?batch=1', batch);
      const second = await service.callAt('POST', '/trpc/tickets.create?batch=1', batch);
      expect([first.status, second.text]).to.deep.equal([200, first.text]);
      expect(isReplay(second)).to.equal(true);
    });

    it('applies to the one MCP call among notifications and other messages', async () => {
      const send = createSendMessage(service.url);
      const notification = { jsonrpc: '2.0', method: 'notifications/initialized' };
      for (const other of [notification, legacyRequest('ping')]) {
        const headers = { 'Idempotency-Key': randomUUID() };
        const before = await countTickets();
        const call = toolCall('create_ticket', ticket, 2);
        const answers = [];
        for (const messages of [[other, call], [call, other], call])
          answers.push(await send(messages, { key: service.key, headers }));
        expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
        expect(answers.map(isReplay)).to.deep.equal([false, true, true]);
        expect(await countTickets()).to.equal(before + 1);
      }
    });

    it('refuses several MCP calls with 400 bad_request, as each can have its own argument', async () => {
      const send = createSendMessage(service.url);
      const calls = (args: object) => [1, 2].map((id) => toolCall('create_ticket', args, id));
      expectError(await send(calls(ticket), { key: service.key, headers }), 'bad_request', message);
      const { body } = await send(calls({ ...ticket, idempotency_key: randomUUID() }), { key: service.key });
      const [one, other] = body;
      expect(one.result.structuredContent.ticket.id).to.be.a('number');
      expect(other.result).to.deep.equal(one.result);
    });
  });

  describe('as an argument of tools', () => {
    it('is in the schema of every tool that writes and of no tool that reads', async () => {
      const { body } = await createSendMessage(service.url)(legacyRequest('tools/list'), {
        key: service.key,
      });
      for (const { inputSchema, annotations } of body.result.tools) {
        const { idempotency_key: argument } = inputSchema.properties;
        if (annotations.readOnlyHint) expect(argument).to.equal(undefined);
        else expect(JSON.stringify(argument)).to.include('"type":"string"');
        expect(inputSchema.required ?? []).to.not.include('idempotency_key');
      }
    });

    it('is refused with 400 bad_request when it is not a string', async () => {
      const call = toolCall('create_ticket', { ...ticket, idempotency_key: 5 });
      const answer = await createSendMessage(service.url)(call, { key: service.key });
      expect(toolErrorOf(answer)).to.deep.equal({ error: { code: 'bad_request', message: notAKey } });
    });
  });
});
