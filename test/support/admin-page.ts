/** The account page of an administrator, in a real browser. */
import { type AccountPageFixture, useAccountPage } from './account-page.ts';
import { startWebhookService } from './webhook-service.ts';

interface AdminPageFixture extends AccountPageFixture {
  key: string;
}

/** Each test starts with a new administrator and without games and announcements. */
export function useAdminPage(): AdminPageFixture {
  const at = Object.assign(useAccountPage(startWebhookService), { key: '' });
  beforeEach(async () => {
    for (const name of ['games', 'announcements'])
      await at.service.connection.collection(name).deleteMany({});
    at.user = await at.service.addUser({ isAdmin: true });
    at.key = (await at.service.addKey({ user: at.user })).secret;
  });
  return at;
}
