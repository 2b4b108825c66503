/** The forms of the support desk. */
import type { TestedForm } from './account-forms.ts';
import { dialogOf, enter, openSection, type Scene } from './account-page.ts';

/** @param openTicket opens a ticket of `at.user` with the subject "Lag since noon" */
export function deskForms(at: Scene, openTicket: () => Promise<unknown>): TestedForm[] {
  const button = (name: string) => at.page.getByRole('button', { name, exact: true });
  const save = () => dialogOf(at.page).getByRole('button', { name: 'Save answer' });

  async function enterDesk(): Promise<void> {
    at.user = await at.service.addUser({ isSupport: true });
    await openTicket();
    await enter(at);
    await openSection(at.page, 'Support desk');
    await button('All').click();
    await at.page.getByRole('link', { name: 'Lag since noon' }).first().click();
  }

  return [
    {
      file: 'tickets/assignee.tsx',
      open: enterDesk,
      submit: () => button('Take').click(),
      calls: 'admin.assignTicket',
    },
    {
      file: 'tickets/answer-area.tsx',
      async open() {
        await enterDesk();
        await button('Internal note').click();
      },
      submit: () => button('Add note').click(),
      missing: 'Write a note.',
      fill: () => at.page.getByLabel('Note for colleagues').fill('Asks often.'),
      calls: 'admin.noteTicket',
    },
    {
      file: 'tickets/saved-answers-dialog.tsx',
      async open() {
        await enterDesk();
        await at.page.getByLabel('Your answer').fill('Please send the log.');
        await button('Saved answers').click();
      },
      submit: () => save().click(),
      missing: 'Give it a title.',
      fill: () => dialogOf(at.page).getByLabel('Save what you have written as').fill('Log'),
      calls: 'answers.save',
    },
  ];
}
