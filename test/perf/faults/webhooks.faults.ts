/** Webhooks while processes are killed and half of the receivers fail: every event arrives, and no try meets another. */
import { expect } from 'chai';
import { record } from './figures.ts';
import { soakWebhooks } from './webhook-soak.ts';

describe('events of acknowledged writes', () => {
  it('all arrive, also of four processes that are killed in turn, and with one id however often they do', async function () {
    this.timeout(900_000);
    const plan = { events: 5000, processes: 4, customers: 20, killEveryMs: 4000 };
    const { output, ...soaked } = await soakWebhooks(plan);
    const { acknowledged, lost, requests, kills, repeated, mostAtOnce, acknowledgedS, drainedS } = soaked;
    await record(`${plan.processes} processes killed in turn while they send webhooks, half of which fail`, {
      ...{ acknowledged, lost },
      notes: {
        ...{
          requests,
          kills,
          'arrived again with the same id': repeated,
          'tries of one delivery at once': mostAtOnce,
        },
        ...{ 'acknowledged after s': acknowledgedS, 'all arrived after s': drainedS },
      },
    });
    expect(soaked).to.include({ acknowledged: plan.events, lost: 0, withSeveralIds: 0, mostAtOnce: 1 });
    expect(output).to.not.match(/unhandled|TypeError/i);
  });
});
