/** The files of a server on the account page, in a browser: found, read, changed, and never overwritten unseen. */
import { expect } from 'chai';
import {
  consoleErrorOf,
  useAccountPage,
  waitForCount,
  waitForTexts,
  waitForValue,
} from '../../support/account-page.ts';
import { eventually } from '../../support/eventually.ts';
import { panelServer } from '../../support/panel/attributes.ts';
import { FileTree } from '../../support/panel/file-tree.ts';
import { startTestService } from '../../support/service.ts';
import { translate } from '../../support/translate.ts';

const id = 'a1b2c3d4';
const address = `/account/servers/${id}/files`;
const settings = '/server.properties';
const addressOf = (file: string) => `${address}?${new URLSearchParams({ file })}`;

/** Would become an element if a page took it for markup. */
const hostile = '<img src=x onerror=alert(1)>';

describe('the files of a server on the account page', () => {
  // On a busy machine, a page may take longer to appear than a panel may take to answer.
  const patient = { readTimeoutMs: 60_000, readTotalMs: 60_000 };
  const at = useAccountPage(() => startTestService({ panel: patient }));
  const text = () => at.page.getByRole('textbox', { name: 'Text' });
  const files = () => at.page.getByRole('table', { name: 'Files' }).locator('tbody tr');
  const choose = async (action: string, name: string) => {
    await at.button(`Actions for ${name}`).click();
    await at.button(action).click();
  };
  let tree: FileTree;
  const contentOf = (path: string) => tree.get(path)?.content?.toString();

  beforeEach(async () => {
    at.user = await at.service.addUser({ panelUserId: 7 });
    const { panel, clock } = at.service;
    panel.servers.set(7, [panelServer({ identifier: id, name: 'Survival' })]);
    tree = new FileTree(
      { [settings]: 'port=1\nplayers=20\n', '/plugins/notes.txt': hostile, '/dos.ini': 'a=1\r\nb=2\r\n' },
      clock.now(),
    );
    panel.files.set(id, tree);
    panel.forget();
    clock.advance(60_000); // past all caches
  });

  async function open(path = address): Promise<void> {
    await at.arrive(path);
    await at.heading('Survival').waitFor();
  }

  async function save(content: string): Promise<void> {
    await text().fill(content);
    await at.button('Save').click();
  }

  it('are listed, opened and closed by links, each with an address that survives a reload', async () => {
    await open();
    await waitForTexts(files().getByRole('link'), ['plugins', 'dos.ini', 'server.properties']);
    await at.link('plugins').click();
    await at.link('notes.txt').click();
    await at.page.reload();
    await waitForValue(text(), hostile);
    expect(new URL(at.page.url()).search).to.equal('?file=%2Fplugins%2Fnotes.txt');
    await at.page.goBack();
    await at.link('notes.txt').waitFor();
    await at.link('Files').last().click();
    await at.link('dos.ini').waitFor();
  });

  it('are listed with their size and age, directories first, and each column sorts them', async () => {
    tree.write('/new.log', 'x'.repeat(3000), at.service.clock.now() - 60_000);
    await open();
    const names = files().getByRole('link');
    const sort = (column: string) =>
      at.page.getByRole('columnheader', { name: column }).getByRole('button').click();
    await waitForTexts(names, ['plugins', 'dos.ini', 'new.log', 'server.properties']);
    await files().filter({ hasText: 'new.log' }).getByText('3 KiB').waitFor();
    await sort('Size');
    await waitForTexts(names, ['plugins', 'new.log', 'server.properties', 'dos.ini']);
    await sort('Name');
    await sort('Name');
    await waitForTexts(names, ['plugins', 'server.properties', 'new.log', 'dos.ini']);
    await at.page
      .getByRole('columnheader', { name: 'Name' })
      .and(at.page.locator('[aria-sort=descending]'))
      .waitFor();
  });

  it('are fetched from an address that the host allows, and appear with its name', async () => {
    const source = 'https://cdn.modrinth.com/data/RaidTimer/versions/2.1.0/RaidTimer-2.1.0.jar';
    at.expected = [consoleErrorOf(400, 'Bad Request')];
    await open(`${address}?directory=%2Fplugins`);
    await at.button('Fetch from an address').click();
    await at.field('Address').fill(source.replace('cdn.modrinth.com', 'example.com'));
    await at
      .field('SHA-256 or SHA-512')
      .fill('3f0e7fd5f282b24d3bdf047bfb55a39141f1ce48251808e1bbc95ea61d67e209');
    await at.inDialog('Fetch file').click();
    await at
      .dialog()
      .getByRole('textbox', { name: 'Address' })
      .and(at.page.locator('[aria-invalid=true]:focus'))
      .waitFor();
    await at.field('Address').fill(source);
    await at.inDialog('Fetch file').click();
    await at.see('/plugins/RaidTimer-2.1.0.jar is here');
    await at.link('RaidTimer-2.1.0.jar').waitFor();
  });

  it('lead to the panel, where they are uploaded', async () => {
    await open();
    expect(await at.link('Upload files at the panel').getAttribute('href')).to.match(
      new RegExp(`/server/${id}/files$`),
    );
  });

  it('have numbered lines and a search that goes around the end of the text', async () => {
    tree.write('/long.yml', 'Port: 1\n'.repeat(299).concat('port: 2'), 0);
    await open(addressOf('/long.yml'));
    await at.page.locator('pre', { hasText: /\n299\n300$/ }).waitFor();
    await text().press('Control+f');
    await at.page.getByRole('searchbox').fill('PORT: 2');
    await at.see('1 of 1');
    await at.page.getByRole('searchbox').fill('port');
    await at.page.keyboard.press('Enter');
    await at.see('1 of 300');
    await at.page.keyboard.press('Shift+Enter');
    await at.see('300 of 300');
    await at.page.keyboard.press('Escape');
    await at.page.keyboard.type('address');
    expect(await text().inputValue()).to.match(/\naddress: 2$/);
    expect(await text().evaluate(({ scrollTop }) => scrollTop)).to.be.greaterThan(4000);
  });

  it('are saved by a button and by Ctrl+S, with their original line ends', async () => {
    await open(addressOf('/dos.ini'));
    await save('a=1\nb=3\n');
    await at.page.getByText('Saved', { exact: true }).waitFor();
    expect(contentOf('/dos.ini')).to.equal('a=1\r\nb=3\r\n');
    await text().fill('a=2\n');
    await at.see('Text, not saved yet');
    await at.page.keyboard.press('Control+s');
    await eventually(async () => expect(contentOf('/dos.ini')).to.equal('a=2\r\n'));
    await at.page.getByText('Text, not saved yet').waitFor({ state: 'detached' });
  });

  it("keep another user's change until this user has seen it and decides", async () => {
    at.expected = [
      consoleErrorOf(409, 'Conflict'),
      consoleErrorOf(409, 'Conflict'),
      consoleErrorOf(409, 'Conflict'),
    ];
    await open(addressOf(settings));
    await text().waitFor();
    tree.write(settings, 'port=2\n', Date.now());
    await save('port=1\nplayers=30\n');
    await at.heading('server.properties has changed').waitFor();
    await at.dialog().getByText('Current content').click();
    await at.dialog().getByText('port=2').waitFor();
    await at.button('Cancel').last().click();
    expect(contentOf(settings)).to.equal('port=2\n');
    expect(await text().inputValue()).to.equal('port=1\nplayers=30\n');
    await at.button('Save').click();
    await at.inDialog('Overwrite it').click();
    await at.page.getByText('Saved', { exact: true }).waitFor();
    expect(contentOf(settings)).to.equal('port=1\nplayers=30\n');
    await save('port=3\n');
    await eventually(async () => expect(contentOf(settings)).to.equal('port=3\n'));
    tree.write(settings, 'port=4\n', Date.now());
    await save('port=5\n');
    await at.button('Discard my text').click();
    await waitForValue(text(), 'port=4\n');
    expect(contentOf(settings)).to.equal('port=4\n');
  });

  it('keep unsaved text over a reload, together with the version that it is based on', async () => {
    at.expected = [consoleErrorOf(409, 'Conflict')];
    await open(addressOf(settings));
    await text().fill('mine\n');
    tree.write(settings, 'theirs\n', Date.now());
    await at.page.reload();
    await waitForValue(text(), 'mine\n');
    await at.button('Save').click();
    await at.heading('server.properties has changed').waitFor();
    expect(contentOf(settings)).to.equal('theirs\n');
  });

  it("keep another user's change made while offline, once the page reads the file again", async () => {
    at.expected = [consoleErrorOf(409, 'Conflict')];
    await open(addressOf(settings));
    await text().fill('mine\n');
    tree.write(settings, 'theirs\n', Date.now());
    const isReadAgain = at.page.waitForResponse(/servers\.files\.read/);
    await at.page.evaluate("dispatchEvent(new Event('online'))");
    await (await isReadAgain).finished();
    await at.button('Save').click();
    await at.heading('server.properties has changed').waitFor();
    expect(await text().inputValue()).to.equal('mine\n');
    expect(contentOf(settings)).to.equal('theirs\n');
  });

  it('can be created again if they were deleted meanwhile and the user wants to', async () => {
    at.expected = [consoleErrorOf(409, 'Conflict'), consoleErrorOf(404, 'Not Found')];
    await open(addressOf(settings));
    await text().waitFor();
    tree.delete(settings);
    await save('port=7\n');
    await at.heading('server.properties is gone').waitFor();
    await at.button('Create it again').click();
    await at.page.getByText('Saved', { exact: true }).waitFor();
    expect(contentOf(settings)).to.equal('port=7\n');
  });

  it('are created, moved and deleted, as are directories', async () => {
    await open();
    await at.button('Create directory').click();
    await at.field('Name').fill('old');
    await at.inDialog('Create directory').click();
    await at.link('old').click();
    await at.button('Create file').click();
    await at.field('Name').fill('a.txt');
    await at.inDialog('Create file').click();
    await save('new\n');
    await eventually(async () => expect(contentOf('/old/a.txt')).to.equal('new\n'));
    await choose('Rename or move', 'a.txt');
    await at.field('New path').fill('/old/b.txt');
    await at.inDialog('Rename or move').click();
    await at.see('a.txt is moved');
    expect(new URL(at.page.url()).search).to.equal('?file=%2Fold%2Fb.txt');
    await at.link('Files').last().click();
    await choose('Delete', 'old');
    await at.dialog().getByText('Everything in it is deleted too.').waitFor();
    await at.inDialog('Delete').click();
    await waitForCount(files(), 3);
    expect(tree.get('/old/b.txt')).to.equal(undefined);
  });

  it('show an error for a refused path, and nothing is created', async () => {
    at.expected = [consoleErrorOf(400, 'Bad Request'), consoleErrorOf(409, 'Conflict')];
    await open();
    await at.button('Create file').click();
    await at.field('Name').fill('../secret');
    await at.inDialog('Create file').click();
    await at.dialog().locator('[aria-invalid=true]:focus').waitFor();
    await at.field('Name').fill('dos.ini');
    await at.inDialog('Create file').click();
    await at.dialog().locator('.notice.is-danger:focus').waitFor();
    expect(contentOf('/dos.ini')).to.equal('a=1\r\nb=2\r\n');
  });

  it('show as saved what an overwrite has written, even if nothing can be read afterwards', async () => {
    at.expected = [consoleErrorOf(409, 'Conflict')];
    await open(addressOf(settings));
    await text().waitFor();
    tree.write(settings, 'theirs\n', 0);
    await save('mine\n');
    await at.dialog().getByText('Current content').waitFor();
    await at.page.route(/servers\.files\.read/, (route) => route.abort());
    await at.inDialog('Overwrite it').click();
    await at.page.getByText('Saved', { exact: true }).waitFor();
    await at.page.unroute(/servers\.files\.read/);
    expect(await text().inputValue()).to.equal('mine\n');
    expect(contentOf(settings)).to.equal('mine\n');
    await save('mine again\n');
    await eventually(async () => expect(contentOf(settings)).to.equal('mine again\n'));
  });

  it('keep their unsaved text when they are moved', async () => {
    await open(addressOf(settings));
    await text().fill('mine\n');
    await choose('Rename or move', 'server.properties');
    await at.field('New path').fill('/moved.properties');
    await at.inDialog('Rename or move').click();
    await at.see('server.properties is moved');
    await waitForValue(text(), 'mine\n');
    await at.button('Save').click();
    await eventually(async () => expect(contentOf('/moved.properties')).to.equal('mine\n'));
  });

  it('are saved in their own encoding, while files with other bytes are read-only and pipes stay closed', async () => {
    const utf16 = (content: string) => Buffer.from(`\ufeff${content}`, 'utf16le');
    tree.write('/wide.ini', utf16('gr\u00fcn\r\n'), 0);
    tree.write('/latin.txt', Buffer.from('gr\u00fcn\n', 'latin1'), 0);
    tree.write('/empty', '', 0);
    tree.pipe('/pipe', 0);
    await open();
    await files().filter({ hasText: 'empty' }).getByText('0 B').waitFor();
    await files().filter({ hasText: 'pipe' }).getByText('pipe, device or socket').waitFor();
    expect(await at.link('pipe').count()).to.equal(0);
    await at.link('wide.ini').click();
    await save('blau\n');
    await eventually(async () => expect(tree.get('/wide.ini')?.content).to.deep.equal(utf16('blau\r\n')));
    await at.link('Files').last().click();
    await at.link('latin.txt').click();
    await at.see('Some bytes of this file are not UTF-8');
    expect(await text().count()).to.equal(0);
  });

  it('are all within reach of a button in a large directory', async () => {
    for (let number = 0; number < 1_100; number += 1) tree.write(`/many/${number}.txt`, '', 0);
    await open(`${address}?directory=%2Fmany`);
    await at.button('Show more files').click();
    await waitForCount(files(), 1_100);
    expect(await at.button('Show more files').count()).to.equal(0);
  });

  it('show the beginning or the end of a long log, which is read-only', async () => {
    tree.write('/latest.log', `first\n${'x'.repeat(99)}\n`.repeat(4000).concat('last\n'), Date.now());
    await open(addressOf('/latest.log'));
    const shown = at.page.getByRole('group', { name: '/latest.log' });
    await shown.waitFor();
    expect(await shown.textContent()).to.match(/^first\n/);
    await at.button('End').click();
    await eventually(async () => expect(await shown.textContent()).to.match(/\nlast\n$/));
    expect(await text().count()).to.equal(0);
  });

  it('fit a phone and a dark screen, are accessible, and survive a translation', async () => {
    await at.page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    await at.page.setViewportSize({ width: 360, height: 740 });
    await open(addressOf('/plugins/notes.txt'));
    await text().waitFor();
    await at.isFit();
    await translate(at.page);
    await text().fill('changed\n');
    await at.button('«Save»').click();
    await at.page.getByText('«Saved»', { exact: true }).waitFor();
    expect(contentOf('/plugins/notes.txt')).to.equal('changed\n');
    await at.link('plugins').or(at.link('«plugins»')).click();
    await at.button('Actions for notes.txt').waitFor();
  });
});
