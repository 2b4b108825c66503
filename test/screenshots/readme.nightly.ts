/** npm run screenshots: the pictures of README.md, which are copied from .cache/screenshots to .github/images by hand. */
import type { AuditEntryRecord } from '../../models/audit-entry.ts';
import { signIn } from '../support/account-page.ts';
import { describeAppearances } from '../support/page-appearances.ts';
import { panelServer } from '../support/panel/attributes.ts';
import type { TestService } from '../support/service.ts';

const dayMs = 24 * 60 * 60 * 1000;
const callsByDay = [41, 52, 47, 60, 58, 22, 19, 44, 63, 71, 66, 69, 31, 24, 57, 62, 74, 70, 81, 35, 28, 66];

describeAppearances({
  name: 'readme',
  shows: 'each page in README.md',
  seenIn: (['light', 'dark'] as const).map((colorScheme) => ({
    name: colorScheme,
    options: { colorScheme, viewport: { width: 1200, height: 750 }, deviceScaleFactor: 1 },
  })),
  prepare({ panel }) {
    const limits = { memory: 4096, swap: 0, disk: 20_480, io: 500, cpu: 200 };
    panel.servers.set(7, [
      panelServer({ identifier: 'a1b2c3d4', name: 'Survival with friends', limits }),
      panelServer({ identifier: 'c1b2c3d4', name: 'Modded (Fabric)', uuid: 'c', limits }),
    ]);
    panel.runStates.set('c1b2c3d4', 'offline');
  },
  async visit({ service, open }) {
    const user = await service.addUser({ nickname: 'dana', panelUserId: 7 });
    await addCalls(service, user._id);
    const { page, shoot } = await open('/account#servers');
    await signIn(page, user.email);
    await page.getByText('running').waitFor();
    await page.getByText('offline').waitFor();
    await shoot('servers');
    await page.getByRole('link', { name: 'Activity', exact: true }).click();
    await page.getByRole('img', { name: /calls and \d+ errors/ }).waitFor();
    await shoot('activity');
  },
});

async function addCalls({ models, clock }: TestService, userId: number) {
  const issue = async (name: string) => {
    const newKey = { userId, name, scopes: ['read:account', 'write:servers'], expiresAt: null };
    return (await models.apiKeys.issue(newKey, new Date(clock.now() - 40 * dayMs))).key._id;
  };
  const [deploy, status] = [await issue('Nightly backup'), await issue('Status page')];
  const entryOf = (daysAgo: number, index: number): AuditEntryRecord => ({
    ...{ at: new Date(clock.now() - daysAgo * dayMs), userId, via: 'rest', requestId: 'r' },
    ...{ keyId: index % 4 === 0 ? deploy : status, address: '203.0.113.7', target: 'a1b2c3d4' },
    ...(index % 17 === 9
      ? { operation: 'servers.power', status: 502, code: 'upstream_error' }
      : { operation: 'servers.get', status: 200, code: null }),
  });
  const entries = callsByDay.flatMap((calls, daysAgo) =>
    Array.from({ length: calls }, (_, index) => entryOf(daysAgo, index)),
  );
  await models.auditEntries.store(entries);
  models.activityCounts.add(entries);
  await models.activityCounts.store();
}
