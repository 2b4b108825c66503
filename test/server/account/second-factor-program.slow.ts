/** Second factors in the built service, and the error at a start without the key of their secrets. */
import { expect } from 'chai';
import { openAccount } from '../../support/account.ts';
import { createAuthenticator } from '../../support/authenticator.ts';
import { createCli } from '../../support/cli.ts';
import { testDatabaseUri } from '../../support/mongo.ts';
import { runProgram, startProgram } from '../../support/program.ts';
import { namedUrl } from '../../support/second-factor.ts';

describe('second factors of the built service', () => {
  it('are added and sign in; a start without SECRETS_KEY fails and names it, until the command line has removed them', async () => {
    const settings = { MONGODB_URI: testDatabaseUri() };
    const cli = createCli(settings);
    const user = { email: 'ada@example.com', password: 'battery staple 9' };
    await cli.json(`user add --email ${user.email} --password -`, `${user.password}\n`);
    const first = await startProgram({ ...settings, SECRETS_KEY: 'a'.repeat(64) });
    const url = namedUrl(first);
    const { api } = openAccount(url);
    await api.session.signIn.mutate(user);
    const authenticator = createAuthenticator(url);
    const { options } = await api.factors.beginPasskey.mutate();
    await api.factors.addPasskey.mutate({ name: 'Laptop', passkey: authenticator.create(options) });
    const other = openAccount(url).api;
    const asked = await other.session.askForPasskey.mutate();
    const shown = await other.session.showFactor.mutate({ passkey: authenticator.get(asked.options) });
    expect(shown.user?.email).to.equal(user.email);
    await first.stop();

    const { code, output } = await runProgram({ ...settings, PORT: '0', LOG_LEVEL: 'silent' });
    expect([code, output.trim()]).to.deep.equal([1, 'SECRETS_KEY is required: second factors are stored']);
    expect(await cli.json(`user reset-factors --email ${user.email}`)).to.deep.equal({ removed: 1 });
    const second = await startProgram(settings);
    const { user: again } = await openAccount(second.url).api.session.signIn.mutate(user);
    expect(again?.email).to.equal(user.email);
    await second.stop();
  });
});
