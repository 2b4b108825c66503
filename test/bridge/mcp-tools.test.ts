/** The tools that agents see: the contract's ten, described truly, in schemas that every client takes. */
import { expect } from 'chai';
import { readCatalogue } from '../../bridge/catalogue.ts';
import { readTools } from '../../bridge/mcp/tools.ts';
import { createSendMessage, legacyRequest, modernHeaders, modernRequest } from '../support/mcp.ts';
import { rows } from '../support/samples.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { testRouter } from '../support/test-router.ts';

/** Contract, section 4, in its order. */
const contractTools = [
  ['list_games', 'read:catalog'],
  ['get_game', 'read:catalog'],
  ['list_announcements', 'read:catalog'],
  ['get_my_profile', 'read:account'],
  ['list_my_servers', 'read:account'],
  ['list_my_subscriptions', 'read:account'],
  ['list_my_tickets', 'read:account'],
  ['create_ticket', 'write:tickets'],
  ['reply_to_ticket', 'write:tickets'],
  ['set_server_power', 'write:servers'],
] as const;

interface ListedTool {
  name: string;
  title: string;
  description: string;
  inputSchema: Record<string, unknown>;
  outputSchema: Record<string, unknown>;
  annotations: Record<string, boolean>;
  _meta: Record<string, unknown>;
}

describe('tools/list', () => {
  let service: TestService;
  let key: string;
  let tools: ListedTool[];

  before(async () => {
    service = await startTestService();
    ({ secret: key } = await service.addKey());
    tools = (await createSendMessage(service.url)(legacyRequest('tools/list'), { key })).body.result.tools;
  });
  after(() => service.stop());

  it("lists the contract's ten tools, no more, in the contract's order, each with the scope it needs", () => {
    expect(tools.map(({ name, _meta }) => [name, _meta['gamehost/scope']])).to.deep.equal(contractTools);
    for (const { description, _meta } of tools)
      expect(description).to.match(new RegExp(`\\. Needs the scope ${_meta['gamehost/scope']}\\.$`));
  });

  it('shows all of them to a key that may call none: the refusal of a call says what is lacking', async () => {
    const { secret } = await service.addKey({ scopes: [] });
    const { body } = await createSendMessage(service.url)(legacyRequest('tools/list'), { key: secret });
    expect(body.result.tools).to.deep.equal(tools);
  });

  it('is the same in both eras, but for what 2026-07-28 adds to each result', async () => {
    const message = modernRequest('tools/list');
    const headers = modernHeaders('tools/list');
    const { body } = await createSendMessage(service.url)(message, { key, headers });
    expect(body.result).to.deep.equal({
      tools,
      ttlMs: 300_000,
      cacheScope: 'private',
      resultType: 'complete',
      _meta: {
        'io.modelcontextprotocol/serverInfo': { name: 'gamehost', title: 'gamehost', version: '1.0.0' },
      },
    });
  });

  it('tells the truth in all four hints', () => {
    const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]));
    const reads = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
    const adds = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };
    for (const [name, scope] of contractTools) {
      if (scope.startsWith('read:')) expect(hints[name], name).to.deep.equal(reads);
      if (scope === 'write:tickets') expect(hints[name], name).to.deep.equal(adds);
    }
    expect(hints['set_server_power']).to.deep.equal({ ...adds, destructiveHint: true });
    for (const { tool, type } of readTools(rows)) expect(tool.readOnly).to.equal(type === 'query');
  });

  it('shows examples of what an agent is to send, and none of what it is given anyway', () => {
    for (const { name, outputSchema } of tools)
      expect(JSON.stringify(outputSchema), name).not.to.contain('"examples"');
    expect(JSON.stringify(tools.map(({ inputSchema }) => inputSchema))).to.contain('"examples"');
  });

  it('describes inputs and outputs as objects, inline, in the words of JSON Schema that all clients know', () => {
    for (const { name, inputSchema, outputSchema } of tools)
      for (const schema of [inputSchema, outputSchema]) {
        expect(schema['type'], name).to.equal('object');
        expect(schema, name).to.not.have.any.keys('$schema', '$defs', 'title', 'anyOf', 'oneOf', 'allOf');
        for (const [path, part] of schemasIn(schema)) {
          expect(part, path).to.not.have.any.keys('$ref', 'example');
          expect(part['type'], path).to.not.be.an('array');
          for (const bound of [part['minimum'], part['maximum']])
            expect(Math.abs(Number(bound ?? 0)), path).to.be.below(Number.MAX_SAFE_INTEGER);
        }
      }
  });

  it('says that inputs are strict and leaves outputs room to grow', () => {
    const power = tools.find(({ name }) => name === 'set_server_power');
    expect(power?.inputSchema).to.deep.include({
      required: ['server_identifier', 'signal'],
      additionalProperties: false,
    });
    for (const [path, part] of schemasIn(power?.outputSchema ?? {}))
      expect(part, path).to.not.have.property('additionalProperties');
  });

  it('has a nullable field as a choice of two types', () => {
    const profile = JSON.stringify(tools.find(({ name }) => name === 'get_my_profile')?.outputSchema);
    expect(profile).to.include('"nickname":{"anyOf":[{"type":"string"},{"type":"null"}]}');
  });

  it('has a tool more when a procedure names one, and nothing else was done', async () => {
    const extended = await startTestService({ router: testRouter });
    const { secret } = await extended.addKey();
    const { body } = await createSendMessage(extended.url)(legacyRequest('tools/list'), { key: secret });
    const echo = body.result.tools.find(({ name }: ListedTool) => name === 'test_echo');
    expect(echo).to.deep.include({
      title: 'Echo',
      description: 'Gives back what it is given. Needs the scope write:tickets.',
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
    });
    expect(echo.inputSchema.properties.times).to.deep.equal({
      anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }],
    });
    await extended.stop();
  });

  it('stops the start when two procedures name the same tool, or one a name that clients refuse', () => {
    const tools = readTools(readCatalogue(testRouter));
    const [first] = tools;
    if (!first) throw new Error('the test router has tools');
    expect(() => readTools([...tools, first])).to.throw(
      'The tool name test_simple_text is not valid, or is given twice',
    );
    expect(() => readTools([{ ...first, tool: { ...first.tool, name: 'simple text' } }])).to.throw(
      'simple text',
    );
  });
});

/** Every schema within a schema, with its place. */
function schemasIn(value: unknown, path = '#'): [string, Record<string, unknown>][] {
  if (typeof value !== 'object' || value === null) return [];
  const parts = Object.entries(value).flatMap(([field, part]) => schemasIn(part, `${path}/${field}`));
  return [[path, value as Record<string, unknown>], ...parts];
}
