/** `app list` and `app revoke`, checked by what the API answers to the apps. */
import { expect } from 'chai';
import { defaultScopes } from '../../../routers/scopes.ts';
import { createCli } from '../../support/cli.ts';
import { connectApp } from '../../support/oauth-app.ts';
import { useService } from '../../support/service.ts';

describe('npm run cli: app', () => {
  const service = useService({ hasApps: true });
  const cli = createCli(() => ({ MONGODB_URI: service.databaseUri }));

  const connect = async () => {
    const { email } = await service.addUser();
    return { email, ...(await connectApp(service, { email })) };
  };
  const statusWith = async (key: string) => (await service.call('GET', '/me', { key })).status;

  it('list: shows the apps of a user, or of all', async () => {
    const { email, clientId } = await connect();
    await connect();
    const [app, ...others] = await cli.json(`app list --email ${email}`);
    expect(others).to.deep.equal([]);
    expect(app).to.include({ name: 'Test agent', host: null, client_id: clientId, last_used_at: null });
    expect(app.scopes).to.have.members(defaultScopes);
    expect(await cli.json('app list')).to.have.length(2);
    expect(await cli.text('app list --limit 1')).to.match(/^ID .+NAME.+\n[\w-]+ .+Test agent.+\n$/);
  });

  it('revoke: ends one connection at the next call', async () => {
    const { email, tokens } = await connect();
    const [{ id }] = await cli.json(`app list --email ${email}`);
    expect(await statusWith(tokens.access_token)).to.equal(200);
    expect(await cli.json(`app revoke ${id}`)).to.deep.equal({ revoked: 1 });
    expect(await statusWith(tokens.access_token)).to.equal(401);
    expect(await cli.refusal(`app revoke ${id}`)).to.equal(`there is no connection ${id}`);
  });

  it('revoke --client: ends all connections of an app', async () => {
    const { clientId, tokens } = await connect();
    const other = await service.addUser();
    const second = await connectApp(service, { email: other.email, clientId });
    expect(await cli.json(`app revoke --client ${clientId}`)).to.deep.equal({ revoked: 2 });
    expect(await statusWith(tokens.access_token)).to.equal(401);
    expect(await statusWith(second.tokens.access_token)).to.equal(401);
  });
});
