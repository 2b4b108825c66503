/** What a model reads of the tools, among those of forty other servers: few characters, and all that it needs to choose. */
import { expect } from 'chai';
import { createSendMessage, legacyRequest } from '../support/mcp.ts';
import { useCustomer } from '../support/use-key.ts';

const listLengthMax = 38_000;
const sentencesMax = 3;

interface ListedTool {
  name: string;
  description: string;
  inputSchema: { properties: Record<string, { description?: string }> };
  annotations: Record<string, boolean>;
}

describe('what a model reads of the tools', () => {
  const service = useCustomer();
  let listed: string;
  let tools: ListedTool[];

  before(async () => {
    const list = await createSendMessage(service.url)(legacyRequest('tools/list'), { key: service.key });
    listed = list.text;
    tools = list.body.result.tools;
  });

  it('is at most 38,000 characters with all tools of a customer', () => {
    expect(listed.length).to.be.at.most(listLengthMax);
  });

  it('is at most three sentences of each tool, and one that says whose text it returns', () => {
    for (const { name, description } of tools) {
      const own = description.replace(/ Returns data [^.]+\.$/, '');
      expect(own.split(/(?<=\.)\s/).length, name).to.be.within(1, sentencesMax);
    }
  });

  it('is something of every parameter', () => {
    for (const { name, inputSchema } of tools)
      for (const [parameter, { description = '' }] of Object.entries(inputSchema.properties))
        expect(description, `${name} ${parameter}`).to.match(/\w/);
  });

  it('is all four hints of each tool, and what undoes each that is destructive', () => {
    for (const { name, description, annotations } of tools) {
      const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'];
      expect(annotations, name).to.have.all.keys(hints);
      if (annotations['destructiveHint']) expect(description, name).to.match(/undoes|brings it back/);
    }
  });
});
