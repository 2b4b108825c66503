/** The tab of webhooks as a user operates it, with a real receiver. */
import { dialogOf, enter, openSection, putAway, shownSecret, stageAccountPage } from './account-page.ts';
import { useForEach } from './use-started.ts';
import { startReceiver } from './webhook-receiver.ts';
import { startWebhookService } from './webhook-service.ts';

/** A new visitor and a new receiver for each test. */
export function stageWebhooks() {
  const at = stageAccountPage(startWebhookService);
  const receiver = useForEach(startReceiver);

  const button = (name: string | RegExp) => at.page.getByRole('button', { name, exact: true });
  const item = () => at.page.getByRole('list', { name: 'Webhooks' }).getByRole('listitem').first();
  const inDialog = (name: string) => dialogOf(at.page).getByRole('button', { name, exact: true });
  const focused = (name: string | RegExp) => button(name).and(at.page.locator(':focus'));
  const deliveries = () => at.page.getByRole('list', { name: /^Deliveries to/ }).locator('> li');

  async function open(): Promise<void> {
    await enter(at);
    await openSection(at.page, 'Webhooks');
    await at.page.getByText('No webhooks').waitFor();
  }

  /** Leaves its secret in sight. */
  async function create({ url = receiver.url, name = 'Status page' } = {}): Promise<string> {
    await button('Create webhook').click();
    await dialogOf(at.page).getByLabel('Address').fill(url);
    await dialogOf(at.page).getByRole('checkbox', { name: 'A ticket was opened.' }).check();
    await dialogOf(at.page).getByLabel('Name').fill(name);
    await inDialog('Create webhook').click();
    await inDialog('I have copied it').waitFor();
    return shownSecret(at.page, 'secret');
  }

  async function createAndPutAway(): Promise<string> {
    const secret = await create();
    await putAway(at.page);
    await item().getByRole('heading', { name: 'Status page' }).waitFor();
    return secret;
  }

  return { at, receiver, button, item, inDialog, focused, deliveries, open, create, createAndPutAway };
}
