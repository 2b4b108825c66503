/** When a session is valid and when it ends; its token is never stored. */

import { expect } from 'chai';
import type { UserRecord } from '../../models/user.ts';
import { eventually } from '../support/eventually.ts';
import { openTestModels, type TestModels } from '../support/models.ts';
import { useStarted } from '../support/use-started.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const start = new Date('2026-11-21T09:00:00Z');
const later = (ms: number) => new Date(start.getTime() + ms);

describe('a session of the account page', () => {
  const stores = useStarted(() => openTestModels());
  let sessions: TestModels['models']['sessions'];
  let user: UserRecord;

  before(async () => {
    sessions = stores.models.sessions;
    const added = await stores.models.users.add({ email: 'ann@example.com', password: 'first' }, start);
    if (!added) throw new Error('the e-mail address is taken');
    user = added;
  });

  it('is found by its token, with its user', async () => {
    const { token } = await sessions.open({ user }, start);
    const session = await sessions.verify(token, start);
    expect(session?.user.email).to.equal('ann@example.com');
  });

  it('is stored without its token', async () => {
    const { token } = await sessions.open({ user }, start);
    const kept = await stores.connection.collection('sessions').find().toArray();
    expect(kept).to.have.length.above(0);
    expect(JSON.stringify(kept)).not.to.include(token);
  });

  it('is not found by another token, nor by its stored hash', async () => {
    const { token } = await sessions.open({ user }, start);
    const id = (await sessions.verify(token, start))?.id ?? '';
    expect(id).to.match(/^[0-9a-f]{64}$/);
    expect(await sessions.verify(id, start)).to.equal(null);
    expect(await sessions.verify('', start)).to.equal(null);
  });

  it('ends after two hours without use; each use restarts them', async () => {
    const { token } = await sessions.open({ user }, start);
    expect(await sessions.verify(token, later(2 * hourMs - 1))).not.to.equal(null);
    await eventually(async () =>
      expect(await sessions.verify(token, later(4 * hourMs - 2))).not.to.equal(null),
    );
    expect(await sessions.verify(token, later(6 * hourMs - 2))).to.equal(null);
  });

  it('ends after a day, even in constant use', async () => {
    const { token, expiresAt } = await sessions.open({ user }, start);
    expect(expiresAt).to.deep.equal(later(24 * hourMs));
    for (let hour = 1; hour < 24; hour += 1)
      await eventually(async () => {
        expect(await sessions.verify(token, later(hour * hourMs)), `hour ${hour}`).not.to.equal(null);
      });
    expect(await sessions.verify(token, later(24 * hourMs))).to.equal(null);
  });

  it('ends alone when it is ended', async () => {
    const [one, other] = await Promise.all([sessions.open({ user }, start), sessions.open({ user }, start)]);
    await sessions.end((await sessions.verify(one.token, start))?.id ?? '');
    expect(await sessions.verify(one.token, start)).to.equal(null);
    expect(await sessions.verify(other.token, start)).not.to.equal(null);
  });

  it('ends when the password is set, even to the same one', async () => {
    const { token } = await sessions.open({ user }, start);
    await stores.models.users.setPassword(user._id, 'first');
    expect(await sessions.verify(token, start)).to.equal(null);
  });

  it('is deleted from the database once it has expired', async () => {
    const indexes = await stores.connection.collection('sessions').indexes();
    expect(indexes.find(({ key }) => 'expiresAt' in key)).to.include({ expireAfterSeconds: 0 });
  });
});
