/**
 * What time could tell: refusals that must not be told apart ask the database the same questions. Said by its own notes
 * of each call, since a clock on a busy machine says anything.
 */
import { hash } from 'node:crypto';
import { expect } from 'chai';
import { generateSecret } from '../../models/api-key/secret.ts';
import type { UserRecord } from '../../models/user.ts';
import { openAccount } from '../support/account.ts';
import { type ProfiledCall, profile } from '../support/profiler.ts';
import { publicClients } from '../support/protocol-clients.ts';
import { addSamples } from '../support/samples.ts';
import { useService } from '../support/service.ts';

/** What was asked of whom, without the values. */
const question = ({ op, ns, command: { filter = {} } }: ProfiledCall) =>
  [op, ns.replace(/^.*\./, ''), ...Object.keys(filter)].join(' ');

describe('refusals that must not be told apart', () => {
  const service = useService({ rateLimitPerMinute: 1_000_000 });
  let otherUser: { user: UserRecord; key: string };
  const refused: Record<string, string> = {};

  before(async () => {
    const { user } = await addSamples(service);
    const revoked = await service.addKey({ user });
    await service.models.apiKeys.revoke(revoked.key._id, new Date());
    const expired = await service.addKey({ user, expiresAt: new Date(0) });
    Object.assign(refused, { unknown: generateSecret(), revoked: revoked.secret, expired: expired.secret });
    const { user: other, secret } = await service.addKey();
    otherUser = { user: other, key: secret };
    await service.call('GET', '/me', { key: secret }); // the first use of a minute is noted
  });

  /** The audit of what was refused is written later, in batches; who has webhooks is read once a second. Neither is of a call. */
  async function profiled(act: () => Promise<unknown>): Promise<ProfiledCall[]> {
    await service.flushAudit();
    const calls = await profile(service.connection, async () => void (await act()));
    const isOfCall = ({ ns, command }: ProfiledCall) =>
      !/\.(audit_\w+|activity_counts)$/.test(ns) &&
      !(ns.endsWith('.webhooks') && JSON.stringify(command['filter']) === '{"isActive":true}');
    return calls.filter(isOfCall);
  }

  const questions = async (act: () => Promise<unknown>) => (await profiled(act)).map(question);

  for (const { title, ask, row } of publicClients.filter(({ row }) => row.name === 'tickets.reply'))
    it(`${title}: an unknown, a revoked and an expired key cost one look-up by hash each, a mistyped one none`, async () => {
      const askWith = (key: string) =>
        ask(service, { ...otherUser, key }, { input: { ticket_id: 1, message: row.name } });
      for (const [kind, secret] of Object.entries(refused))
        expect(await questions(() => askWith(secret)), kind).to.deep.equal(['query api_keys hash']);
      expect(await questions(() => askWith(`${otherUser.key.slice(0, -1)}_`))).to.deep.equal([]);
    });

  it('a key is looked for by its hash, and MongoDB never receives the key', async () => {
    const [call] = await profiled(() => service.call('GET', '/catalog/games', { key: otherUser.key }));
    expect(call?.command.filter).to.deep.equal({ hash: hash('sha256', otherUser.key, 'hex') });
    expect(JSON.stringify(call)).not.to.include(otherUser.key.slice(14));
  });

  it("another user's ticket costs what a missing one costs", async () => {
    const reply = (id: number) =>
      questions(() =>
        service.call('POST', `/tickets/${id}/reply`, { key: otherUser.key, body: { message: 'Hello' } }),
      );
    const theirs = await reply(1);
    expect(theirs).to.deep.equal(await reply(999));
    expect(theirs).to.include('query tickets _id userId');
  });

  it("another user's server costs what a missing one costs, at the panel too", async () => {
    const power = async (identifier: string) => {
      service.panel.forget();
      const body = { signal: 'start' };
      const asked = await questions(() =>
        service.call('POST', `/servers/${identifier}/power`, { key: otherUser.key, body }),
      );
      return [...asked, ...service.panel.requests.map(({ method, path }) => `${method} ${path}`)];
    };
    expect(await power('sample')).to.deep.equal(await power('nowhere'));
  });

  it('a wrong password costs what an unknown address costs', async () => {
    const signIn = (email: string) =>
      questions(() => openAccount(service.url).call('session.signIn', { email, password: 'a wrong horse' }));
    const known = await signIn(otherUser.user.email);
    expect(known).to.deep.equal(await signIn('nobody@example.com'));
    expect(known).to.deep.equal(['query users email']);
  });
});
