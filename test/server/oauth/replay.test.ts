/** A refresh token that was replaced ends its connection when it is used again: somebody else has a copy. */
import { expect } from 'chai';
import type { UserRecord } from '../../../models/user.ts';
import { connectApp, postForm, refresh } from '../../support/oauth-app.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const minuteMs = 60_000;
const invalidGrant = [400, 'invalid_grant'];

describe("an app's tokens", () => {
  let service: TestService;
  let user: UserRecord;

  beforeEach(async () => {
    service = await startTestService({ hasApps: true });
    user = await service.addUser();
  });
  afterEach(() => service.stop());

  const connect = () => connectApp(service, { email: user.email });
  const statusOf = async (token: string) => (await service.call('GET', '/me', { key: token })).status;
  const refusal = async (answer: ReturnType<typeof refresh>) => {
    const { status, body } = await answer;
    return [status, body.error];
  };

  it('are refused once a refresh token is used again after more than thirty seconds, the new ones too', async () => {
    const { tokens, clientId } = await connect();
    const renewed = (await refresh(service, clientId, tokens.refresh_token)).body;
    service.clock.advance(31_000);
    expect(await refusal(refresh(service, clientId, tokens.refresh_token))).to.deep.equal(invalidGrant);
    expect(await statusOf(renewed.access_token)).to.equal(401);
    expect(await refusal(refresh(service, clientId, renewed.refresh_token))).to.deep.equal(invalidGrant);
  });

  it('are refused to both once a stolen refresh token was renewed, however often, and its owner renews it', async () => {
    const { tokens, clientId } = await connect();
    let stolen = tokens;
    for (let count = 0; count < 45; count += 1)
      stolen = (await refresh(service, clientId, stolen.refresh_token)).body;
    service.clock.advance(31_000);
    expect(await statusOf(stolen.access_token)).to.equal(200);
    expect(await refusal(refresh(service, clientId, tokens.refresh_token))).to.deep.equal(invalidGrant);
    expect(await statusOf(stolen.access_token)).to.equal(401);
    expect(await refusal(refresh(service, clientId, stolen.refresh_token))).to.deep.equal(invalidGrant);
  });

  it('are refused to both once one of two that were given at once is renewed after the other', async () => {
    const { tokens, clientId } = await connect();
    const both = await Promise.all([1, 2].map(() => refresh(service, clientId, tokens.refresh_token)));
    const [own, stolen] = both.map(({ body }) => body.refresh_token);
    service.clock.advance(minuteMs);
    const renewed = (await refresh(service, clientId, stolen)).body;
    service.clock.advance(31_000);
    expect(await refusal(refresh(service, clientId, own))).to.deep.equal(invalidGrant);
    expect(await statusOf(renewed.access_token)).to.equal(401);
  });

  it('are not refused for a token that only looks like one of them', async () => {
    const { tokens, clientId } = await connect();
    const { refresh_token: token } = tokens;
    const forged = token.slice(0, -86) + 'A'.repeat(43) + token.slice(-43);
    expect(await refusal(refresh(service, clientId, forged))).to.deep.equal(invalidGrant);
    expect(await statusOf(tokens.access_token)).to.equal(200);
  });

  it('leave their renewals, their replays and their end in the audit', async () => {
    const { tokens, clientId } = await connect();
    await refresh(service, clientId, tokens.refresh_token);
    service.clock.advance(31_000);
    await refresh(service, clientId, tokens.refresh_token);
    const other = await connect();
    const form = { token: other.tokens.refresh_token, client_id: other.clientId };
    await postForm(service, '/oauth/revoke', { form });
    const entries = await service.connection
      .collection('audit_entries')
      .find({ via: 'oauth' })
      .sort({ _id: 1 })
      .toArray();
    const shown = entries.map((entry) => [
      entry['operation'],
      entry['status'],
      entry['code'],
      entry['clientId'],
    ]);
    expect(shown).to.deep.equal([
      ['apps.renew', 200, null, clientId],
      ['apps.end', 400, 'replayed', clientId],
      ['apps.end', 200, null, other.clientId],
    ]);
    expect(new Set(entries.map(({ userId }) => userId))).to.deep.equal(new Set([user._id]));
  });
});
