/** A batch of waiting calls has the time limit of one: it runs from the arrival of the request. */
import { expect } from 'chai';
import { panelBackup, panelServer } from '../../support/panel/attributes.ts';
import { resetPanel } from '../../support/server-owner.ts';
import { useOwner } from '../../support/use-key.ts';

const id = 'a1b2c3d4';
/** Two rounds of ten concurrent calls. */
const callCount = 20;

describe('a batch of calls that wait for a change', () => {
  const service = useOwner({ rateLimitPerMinute: 1_000 });

  it('is answered 25 seconds after its arrival with the current state of the backup', async () => {
    resetPanel(service, [panelServer({ identifier: id })]);
    const uuid = panelBackup().uuid;
    service.panel.backups.set(id, [panelBackup({ uuid, completed_at: null, is_successful: false })]);
    const call = { server_identifier: id, backup_uuid: uuid, wait: 25 };
    const names = Array(callCount).fill('servers.backups.get').join();
    const input = encodeURIComponent(JSON.stringify({ ...Array(callCount).fill(call) }));
    const startedAt = performance.now();
    const { body } = await service.callAt('GET', `/trpc/${names}?batch=1&input=${input}`, {
      key: service.key,
    });
    const seconds = (performance.now() - startedAt) / 1_000;
    expect(body).to.have.lengthOf(callCount);
    for (const { result } of body) expect(result.data.backup).to.include({ uuid, completed_at: null });
    // Without a common limit the second round would start now.
    expect(seconds).to.be.within(24, 45);
  });
});
