/** npm run screenshots: the second factors of an account, and a sign-in with one, for a person to look at. */
import { createPageQueries, signIn, signOut } from '../support/account-page.ts';
import { describeAppearances } from '../support/page-appearances.ts';
import { startAtHostName, storeAuthenticatorApp } from '../support/second-factor.ts';

const addApp = 'Add an authenticator app';

describeAppearances({
  name: 'second-factor',
  shows: 'the settings for second factors and the sign-in with one',
  start: startAtHostName,
  async visit({ service, look, open }) {
    const { email, _id: userId } = await service.addUser();
    const { page, shoot } = await open('/account#security');
    const at = createPageQueries({ page });
    const code = page.getByLabel('Code from your authenticator app', { exact: true });
    await signIn(page, email);
    await at.see('No second factor yet');
    await shoot('01-none', { isWhole: true });
    await at.button(addApp).click();
    await code.waitFor();
    await shoot('02-app');
    await page.keyboard.press('Escape');
    await at.button('Add a passkey').click();
    await shoot('03-passkey');
    const { codes } = await storeAuthenticatorApp(service, userId, `${look.name} ${'x'.repeat(80)}`);
    await page.reload();
    await at.button(/^Remove/).click();
    await shoot('04-remove');
    await page.keyboard.press('Escape');
    await shoot('05-list', { isWhole: true });
    await at.button(addApp).click();
    await code.waitFor();
    await shoot('06-confirm');
    for (const name of ['Confirm that it is you', addApp]) {
      await page.keyboard.press('Escape');
      await page.getByRole('dialog', { name, exact: true }).waitFor({ state: 'detached' });
    }
    await signOut(at);
    await signIn(page, email);
    await code.waitFor();
    await shoot('07-second-step', { isWhole: true });
    await at.button('Lost it? Use a recovery code').click();
    await page.getByLabel('Recovery code', { exact: true }).fill(codes?.[0] ?? '');
    await shoot('08-recovery', { isWhole: true });
    await at.button('Continue').click();
    await at.button(/^Create new recovery codes/).click();
    await at.inDialog('Create new codes').click();
    await at.inDialog('I have copied it').waitFor();
    await shoot('09-codes');
    await at.inDialog('I have copied it').click();
  },
});
