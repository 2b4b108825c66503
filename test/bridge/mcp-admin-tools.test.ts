/** Tools for administrators: listed for keys that hold their scope, refused for all others. */
import { expect } from 'chai';
import { createSendMessage, legacyRequest, refusalOf, type SendMessage, toolCall } from '../support/mcp.ts';
import { isForAdmins, rows } from '../support/samples.ts';
import { useService } from '../support/service.ts';

describe('tools for administrators', () => {
  const service = useService();
  let send: SendMessage;

  before(async () => {
    send = createSendMessage(service.url);
  });

  const toolNames = async (key: string): Promise<string[]> =>
    (await send(legacyRequest('tools/list'), { key })).body.result.tools.map(
      ({ name }: { name: string }) => name,
    );
  const namesWith = (isListed: (row: (typeof rows)[number]) => boolean) =>
    rows.filter(isListed).flatMap(({ tool }) => tool?.name ?? []);

  it('are listed for a key that holds the scope, beside all other tools', async () => {
    const user = await service.addUser({ isAdmin: true });
    const { secret } = await service.addKey({ user, scopes: ['admin:tickets'] });
    const expected = namesWith((row) => !isForAdmins(row) || row.scope === 'admin:tickets');
    expect(await toolNames(secret)).to.have.members(expected);
  });

  it('are not listed for a customer, whose call is refused with insufficient_scope', async () => {
    const { secret } = await service.addKey();
    expect(await toolNames(secret)).to.have.members(namesWith((row) => !isForAdmins(row)));
    const answer = await send(toolCall('list_customer_tickets', {}), { key: secret });
    expect(refusalOf(answer).error.code).to.equal('insufficient_scope');
  });
});
