/** Pages for browsers that came to a wrong address: they look like ours and say what to do. */
import { expect } from 'chai';
import { refusal } from '../../support/account-page.ts';
import { stageConnectPage } from '../../support/connect-page.ts';

describe('the page', () => {
  const at = stageConnectPage();

  it("of an app's wrong request looks like ours and says what to do", async () => {
    at.expected = [refusal(400, 'Bad Request')];
    await at.page.goto(`${at.service.url}/oauth/authorize?client_id=unknown`);
    await at.page.getByRole('heading', { name: 'The app could not be connected' }).waitFor();
    await at.page.getByText('Close this page and start again in the app.').waitFor();
    const radius = `getComputedStyle(document.querySelector('.card')).borderRadius`;
    expect(await at.page.evaluate(radius)).to.equal('16px');
  });

  it('of an address that does not exist leads to the account', async () => {
    at.expected = [refusal(404, 'Not Found')];
    await at.page.goto(`${at.service.url}/nope`);
    await at.page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await at.page.getByRole('link', { name: 'Go to your account' }).click();
    await at.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });
});
