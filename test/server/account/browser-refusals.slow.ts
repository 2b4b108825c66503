/** What is wrong and what failed is in view and has the focus, in each kind of form of the account page. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { dialogOf, enter, openSection, refusal, stageAccountPage } from '../../support/account-page.ts';
import { eventually } from '../../support/eventually.ts';
import { putWebhook } from '../../support/sample-webhooks.ts';

/** What of the focused element and of the note that describes it a user does not see. */
const hiddenParts = (page: Page): Promise<unknown> =>
  page.evaluate(`(() => {
    const isSeen = (part) => {
      const { left, right, top, bottom } = part.getBoundingClientRect();
      const isInside = left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
      const shown = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
      return isInside && part.contains(shown);
    };
    const wrong = document.activeElement;
    const note = document.getElementById(wrong.getAttribute('aria-describedby') ?? '');
    const label = wrong.labels?.[0] ?? null;
    return [label, wrong, note].filter((part) => part && !isSeen(part)).map((part) => part.outerHTML);
  })()`);

const phone = { width: 360, height: 640 };
const desktop = { width: 1280, height: 720 };

interface Kind {
  /** The procedure that is called. */
  calls: string;
  open(): Promise<void>;
  /** What is said of what is missing, the first of it. */
  missing?: string;
  fill?(): Promise<void>;
  submit(): Promise<void>;
}

describe('a refusal on the account page', () => {
  const at = stageAccountPage();
  const button = (name: string | RegExp) => at.page.getByRole('button', { name, exact: true });
  const inDialog = (name: string) => dialogOf(at.page).getByRole('button', { name, exact: true });

  const issueKey = (name: string) =>
    at.service.models.apiKeys.issue(
      { userId: at.user._id, name, scopes: ['read:catalog'], expiresAt: null },
      new Date(),
    );

  const kinds: Record<string, Kind> = {
    'of the sign-in': {
      calls: 'session.signIn',
      open: async () => {},
      missing: 'Enter your e-mail address.',
      async fill() {
        await at.page.getByLabel('E-mail').fill(at.user.email);
        await at.page.getByLabel('Password').fill('correct horse');
      },
      submit: () => button('Sign in').click(),
    },
    'of a long form in a dialog': {
      calls: 'keys.create',
      async open() {
        await enter(at);
        await button('Create key').click();
        await dialogOf(at.page).getByLabel('Name').fill('Laptop');
      },
      missing: 'Choose at least one scope.',
      fill: () => dialogOf(at.page).getByRole('checkbox', { name: 'read:catalog' }).check(),
      submit: () => inDialog('Create key').click(),
    },
    'of a question': {
      calls: 'keys.revoke',
      async open() {
        await issueKey('Laptop');
        await enter(at);
        await button('Revoke Laptop').click();
      },
      submit: () => inDialog('Revoke key').click(),
    },
    'of a form on the page': {
      calls: 'tickets.reply',
      async open() {
        await at.service.models.tickets.open({
          ...{ userId: at.user._id, keyId: '', subject: 'Lag', text: 'It lags.', now: new Date() },
          ...{ serviceName: null, serviceReference: null, serviceType: null },
        });
        await enter(at);
        await openSection(at.page, 'Tickets');
        await at.page.getByRole('link', { name: 'Lag', exact: true }).click();
      },
      missing: 'Write a message.',
      fill: () => at.page.getByLabel('Your reply').fill('It still lags.'),
      submit: () => button('Send reply').click(),
    },
    'of a button without a form': {
      calls: 'webhooks.test',
      async open() {
        const { _id: userId } = at.user;
        await putWebhook(at.service, { _id: 'whk_1', userId, audience: 'customer', deliveryId: 'dlv_1' });
        await enter(at);
        await openSection(at.page, 'Webhooks');
      },
      submit: () => button(/^Send a test /).click(),
    },
  };

  for (const [name, kind] of Object.entries(kinds))
    for (const viewport of [phone, desktop])
      it(`${name} is in view and has the focus, ${viewport.width} pixels wide`, async () => {
        at.expected = ['Failed to load resource: net::ERR_FAILED'];
        await at.page.setViewportSize(viewport);
        await kind.open();
        if (kind.missing) {
          await kind.submit();
          await at.page.locator('[aria-invalid="true"]:focus').waitFor();
          await at.page.getByText(kind.missing).waitFor();
          await eventually(async () =>
            expect(await hiddenParts(at.page), 'what is missing').to.deep.equal([]),
          );
        }
        await at.page.route(`**/trpc/${kind.calls}*`, (route) => route.abort());
        await kind.fill?.();
        await kind.submit();
        await at.page.locator('.notice.is-danger:focus').getByText('The service did not answer.').waitFor();
        await eventually(async () => expect(await hiddenParts(at.page), 'what failed').to.deep.equal([]));
      });

  it('offers no other try for a ticket that is not there, and one where no answer came', async () => {
    at.expected = [refusal(404, 'Not Found'), 'Failed to load resource: net::ERR_FAILED'];
    await enter(at);
    const show = (id: number) => at.page.evaluate(`location.hash = '#tickets/${id}'`);
    await show(999);
    await at.page.getByText('Ticket not found.').waitFor();
    await eventually(async () => expect(await button('Try again').count()).to.equal(0));
    await at.page.route('**/trpc/tickets.get*', (route) => route.abort());
    await show(998);
    await button('Try again').waitFor();
    await at.page.unrouteAll();
    at.expected.push(refusal(404, 'Not Found'));
    await button('Try again').click();
    await at.page.getByText('Ticket not found.').waitFor();
  });

  it('is in view at the 26th key, which the service refuses', async () => {
    at.expected = [refusal(400, 'Bad Request')];
    for (let count = 0; count < 25; count += 1) await issueKey(`Key ${count}`);
    await at.page.setViewportSize(phone);
    await enter(at);
    await button('Create key').click();
    await dialogOf(at.page).getByLabel('Name').fill('One more');
    await dialogOf(at.page).getByRole('checkbox', { name: 'read:catalog' }).check();
    await inDialog('Create key').click();
    await at.page.locator('.notice.is-danger:focus').getByText('You have 25 live keys').waitFor();
    await eventually(async () => expect(await hiddenParts(at.page)).to.deep.equal([]));
  });
});
