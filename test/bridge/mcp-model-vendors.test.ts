/**
 * Checks each tool's input schema against the rules of model vendors, as their documentation and their refusals
 * of October 2026 state them. A keyword outside a vendor's list fails the whole request of an agent, not only one tool.
 */
import { expect } from 'chai';
import type { Tool } from '../../bridge/mcp/tools.ts';
import { createSendMessage, legacyRequest } from '../support/mcp.ts';
import { useService } from '../support/service.ts';

type Schema = Record<string, unknown>;

interface VendorRules {
  keywords: readonly string[];
  toolName: RegExp;
  propertyName: RegExp;
  descriptionLengthMax: number;
  /** How the vendor's clients rewrite a schema before they send it. */
  rewrite?: (schema: Schema) => Schema;
}

const common = ['type', 'description', 'enum', 'properties', 'required', 'items', 'additionalProperties'];
const identifier = /^[a-zA-Z0-9_-]{1,64}$/;

const vendors: Record<string, VendorRules> = {
  'Anthropic, strict tools': {
    keywords: [...common, 'const', 'format', 'pattern', 'default'],
    toolName: identifier,
    propertyName: /^[a-zA-Z0-9_.-]{1,64}$/,
    descriptionLengthMax: 10_000,
  },
  'OpenAI, not strict': {
    keywords: [
      ...common,
      'const',
      'format',
      'pattern',
      'default',
      'minimum',
      'maximum',
      'minLength',
      'maxLength',
    ],
    toolName: identifier,
    propertyName: identifier,
    descriptionLengthMax: 1_024,
  },
  'OpenAI, strict': {
    keywords: [...common, 'const', 'pattern'],
    toolName: identifier,
    propertyName: identifier,
    descriptionLengthMax: 1_024,
    rewrite: (schema) => ({ ...schema, required: Object.keys(Object(schema['properties'])) }),
  },
  'Gemini, parametersJsonSchema': {
    keywords: [...common, 'format', 'minimum', 'maximum', 'minItems', 'maxItems'],
    toolName: /^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$/,
    propertyName: /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/,
    descriptionLengthMax: 10_000,
  },
};

describe('the input schemas of tools', () => {
  const service = useService();
  let tools: Tool[];

  before(async () => {
    const { secret: key } = await service.addKey();
    const { body } = await createSendMessage(service.url)(legacyRequest('tools/list'), { key });
    tools = body.result.tools;
  });

  for (const [vendor, rules] of Object.entries(vendors))
    it(`are accepted by the rules of ${vendor}`, () => {
      const { rewrite = (schema) => schema } = rules;
      for (const { name, description, inputSchema } of tools) {
        expect(name).to.match(rules.toolName);
        expect(description.length, name).to.be.at.most(rules.descriptionLengthMax);
        const schema = rewrite(inputSchema);
        expect(schema['type'], name).to.equal('object');
        expect(schema, name).not.to.have.any.keys('anyOf', 'oneOf', 'allOf', 'enum', 'not');
        expectAccepted(schema, name, rules);
      }
    });

  it('describe in words the bounds that vendors refuse as keywords', () => {
    const textOf = (tool: string, property: string) => {
      const { inputSchema } = tools.find(({ name }) => name === tool) ?? {};
      return Object(inputSchema?.['properties'])[property].description;
    };
    expect(textOf('list_announcements', 'per_page')).to.include('At most 100.');
    expect(textOf('create_ticket', 'message')).to.include('10,000 characters').and.not.include('At most');
    expect(textOf('create_server_backup', 'name')).to.include('At most 190 characters.');
  });
});

const propertiesOf = ({ properties }: Schema): [string, Schema][] => Object.entries(Object(properties));

function expectAccepted(schema: Schema, path: string, rules: VendorRules): void {
  expect(rules.keywords, path).to.include.members(Object.keys(schema));
  expect(schema['type'], path).to.be.oneOf(['string', 'integer', 'number', 'boolean', 'array', 'object']);
  if (schema['type'] === 'object') expect(schema['additionalProperties'], path).to.equal(false);
  for (const [name, property] of propertiesOf(schema)) {
    expect(name, path).to.match(rules.propertyName);
    expectAccepted(property, `${path}.${name}`, rules);
  }
  if (schema['items']) expectAccepted(Object(schema['items']), `${path}[]`, rules);
}
