import { useAdminPage } from './support/admin-page.ts';
describe('stranger', () => {
  const at = useAdminPage();
  it('publishes', async function () {
    this.timeout(60_000);
    await at.arrive('/account#admin/announcements');
    const { page } = at;
    page.setDefaultTimeout(4000);
    const attempt = async (name: string, act: () => Promise<unknown>) => { try { await act(); console.log('ok  ', name); } catch (e) { console.log('FAIL', name, String(e).split('\n').slice(0, 8).join(' | ')); } };
    await page.waitForTimeout(1000);
    console.log(await page.getByRole('button').allTextContents());
    await attempt('button New/Create announcement', () => page.getByRole('button', { name: /(new|create|add|write).*announcement/i }).first().click());
    if (!(await page.getByRole('dialog').isVisible())) await page.getByRole('button', { name: /write one/i }).first().click();
    console.log(await page.getByRole('dialog').getByRole('button').allTextContents());
    for (const label of ['Title', 'Message', 'Summary', 'Tag']) await attempt(`fill ${label}`, () => page.getByLabel(label).fill(`My ${label}`));
    await attempt('check Ribbon', () => page.getByLabel(/ribbon/i).check());
    await attempt('Publish in form', () => page.getByRole('button', { name: /publish/i }).click());
    await attempt('Save', () => page.getByRole('button', { name: /save/i }).click());
    await page.waitForTimeout(1500);
    await attempt('Publish in list', () => page.getByRole('button', { name: /publish/i }).click());
    await attempt('Publish confirm', () => page.getByRole('button', { name: /publish/i }).click());
    await page.waitForTimeout(1000);
    console.log((await page.locator('main').innerText()).slice(0, 400));
    at.expected = at.visitor.complaints;
  });
});
