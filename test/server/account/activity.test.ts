/** The sentences of the account page's activity. */
import { expect } from 'chai';
import { readOperations, readSessionOperations } from '../../../bridge/operations.ts';
import { sentenceOf } from '../../../routers/account/activity-sentences.ts';
import { accountPageRouter } from '../../../routers/account/index.ts';
import { appRouter } from '../../../routers/index.ts';
import { signInAccount } from '../../support/account.ts';
import { panelServer } from '../../support/panel/attributes.ts';
import { useService } from '../../support/service.ts';

describe('the activity on the account page', () => {
  const service = useService();

  it('has a sentence for each operation that the audit can have', () => {
    const isAudited = ({ type, ...operation }: { type: string; scope?: string | null }) =>
      'scope' in operation ? operation.scope !== null : type === 'mutation';
    const operations = [...readOperations(appRouter), ...readSessionOperations(accountPageRouter)];
    const names = operations.filter(isAudited).map(({ name }) => name);
    const written = ['credentials.revoke', 'factors.reset', 'apps.renew', 'apps.end'];
    const isWithout = (operation: string) =>
      sentenceOf({ operation, target: 'id', detail: 'detail', status: 200 }) === `Called ${operation}`;
    const without = [...new Set([...names, ...written])].filter(isWithout);
    expect(without, 'add them to routers/account/activity-sentences.ts').to.deep.equal([]);
  });

  it('says what was done, and what was only tried, with the signal and the name of the backup', async () => {
    const user = await service.addUser({ panelUserId: 7 });
    service.panel.servers.set(7, [panelServer({ identifier: 'a1b2c3d4' })]);
    const { api } = await signInAccount(service.url, user);
    const server_identifier = 'a1b2c3d4';
    await api.servers.power.mutate({ server_identifier, signal: 'stop' });
    await api.servers.backups.create.mutate({ server_identifier, name: 'nightly' });
    const tasks = [{ action: 'power' as const, signal: 'restart' as const }];
    const schedule = { name: 'Nightly', cron: '30 4 * * *', tasks };
    await api.servers.schedules.create.mutate({ server_identifier, ...schedule });
    await api.tickets.close.mutate({ ticket_id: 999 }).catch(() => {});
    await service.flushAudit();
    const { activity } = await api.activity.list.query({});
    expect(activity.map(({ sentence, target, detail }) => [sentence, target, detail])).to.deep.equal([
      ['Tried to close ticket {target}', '999', undefined],
      ['Created a schedule for {target}', 'a1b2c3d4', undefined],
      ['Created the backup {detail} of {target}', 'a1b2c3d4', 'nightly'],
      ['Stopped {target}', 'a1b2c3d4', 'stop'],
      ['Signed in', String(user._id), undefined],
    ]);
  });

  it('says what it can of calls that name no operation, no target or an operation of another release', () => {
    const call = { operation: null, target: null, status: 401 };
    expect(sentenceOf(call)).to.equal('Tried to call the API');
    expect(sentenceOf({ ...call, operation: 'tickets.create' })).to.equal('Tried to open a ticket');
    expect(sentenceOf({ ...call, operation: 'worlds.reset', status: 200 })).to.equal('Called worlds.reset');
    expect(sentenceOf({ ...call, operation: 'admin.putUser', target: 'c1', status: 200 })).to.equal(
      'Created or changed user {target}',
    );
  });
});
