/** Activity of keys that ended: removed themselves, they keep their names in it. */
import { expect } from 'chai';
import { useService } from '../support/service.ts';

describe('the activity of a key that ended and was removed', () => {
  const service = useService();

  it('keeps its name for the calls that were refused after its end', async () => {
    const { user, secret: key } = await service.addKey();
    const ended = await service.addKey({ user });
    await service.models.apiKeys.revoke(ended.key._id, new Date());
    await service.call('GET', '/me', { key: ended.secret });
    await service.flushAudit();
    await service.connection.collection<{ _id: string }>('api_keys').deleteOne({ _id: ended.key._id });
    const name = { name: 'test', prefix: ended.key.prefix };
    const { activity } = (await service.call('GET', '/activity', { key })).body;
    expect(activity[0]).to.deep.include({ status: 401, key: name });
    const { keys } = (await service.call('GET', '/activity/summary?days=1', { key })).body;
    expect(keys).to.deep.include({ ...name, calls: 1, errors: 1 });
  });
});
