/** When a session is valid and when it ends; its token is never stored. */

import { expect } from 'chai';
import { hashPassword } from '../../models/support/secrets.ts';
import type { UserRecord } from '../../models/user.ts';
import { eventually } from '../support/eventually.ts';
import { openTestModels, type TestModels } from '../support/models.ts';
import { useStarted } from '../support/use-started.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** In the future, because MongoDB deletes expired sessions. */
const start = new Date('2100-11-21T09:00:00Z');
const later = (ms: number) => new Date(start.getTime() + ms);

describe('an account page session', () => {
  const stores = useStarted(() => openTestModels());
  let sessions: TestModels['models']['sessions'];
  let user: UserRecord;

  before(async () => {
    sessions = stores.models.sessions;
    const added = await stores.models.users.add({ email: 'ann@example.com', password: 'first' }, start);
    if (!added) throw new Error('the e-mail address is taken');
    user = added;
  });

  it('is found by its token, which is not stored, and not by the stored hash', async () => {
    const { token } = await sessions.open({ user }, start);
    const { id = '', user: found } = (await sessions.verify(token, start)) ?? {};
    expect(found?.email).to.equal('ann@example.com');
    expect(id).to.match(/^[0-9a-f]{64}$/);
    for (const wrong of [id, '']) expect(await sessions.verify(wrong, start)).to.equal(null);
    const kept = await stores.connection.collection('sessions').find().toArray();
    expect(JSON.stringify(kept)).to.include(id).and.not.include(token);
  });

  it('ends after two hours without use, and each use restarts them', async () => {
    const { token } = await sessions.open({ user }, start);
    expect(await sessions.verify(token, later(2 * hourMs - 1))).not.to.equal(null);
    await eventually(async () =>
      expect(await sessions.verify(token, later(4 * hourMs - 2))).not.to.equal(null),
    );
    expect(await sessions.verify(token, later(6 * hourMs - 2))).to.equal(null);
  });

  it('ends after a day, even when used constantly', async () => {
    const { token, expiresAt } = await sessions.open({ user }, start);
    expect(expiresAt).to.deep.equal(later(24 * hourMs));
    for (let hour = 1; hour < 24; hour += 1)
      await eventually(async () => {
        expect(await sessions.verify(token, later(hour * hourMs)), `hour ${hour}`).not.to.equal(null);
        const live = await sessions.list(user, later(hour * hourMs));
        expect(live.map(({ lastSeenAt }) => lastSeenAt)).to.deep.include(later(hour * hourMs));
      });
    expect(await sessions.verify(token, later(24 * hourMs))).to.equal(null);
  });

  it('ends when the password is set, even to the same one', async () => {
    const { token } = await sessions.open({ user }, start);
    await stores.models.users.setPassword(user, await hashPassword('first'));
    expect(await sessions.verify(token, start)).to.equal(null);
  });

  it('is invalid when its sign-in began before all sessions ended, even if stored long after', async () => {
    const { users } = stores.models;
    const before = await users.find(user._id);
    if (!before) throw new Error('the user is gone');
    const after = await users.change(user.email, { sessionsEndedAt: start });
    const late = await sessions.open({ user: before }, later(minuteMs));
    expect(await sessions.verify(late.token, later(minuteMs))).to.equal(null);
    const next = await sessions.open({ user: after ?? before }, later(minuteMs));
    expect(await sessions.verify(next.token, later(minuteMs))).to.not.equal(null);
  });

  it('is deleted from the database once it has expired', async () => {
    const indexes = await stores.connection.collection('sessions').indexes();
    expect(indexes.find(({ key }) => 'expiresAt' in key)).to.include({ expireAfterSeconds: 0 });
  });
});
