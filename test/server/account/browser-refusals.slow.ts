/** Every form of the account page, on a phone: what is wrong is in view and has the focus. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { accountForms } from '../../support/account-forms.ts';
import { dialogOf, enter, refusal, stageAccountPage } from '../../support/account-page.ts';
import { eventually } from '../../support/eventually.ts';
import { readSources } from '../../support/source-tree.ts';

/** Tested with an app's request, in browser-consent.slow.ts, and with connected apps. */
const testedElsewhere = ['apps/consent.tsx', 'apps/connected-apps.tsx'];

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

/** One of each kind at the width of a desktop too: a dialog, a form on the page, a button without a form. */
const alsoOnDesktop = ['webhooks/webhook-dialogs.tsx', 'sign-in.tsx', 'webhooks/webhook-item.tsx'];

describe('a refusal on the account page', () => {
  const at = stageAccountPage();
  const { forms, button, inDialog, issueKey } = accountForms(at);

  it('is tested for every form: a new one is to be added in test/support/account-forms.ts', () => {
    const withForm = readSources(['server/account/page']).filter(({ text }) =>
      /<(Form|FormDialog|SharedFormDialog|ConfirmDialog|FailureNotice)\b|: Question\b|confirm\(/.test(text),
    );
    const files = withForm.map(({ path }) => path.replace('server/account/page/', ''));
    const shared = ['form.tsx', 'dialog.tsx', 'shared-form.tsx', ...testedElsewhere];
    const listed = [...new Set(forms.map(({ file }) => file))];
    expect(files.filter((file) => !shared.includes(file))).to.have.members(listed);
  });

  for (const form of forms)
    for (const viewport of alsoOnDesktop.includes(form.file) ? [phone, desktop] : [phone])
      it(`is in view and has the focus at ${form.calls} of ${form.file}, ${viewport.width} pixels wide`, async () => {
        at.expected = ['Failed to load resource: net::ERR_FAILED'];
        await at.page.setViewportSize(viewport);
        await form.open();
        if (form.missing) {
          await form.submit();
          await at.page.locator('[aria-invalid="true"]:focus').waitFor();
          await at.page.getByText(form.missing).waitFor();
          await eventually(async () =>
            expect(await hiddenParts(at.page), 'what is missing').to.deep.equal([]),
          );
        }
        await at.page.route(`**/trpc/${form.calls}*`, (route) => route.abort());
        await form.fill?.();
        await form.submit();
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
