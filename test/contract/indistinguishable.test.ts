/**
 * Timing must not reveal why a call was refused: such refusals send the database the same queries. MongoDB's profiler
 * shows this, because a clock on a busy machine is unreliable.
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

/** The queried collection and fields, without values. */
const question = ({ op, ns, command: { filter = {} } }: ProfiledCall) =>
  [op, ns.replace(/^.*\./, ''), ...Object.keys(filter)].join(' ');

describe('a refused call', () => {
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
    await service.call('GET', '/me', { key: secret }); // The first use in a minute is recorded.
  });

  /** The audit is written later, in batches, and active webhooks are read once a second. Neither belongs to a call. */
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
    it(`costs one look-up by hash for an unknown, revoked or expired key, and none for a mistyped one: ${title}`, async () => {
      const askWith = (key: string) =>
        ask(service, { ...otherUser, key }, { input: { ticket_id: 1, message: row.name } });
      for (const [kind, secret] of Object.entries(refused))
        expect(await questions(() => askWith(secret)), kind).to.deep.equal(['query api_keys hash']);
      expect(await questions(() => askWith(`${otherUser.key.slice(0, -1)}_`))).to.deep.equal([]);
    });

  it('looks up a key by its hash and never sends MongoDB the key', async () => {
    const [call] = await profiled(() => service.call('GET', '/catalog/games', { key: otherUser.key }));
    expect(call?.command.filter).to.deep.equal({ hash: hash('sha256', otherUser.key, 'hex') });
    expect(JSON.stringify(call)).not.to.include(otherUser.key.slice(14));
  });

  it("costs the same for another user's ticket as for a missing one", async () => {
    const reply = (id: number) =>
      questions(() =>
        service.call('POST', `/tickets/${id}/reply`, { key: otherUser.key, body: { message: 'Hello' } }),
      );
    const theirs = await reply(1);
    expect(theirs).to.deep.equal(await reply(999));
    expect(theirs).to.include('query tickets _id userId');
  });

  it("costs the same for another user's server as for a missing one, at the panel too", async () => {
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

  it('costs the same for a wrong password as for an unknown address', async () => {
    const signIn = (email: string) =>
      questions(() => openAccount(service.url).call('session.signIn', { email, password: 'a wrong horse' }));
    const known = await signIn(otherUser.user.email);
    expect(known).to.deep.equal(await signIn('nobody@example.com'));
    expect(known).to.deep.equal(['query users email']);
  });
});
