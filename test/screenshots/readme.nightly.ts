/** npm run screenshots: the pictures of README.md, which are copied from .cache/screenshots to .github/images by hand. */
import type { AuditEntryRecord } from '../../models/audit-entry.ts';
import { type DemoCredentials, demoEmail, seedDemo } from '../../server/dev/demo-data.ts';
import { startDemoPanel } from '../../server/panel/demo/demo.ts';
import { demoIdentifiers } from '../../server/panel/demo/games.ts';
import { signIn } from '../support/account-page.ts';
import { describeAppearances } from '../support/page-appearances.ts';
import { startTestService, type TestService } from '../support/service.ts';

const dayMs = 24 * 60 * 60 * 1000;
const callsByDay = [41, 52, 47, 60, 58, 22, 19, 44, 63, 71, 66, 69, 31, 24, 57, 62, 74, 70, 81, 35, 28, 66];

let demoPanel: Awaited<ReturnType<typeof startDemoPanel>> | undefined;
let demo: DemoCredentials | null = null;

describeAppearances({
  name: 'readme',
  shows: 'each page in README.md',
  seenIn: (['light', 'dark'] as const).map((colorScheme) => ({
    name: colorScheme,
    options: { colorScheme, viewport: { width: 1200, height: 750 }, deviceScaleFactor: 1 },
  })),
  async start() {
    demoPanel = await startDemoPanel();
    const { url, applicationKey, clientKey } = demoPanel;
    return startTestService({ panel: { url, applicationKey, clientKey } });
  },
  async prepare(service) {
    const { models, clock } = service;
    demo = await seedDemo(models, { scopes: ['read:account'], expiresAt: null }, new Date(clock.now()));
    const user = await models.users.findByEmail(demoEmail);
    if (user) await addCalls(service, user._id);
  },
  stop: () => demoPanel?.stop(),
  async visit({ open }) {
    const { page, shoot } = await open('/account#servers');
    await signIn(page, demoEmail, demo?.password);
    await page.getByText('running').first().waitFor();
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
    ...{
      keyId: index % 4 === 0 ? deploy : status,
      address: '203.0.113.7',
      target: demoIdentifiers.minecraft,
    },
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
