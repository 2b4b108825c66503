/** Errors of input, service and page: what the account page then shows and does, in view and with the focus, in each kind of form. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import {
  actOnKey,
  consoleErrorOf,
  dismissSecret,
  openKeyList,
  shownSecret,
  signIn,
  statusWith,
  useAccountPage,
  waitForCount,
} from '../../support/account-page.ts';
import { eventually } from '../../support/eventually.ts';
import { putWebhook } from '../../support/sample-webhooks.ts';

/** The parts of the focused element and of its describing note that are out of the user's view. */
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

const lost = 'Failed to load resource: net::ERR_FAILED';

interface Kind {
  calls: string;
  open(): Promise<void>;
  /** The first message about a missing field. */
  missing?: string;
  fill?(): Promise<void>;
  submit(): Promise<void>;
}

describe('an error on the account page', () => {
  const at = useAccountPage();
  const failed = () => at.page.getByText('The service did not answer. Check your connection and try again.');
  const isInView = () =>
    eventually(async () => expect(await hiddenParts(at.page), 'out of view').to.deep.equal([]));

  const issueKey = (name: string) =>
    at.service.models.apiKeys.issue(
      { userId: at.user._id, name, scopes: ['read:catalog'], expiresAt: null },
      new Date(),
    );
  const fillKey = async (name: string) => {
    await at.button('Create key').click();
    await at.field('Name').fill(name);
    await at.dialog().getByRole('radio', { name: 'Read only' }).check();
  };
  const fillTicket = async () => {
    await at.link('Tickets').click();
    await at.button('Open a ticket').click();
    await at.field('Subject').fill('Lag');
    await at.field('Message').fill('Players time out.');
  };

  const kinds: Record<string, Kind> = {
    'in the sign-in': {
      calls: 'session.signIn',
      open: async () => void (await at.page.goto('/account')),
      missing: 'Enter your e-mail address.',
      async fill() {
        await at.page.getByLabel('E-mail').fill(at.user.email);
        await at.page.getByLabel('Password').fill('correct horse');
      },
      submit: () => at.button('Sign in').click(),
    },
    'in a long form in a dialog': {
      calls: 'keys.create',
      async open() {
        await openKeyList(at);
        await at.button('Create key').click();
        await at.field('Name').fill('Laptop');
      },
      missing: 'Choose at least one scope.',
      fill: () => at.dialog().getByRole('radio', { name: 'Read only' }).check(),
      submit: () => at.inDialog('Create key').click(),
    },
    'in a confirmation': {
      calls: 'keys.revoke',
      async open() {
        await issueKey('Laptop');
        await openKeyList(at);
        await actOnKey(at.page, 'Laptop', 'Revoke');
      },
      submit: () => at.inDialog('Revoke key').click(),
    },
    'in a form on the page': {
      calls: 'tickets.reply',
      open: async () => at.arrive(`/account#tickets/${(await at.openTicket('Lag'))._id}`),
      missing: 'Write a message.',
      fill: () => at.page.getByLabel('Your reply').fill('It still lags.'),
      submit: () => at.button('Send reply').click(),
    },
    'from a button without a form': {
      calls: 'webhooks.test',
      async open() {
        const { _id: userId } = at.user;
        await putWebhook(at.service, { _id: 'whk_1', userId, audience: 'customer', deliveryId: 'dlv_1' });
        await at.arrive('/account#webhooks');
      },
      submit: () => at.button(/^Send a test /).click(),
    },
  };

  for (const [name, kind] of Object.entries(kinds))
    for (const [width, height] of [
      [360, 640],
      [1280, 720],
    ] as const)
      it(`${name} is in view and has the focus, ${width} pixels wide`, async () => {
        at.expected = [lost];
        await at.page.setViewportSize({ width, height });
        await kind.open();
        if (kind.missing) {
          await kind.submit();
          await at.page.locator('[aria-invalid="true"]:focus').waitFor();
          await at.see(kind.missing);
          await isInView();
        }
        await at.page.route(`**/trpc/${kind.calls}*`, (route) => route.abort());
        await kind.fill?.();
        await kind.submit();
        await at.page.locator('.notice.is-danger:focus').getByText('The service did not answer.').waitFor();
        await isInView();
      });

  it('is in view when the service refuses the 26th key', async () => {
    at.expected = [consoleErrorOf(400, 'Bad Request')];
    for (let count = 0; count < 25; count += 1) await issueKey(`Key ${count}`);
    await at.page.setViewportSize({ width: 360, height: 640 });
    await openKeyList(at);
    await fillKey('One more');
    await at.inDialog('Create key').click();
    await at.page.locator('.notice.is-danger:focus').getByText('You have 25 live keys').waitFor();
    await isInView();
  });

  it('offers a retry if no answer came, but not for a ticket that does not exist', async () => {
    at.expected = [consoleErrorOf(404, 'Not Found'), lost, consoleErrorOf(404, 'Not Found')];
    await at.arrive('/account#tickets/999');
    await at.see('Ticket not found.');
    await waitForCount(at.button('Try again'), 0);
    await at.page.route('**/trpc/tickets.get*', (route) => route.abort(), { times: 1 });
    await at.page.evaluate(`location.hash = '#tickets/998'`);
    await at.button('Try again').click();
    await at.see('Ticket not found.');
  });

  it('that loses an answer causes only one ticket and one key when the user tries again', async () => {
    at.expected = [lost, lost, lost];
    /** The service processes the request, and its answer never arrives. */
    const lose = (procedure: string, times: number) =>
      at.page.route(
        `**/trpc/${procedure}*`,
        async (route) => {
          await route.fetch();
          await route.abort();
        },
        { times },
      );
    await openKeyList(at);
    await fillKey('Laptop');
    await lose('keys.create', 2);
    for (let times = 0; times < 2; times += 1) {
      await at.inDialog('Create key').click();
      await failed().waitFor();
    }
    await at.inDialog('Create key').click();
    expect(await statusWith(at, await shownSecret(at.page))).to.equal(200);
    await dismissSecret(at.page);
    expect(await at.service.models.apiKeys.listLive(at.user._id, new Date())).to.have.length(1);
    await fillTicket();
    await lose('tickets.create', 1);
    await at.inDialog('Open ticket').click();
    await failed().waitFor();
    await at.inDialog('Open ticket').click();
    await at.heading('Lag').waitFor();
    expect(await at.service.models.tickets.searchDetails({ userId: at.user._id, limit: 5 })).to.have.length(
      1,
    );
  });

  it('of the page itself is not blamed on the connection', async () => {
    await openKeyList(at);
    await fillKey('Laptop');
    await at.page.evaluate('FormData.prototype.getAll = () => { throw new Error("a mistake"); }');
    await at.inDialog('Create key').click();
    await at.see('Something went wrong on this page. Reload it and try again.');
    await waitForCount(failed(), 0);
    at.expected = ['Error: a mistake'];
  });

  it("thrown by the browser's storage leaves all sections usable", async () => {
    await at.visitor.context.addInitScript(`for (const name of ['localStorage', 'sessionStorage'])
      Object.defineProperty(globalThis, name, { get() { throw new DOMException('denied', 'SecurityError'); } });`);
    await at.page.goto('/account#keys');
    await signIn(at.page, at.user.email);
    await at.heading('API keys').waitFor();
    for (const tab of await at.page.getByRole('navigation', { name: 'Account' }).getByRole('link').all()) {
      await tab.click();
      await at.heading((await tab.textContent()) ?? '').waitFor();
    }
    await fillTicket();
    await at.inDialog('Open ticket').click();
    await at.heading('Lag').waitFor();
    await at.button('Your account').click();
    await at.button('Sign out').click();
    await at.page.getByLabel('E-mail').waitFor();
  });
});
