/** The forms of the account page that are there where mail is on. */
import type { TestedForm } from './account-forms.ts';
import { dialogOf, enter, type Scene } from './account-page.ts';

export function mailForms(at: Scene): TestedForm[] {
  const button = (name: string) => at.page.getByRole('button', { name, exact: true });

  async function turnMailOn(): Promise<void> {
    await at.service.models.notices.settle(['customer', 'host'], new Date(0));
    await at.page.reload();
  }

  return [
    {
      file: 'mail-dialog.tsx',
      async open() {
        await turnMailOn();
        await enter(at);
        await button('Your account').click();
        await button('Mail').click();
        await dialogOf(at.page).getByRole('checkbox').first().waitFor();
      },
      submit: () => dialogOf(at.page).getByRole('button', { name: 'Save' }).click(),
      calls: 'notices.change',
    },
    {
      file: 'sign-in.tsx',
      async open() {
        await turnMailOn();
        await button('Get a link by e-mail').click();
      },
      submit: () => button('Send the link').click(),
      missing: 'Enter your e-mail address.',
      fill: () => at.page.getByLabel('E-mail').fill(at.user.email),
      calls: 'session.mailLink',
    },
    {
      file: 'password.tsx',
      async open() {
        const { _id, email: mailedTo } = at.user;
        const now = new Date(at.service.clock.now());
        const { token } = await at.service.models.signInLinks.create(_id, now, { mailedTo });
        await at.page.goto(`/account/link#${token}`);
        await button('Continue').click();
      },
      submit: () => button('Set password').click(),
      missing: 'Enter a new password.',
      async fill() {
        for (const label of ['New password', 'New password again'])
          await at.page.getByLabel(label, { exact: true }).fill('battery staple 9');
      },
      calls: 'session.changePassword',
    },
  ];
}
