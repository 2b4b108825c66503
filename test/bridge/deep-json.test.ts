/** JSON nested as deep as a body can hold: the service refuses or ignores it, and does no more than read it. */
import { expect } from 'chai';
import { modernHeaders } from '../support/mcp.ts';
import { useSamples } from '../support/use-key.ts';

const lists = '['.repeat(100_000) + ']'.repeat(100_000);
const objects = `${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}`;

const tool = (params: string) => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
const modern = (capabilities: string) =>
  `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"a","version":"1"},"io.modelcontextprotocol/clientCapabilities":${capabilities}}`;

/** Where a body can hold deep JSON, by path. */
const places: [path: string, body: (deep: string) => string, headers?: Record<string, string>][] = [
  ['/api/v1/tickets', (deep) => deep],
  ['/api/v1/tickets', (deep) => `{"title":"a","message":${deep}}`],
  ['/api/v1/tickets', (deep) => `{"title":"a","message":"a","x":${deep}}`, { 'Idempotency-Key': 'deep' }],
  ['/api/v1/servers/sample/power', (deep) => `{"signal":${deep}}`],
  ['/trpc/tickets.create', (deep) => `{"title":"a","message":${deep}}`],
  ['/trpc/tickets.create,tickets.create?batch=1', (deep) => `{"0":${deep},"1":${deep}}`],
  ['/mcp', (deep) => deep],
  ['/mcp', (deep) => tool(deep)],
  ['/mcp', (deep) => tool(`{"name":${deep}}`)],
  ['/mcp', (deep) => tool(`{"name":"create_ticket","arguments":${deep}}`)],
  [
    '/mcp',
    (deep) =>
      tool(`{"name":"create_ticket","arguments":{"title":"a","message":"a","idempotency_key":${deep}}}`),
  ],
  ['/mcp', (deep) => `{"jsonrpc":"2.0","id":${deep},"method":"tools/list"}`],
  ['/mcp', (deep) => `{"jsonrpc":"2.0","id":1,"method":${deep}}`],
  [
    '/mcp',
    (deep) =>
      `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":${deep},"clientInfo":{"name":"a","version":"1"}}}`,
  ],
  ['/mcp', (deep) => `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":${deep}}}`],
  [
    '/mcp',
    (deep) => `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":${modern(deep)}}}`,
    modernHeaders('tools/list'),
  ],
  [
    '/account/trpc/session.signIn',
    (deep) => `{"email":${deep},"password":"a"}`,
    { 'Sec-Fetch-Site': 'same-origin' },
  ],
];

describe('deep JSON', () => {
  const service = useSamples();

  for (const [path, body, headers = {}] of places)
    it(`never causes a 5xx: ${path} ${body('...').slice(0, 90)}`, async () => {
      for (const deep of [lists, objects]) {
        const answer = await service.callAt('POST', path, { key: service.key, body: body(deep), headers });
        expect(answer.status, answer.text).to.be.below(500);
        expect(answer.text.length).to.be.below(20_000);
      }
      expect(service.logLines).to.deep.equal([]);
      expect(await service.connection.collection('tickets').countDocuments()).to.equal(1);
    });
});
