/** The built service with a PUBLIC_URL signs an app's user in, and prints nothing about it on its console. */
import { expect } from 'chai';
import { findFreePort } from '../../../server/embedded-database/free-port.ts';
import { openTestModels } from '../../support/models.ts';
import { connectApp, refresh } from '../../support/oauth-app.ts';
import { startProgram } from '../../support/program.ts';
import { useStarted } from '../../support/use-started.ts';

describe('the built service with a PUBLIC_URL', () => {
  const database = useStarted(openTestModels);
  const program = useStarted(async () => {
    const PORT = String(await findFreePort());
    const publicUrl = { PORT, PUBLIC_URL: `http://127.0.0.1:${PORT}` };
    return startProgram({ MONGODB_URI: database.databaseUri, ...publicUrl, LOG_LEVEL: 'info' });
  });

  it('gives an app tokens that open the API, and prints no warning or secret', async () => {
    const { url } = program;
    const email = 'ada@example.com';
    await database.models.users.add({ email, password: 'correct horse' }, new Date());
    const { tokens, clientId } = await connectApp({ url }, { email });
    const { body } = await refresh({ url }, clientId, tokens.refresh_token);
    const headers = { Authorization: `Bearer ${body.access_token}` };
    const answer = await fetch(`${url}/api/v1/me`, { headers });
    expect(await answer.json()).to.have.nested.property('user.email', email);
    expect(program.output()).not.to.match(/oidc-provider|WARNING|NOTICE/);
    for (const token of [tokens.access_token, tokens.refresh_token, body.access_token])
      expect(program.output()).not.to.include(token);
  });
});
