/** npm run screenshots: the activity of keys, and the restrictions of a new one, for a person to look at. */
import type { Page } from 'playwright-core';
import type { AuditEntryRecord } from '../../models/audit-entry.ts';
import { panelServer } from '../../server/panel/demo/attributes.ts';
import { openSection, signIn } from '../support/account-page.ts';
import { describeLooks, type Shoot } from '../support/camera.ts';
import type { TestService } from '../support/service.ts';

const dayMs = 24 * 60 * 60 * 1000;

describeLooks({
  name: 'activity',
  shows: 'activity, and a key that is restricted,',
  prepare({ panel }) {
    panel.servers.set(7, [
      panelServer({ identifier: 'a1b2c3d4', name: 'Survival with friends' }),
      panelServer({ identifier: 'c1b2c3d4', name: 'Modded (Fabric)', uuid: 'c' }),
    ]);
  },
  async visit({ service, open }) {
    const user = await service.addUser({ nickname: 'dana', panelUserId: 7 });
    const { page, shoot } = await open('/account#activity');
    await signIn(page, user.email);
    await page.getByRole('img', { name: /^0 calls/ }).waitFor();
    await shoot('01-none', { isWhole: true });
    await addCalls(service, user._id);
    await page.reload();
    await lookAtActivity(page, shoot);
    await restrictKey(page, shoot);
  },
});

async function addCalls({ models, clock }: TestService, userId: number) {
  const issue = async (name: string) => {
    const newKey = { userId, name, scopes: ['read:account', 'write:servers'], expiresAt: null };
    return (await models.apiKeys.issue(newKey, new Date(clock.now() - 40 * dayMs))).key._id;
  };
  const [deploy, status] = [await issue('Deploy script'), await issue('Status page')];
  const callsOf = (daysAgo: number): AuditEntryRecord[] =>
    Array.from({ length: (daysAgo * 7) % 31 }, (_, index) => ({
      ...{ at: new Date(clock.now() - daysAgo * dayMs - index * 60_000), userId, via: 'rest' as const },
      ...{ keyId: index % 3 === 0 ? deploy : status, requestId: 'r', address: '203.0.113.7' },
      ...(index % 9 === 4
        ? { operation: 'servers.power', target: 'a1b2c3d4', status: 502, code: 'upstream_error' }
        : { operation: 'servers.get', target: 'a1b2c3d4', status: 200, code: null }),
    }));
  const entries = Array.from({ length: 29 }, (_, daysAgo) => callsOf(daysAgo)).flat();
  await models.auditEntries.store(entries);
  models.activityCounts.add(entries);
  await models.activityCounts.store();
}

async function lookAtActivity(page: Page, shoot: Shoot) {
  await page.getByRole('img', { name: /calls and \d+ errors of all keys/ }).waitFor();
  await page.getByRole('button', { name: 'Show older calls' }).waitFor();
  await shoot('02-chart');
  await page.getByLabel('Key or app').selectOption({ index: 2 });
  await page.getByRole('img', { name: /of Deploy script/ }).waitFor();
  await page.getByText('Numbers by day').click();
  await shoot('03-numbers', { isWhole: true });
}

async function restrictKey(page: Page, shoot: Shoot) {
  await openSection(page, 'API keys');
  await page.getByRole('button', { name: 'Create key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Restrict it to servers or addresses').click();
  await dialog.getByRole('checkbox', { name: 'Survival with friends' }).check();
  await dialog.getByRole('textbox', { name: 'Addresses' }).fill('203.0.113.0/24');
  await dialog.getByRole('textbox', { name: 'Addresses' }).scrollIntoViewIfNeeded();
  await shoot('04-restrictions');
  await dialog.getByLabel('Name').first().fill('Restart robot');
  await dialog.getByRole('checkbox', { name: 'write:servers' }).check();
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
  await page.getByText('203.0.113.0/24').waitFor();
  await shoot('05-restricted-key', { isWhole: true });
}
