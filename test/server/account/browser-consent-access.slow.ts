/** Accessibility of an app's request and of the connected apps: keyboard, focus, layout shifts. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { dialogOf, layoutShiftOf } from '../../support/account-page.ts';
import { allowButton, connectionsOf, denyButton, stageConnectPage } from '../../support/connect-page.ts';

describe('accessibility of the question whether an app may use the account', () => {
  const at = stageConnectPage();

  const focused = (text: string) => at.page.locator(':focus', { hasText: text });

  const connect = (name: string) =>
    at.service.models.oauthGrants.add(
      {
        userId: at.user._id,
        app: { clientId: 'c', name, verifiedHost: 'app.example' },
        scopes: ['read:catalog', 'read:account', 'write:tickets', 'write:servers'],
        refusedScopes: [],
      },
      new Date(at.service.clock.now()),
    );

  it('is answered by keyboard alone, from the sign-in to Allow', async () => {
    const app = await at.send();
    await at.page.locator('input[name=email]:focus').waitFor();
    await at.page.keyboard.type(at.user.email);
    await at.page.keyboard.press('Tab');
    await at.page.keyboard.type('correct horse');
    await at.page.keyboard.press('Enter');
    await allowButton(at.page).waitFor();
    await focused('Connect an app').waitFor();
    const others = (await at.page.getByRole('checkbox', { checked: false }).all()).length;
    const stops = await tabThrough(at.page, 8 + others);
    expect(stops.slice(0, 6)).to.deep.equal([
      ...['Use another account', 'Read only'],
      ...['read:catalog', 'read:account', 'write:tickets', 'write:servers'],
    ]);
    expect(stops.slice(-2)).to.deep.equal(['Deny', 'Allow']);
    for (let steps = 0; steps < 2 + others; steps += 1) await at.page.keyboard.press('Shift+Tab');
    await at.page.keyboard.press('Space');
    await tabThrough(at.page, 2 + others);
    await at.page.keyboard.press('Enter');
    expect((await app.answer(at.page)).has('code')).to.equal(true);
    const [connection] = await connectionsOf(at);
    expect(connection?.scopes).to.deep.equal(['read:catalog', 'read:account', 'write:tickets']);
  });

  it('has the focus at the outcome when the browser stays', async () => {
    await at.sendSignedIn({ redirectUri: 'com.example.testagent://callback' });
    await denyButton(at.page).click();
    await focused('Access denied').waitFor();
    at.expected = at.visitor.complaints.filter((line) => line.includes('com.example.testagent:'));
  });

  it('loads without layout shifts', async () => {
    const app = await at.sendSignedIn();
    await at.page.goto(app.url);
    await allowButton(at.page).waitFor();
    expect(await layoutShiftOf(at.page)).to.be.below(0.02);
  });

  it('has the focus in the dialog of a revocation and gives it back', async () => {
    await connect('Agent');
    await at.sendSignedIn();
    await at.page.goto('/account#apps');
    await at.page.getByRole('button', { name: 'Revoke Agent' }).focus();
    await at.page.keyboard.press('Enter');
    await dialogOf(at.page).waitFor();
    await at.page.keyboard.press('Escape');
    await focused('Revoke').waitFor();
    await at.page.keyboard.press('Enter');
    await dialogOf(at.page).getByRole('button', { name: 'Revoke' }).focus();
    await at.page.keyboard.press('Enter');
    await at.page.getByText('No connected apps').waitFor();
    await focused('Connected apps').waitFor();
  });
});

/** The first line of what has the focus; of a checkbox its value. */
const focusedText = async (page: Page): Promise<string> =>
  String(await page.evaluate('document.activeElement.value || document.activeElement.innerText')).trim();

async function tabThrough(page: Page, count: number): Promise<string[]> {
  const texts: string[] = [];
  while (texts.length < count) {
    await page.keyboard.press('Tab');
    texts.push(await focusedText(page));
  }
  return texts;
}
