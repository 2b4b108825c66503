/** Pages for browsers that came to a wrong address: they look like ours and say what to do. */
import { expect } from 'chai';
import { seriousBarriers } from '../../support/browser.ts';
import { stageConnectPage } from '../../support/connect-page.ts';

describe('the page', () => {
  const at = stageConnectPage();

  for (const width of [360, 1280])
    it(`of an app's wrong request looks like ours and says what to do, ${width} pixels wide`, async () => {
      at.expected = ['Failed to load resource: the server responded with a status of 400 (Bad Request)'];
      await at.page.setViewportSize({ width, height: 740 });
      await at.page.goto(`${at.service.url}/oauth/authorize?client_id=unknown`);
      await at.page.getByRole('heading', { name: 'The app could not be connected' }).waitFor();
      await at.page.getByText('Close this page and start again in the app.').waitFor();
      const radius = `getComputedStyle(document.querySelector('.card')).borderRadius`;
      expect(await at.page.evaluate(radius)).to.equal('16px');
      expect(await seriousBarriers(at.page)).to.deep.equal([]);
    });

  for (const width of [360, 1280])
    for (const colorScheme of ['light', 'dark'] as const)
      it(`of an address that does not exist leads to the account, ${width} pixels wide in ${colorScheme}`, async () => {
        at.expected = ['Failed to load resource: the server responded with a status of 404 (Not Found)'];
        await at.page.setViewportSize({ width, height: 740 });
        await at.page.emulateMedia({ colorScheme });
        await at.page.goto(`${at.service.url}/nope`);
        await at.page.getByRole('heading', { name: 'Page not found' }).waitFor();
        expect(await seriousBarriers(at.page)).to.deep.equal([]);
        await at.page.getByRole('link', { name: 'Go to your account' }).click();
        await at.page.getByRole('heading', { name: 'Sign in' }).waitFor();
      });
});
