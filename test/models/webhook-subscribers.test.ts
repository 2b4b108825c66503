/** Who subscribes to what, as a process remembers it while a read of the list and a change made in it overlap. */
import { expect } from 'chai';
import type { Connection } from 'mongoose';
import { createModels, type Models } from '../../models/index.ts';
import type { EventType, SubscribedType } from '../../models/webhook/event-types.ts';
import { connectMongoose } from '../../server/database.ts';
import { type FlakyProxy, openFlakyProxy } from '../support/flaky-proxy.ts';
import { openTestModels, type TestModels } from '../support/models.ts';

const owner = { userId: 1, audience: 'customer' as const };
const endpoint = { url: 'https://example.com', format: 'standard' as const, description: null };
/** In BSON: the name of the command, and the length and bytes of the collection's name. */
const readOfSubscribers = 'find\0\x09\0\0\0webhooks\0';

describe('a webhook counts', () => {
  let opened: TestModels;
  let line: FlakyProxy;
  let connection: Connection;
  let models: Models;

  beforeEach(async () => {
    opened = await openTestModels();
    line = await openFlakyProxy(opened.databaseUri);
    connection = await connectMongoose(line.uri);
    models = createModels(connection);
    await models.users.add({ email: 'owner@example.com' }, new Date());
    for (const each of [models, opened.models])
      await each.webhookSecrets.unlock([Buffer.alloc(32, 'webhooks')]);
  });
  afterEach(async () => {
    await connection.close();
    line.close();
    await opened.stop();
  });

  const add = ({ webhooks }: Models, type: SubscribedType) =>
    webhooks.add({ ...owner, ...endpoint, events: [type] }, new Date());
  const isWanted = (type: EventType) => models.webhookEvents.isWanted([type], owner.userId);

  /** Begins a read of the list, which has what is stored now and ends with the release. */
  async function beginRead() {
    const held = line.holdReply(readOfSubscribers);
    const early = isWanted('ticket.created');
    return { early, release: await held };
  }

  it('at once in the process that stored it, where a read began before, which has ended since or not', async () => {
    const { early, release } = await beginRead();
    await add(models, 'ticket.created');
    const isWantedNow = isWanted('ticket.created');
    release();
    expect(await isWantedNow).to.equal(true);
    await early;
    expect(await isWanted('ticket.created')).to.equal(true);
  });

  it('in every process once all of them know, where a read in one of them began before and has not ended', async () => {
    const others = createModels(opened.connection, { isShared: true });
    await others.webhookSecrets.unlock([Buffer.alloc(32, 'webhooks')]);
    const { early, release } = await beginRead();
    await add(others, 'ticket.created');
    await others.webhookEvents.settleSubscribers();
    const isWantedNow = isWanted('ticket.created');
    release();
    expect(await isWantedNow).to.equal(true);
    await early;
  });

  it('at once in the process that stored it, where a read that began before ends after a newer one: what was changed stays changed', async () => {
    const webhook = await add(opened.models, 'ticket.created');
    const { early, release } = await beginRead();
    await models.webhooks.change(
      { ...owner, id: webhook?._id ?? '' },
      { events: ['ticket.replied'] },
      { now: new Date() },
    );
    expect(await isWanted('ticket.replied')).to.equal(true);
    release();
    await early;
    const types = ['ticket.created', 'ticket.replied'] as const;
    expect(await Promise.all(types.map(isWanted))).to.deep.equal([false, true]);
    const ofAnybody = types.map((type) => models.webhookEvents.isWanted([type]));
    expect(await Promise.all(ofAnybody)).to.deep.equal([false, true]);
  });
});
