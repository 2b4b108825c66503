/** How a server starts on the account page, in a browser: its form, what waits for a restart, and reinstallation. */
import { expect } from 'chai';
import { consoleErrorOf, useAccountPage, waitForTexts, waitForValue } from '../../support/account-page.ts';
import { eventually } from '../../support/eventually.ts';
import { createKeyboard } from '../../support/keyboard.ts';
import { panelBackup, panelServer, panelVariable } from '../../support/panel/attributes.ts';
import { resetPanel } from '../../support/server-owner.ts';
import { startTestService } from '../../support/service.ts';

const id = 'a1b2c3d4';
const address = `/account/servers/${id}/startup`;
const images = { 'Java 17': 'ghcr.io/images/java:17', 'Java 21': 'ghcr.io/images/java:21' };

const variable = (name: string, rules: string, server_value: string) =>
  panelVariable({
    ...{ name, rules, server_value, description: `About ${name}.` },
    env_variable: name.toUpperCase().replaceAll(' ', '_'),
  });

const variables = () => [
  variable('Version', 'required|string|max:20', '1.21.4'),
  variable('Difficulty', 'required|in:peaceful,easy,hard', 'easy'),
  variable('Whitelist', 'required|boolean', '1'),
  variable('Slots', 'required|integer|between:1,200', '20'),
  variable('Decay', 'required|numeric|min:0', '0.5'),
  variable('Join password', 'nullable|string', 'variable-secret'),
  { ...variable('Software', 'required|string', 'vanilla'), is_editable: false },
];

describe("a server's startup on the account page", () => {
  // On a busy machine, a page may take longer to appear than a panel may take to answer.
  const patient = { readTimeoutMs: 60_000, readTotalMs: 60_000, progressTtlMs: 200 };
  const at = useAccountPage(() => startTestService({ panel: patient }));
  const keyboard = createKeyboard(at);
  const field = (label: string) => at.page.getByLabel(label, { exact: true });
  const serverWith = (rest: object = {}) => panelServer({ identifier: id, name: 'Survival', ...rest });
  const sent = () =>
    at.service.panel.requests
      .filter(({ method, path }) => method === 'PUT' || path.endsWith('/reinstall'))
      .map(({ path, body }) => [path.split(`${id}/`)[1], body && JSON.parse(body)]);

  beforeEach(async () => {
    at.user = await at.service.addUser({ panelUserId: 7 });
    resetPanel(at.service, [serverWith()]);
    at.service.panel.startups.set(id, { variables: variables(), images });
  });

  async function open(): Promise<void> {
    await at.arrive(address);
    await at.button('Save').waitFor();
  }

  it('shows the command, and a field for each variable that follows from its kind', async () => {
    await open();
    await at.page.getByRole('group', { name: 'command' }).getByText('java -jar').waitFor();
    expect(await field('Version').getAttribute('maxlength')).to.equal('20');
    await waitForTexts(field('Difficulty').getByRole('option'), ['peaceful', 'easy', 'hard']);
    await waitForValue(field('Difficulty'), 'easy');
    expect(await field('Whitelist').isChecked()).to.equal(true);
    const slots = at.page.getByRole('spinbutton', { name: 'Slots', description: 'About Slots.' });
    expect([await slots.getAttribute('min'), await slots.getAttribute('max')]).to.deep.equal(['1', '200']);
    expect(await field('Decay').getAttribute('step')).to.equal('any');
    await waitForTexts(field('Image').getByRole('option'), ['Java 17', 'Java 21']);
    expect(await field('Software').isDisabled()).to.equal(true);
    await at.see('Only your host can change this.');
    await at.isFit();
  });

  it('hides a password until the user shows it, in the command too', async () => {
    const container = { startup_command: './game --password {{JOIN_PASSWORD}}', image: images['Java 17'] };
    resetPanel(at.service, [serverWith({ container })]);
    at.service.panel.startups.set(id, { variables: variables(), images });
    await open();
    await at.page.getByText('./game --password ••••', { exact: true }).waitFor();
    expect(await field('Join password').getAttribute('type')).to.equal('password');
    await at.button('Show value of Join password').click();
    expect(await field('Join password').getAttribute('type')).to.equal('text');
    await waitForValue(field('Join password'), 'variable-secret');
  });

  it('sends only what the user changed, by keyboard alone', async () => {
    await open();
    await keyboard.tabTo(field('Image'));
    await at.page.keyboard.press('ArrowDown');
    await keyboard.write(field('Version'), 'latest');
    await keyboard.press(field('Whitelist'), 'Space');
    await keyboard.press(at.button('Save'));
    await at.see('Saved. It takes effect at the next start.');
    await keyboard.hasFocus(at.button('Save'));
    expect(sent()).to.have.deep.members([
      ['startup/variable', { key: 'VERSION', value: 'latest' }],
      ['startup/variable', { key: 'WHITELIST', value: '0' }],
      ['settings/docker-image', { docker_image: images['Java 21'] }],
    ]);
    await waitForValue(field('Version'), 'latest');
    await keyboard.press(at.button('Save'));
    await at.see('Nothing has changed.');
    expect(sent()).to.have.length(3);
  });

  it('shows what the panel refuses, and numbers out of bounds, at their fields', async () => {
    at.expected = [consoleErrorOf(400, 'Bad Request')];
    await open();
    await field('Slots').fill('0');
    await at.button('Save').click();
    await at.see('Enter a whole number of at least 1 and at most 200.');
    await at.hasFocus(field('Slots'));
    expect(sent()).to.deep.equal([]);
    await field('Slots').fill('30');
    await field('Decay').fill('');
    await field('Decay').pressSequentially('-');
    await at.button('Save').click();
    await at.see('Enter a number of at least 0.');
    await field('Decay').fill('0.5');
    at.service.panel.respondAbout('/startup/variable', {
      status: 422,
      body: { errors: [{ code: 'ValidationException', status: '422', detail: 'The value is invalid.' }] },
    });
    await at.button('Save').click();
    await at.page.locator('.note.is-danger').getByText('“Slots” must have a value').waitFor();
    await at.hasFocus(field('Slots'));
    at.service.panel.recover();
    await at.button('Save').click();
    await at.see('Saved.');
  });

  it('says that the host set the image', async () => {
    const container = { startup_command: './game', image: 'ghcr.io/host/own:1' };
    resetPanel(at.service, [serverWith({ container })]);
    await open();
    await waitForValue(field('Image'), 'ghcr.io/host/own:1');
    expect(await field('Image').isDisabled()).to.equal(true);
  });

  it('names what waits for a restart, even after a reload, until the server has started again', async () => {
    await open();
    await field('Slots').fill('30');
    await at.button('Save').click();
    const note = at.page.getByRole('status').filter({ hasText: 'not in effect yet: Slots' });
    await note.waitFor();
    await at.page.reload();
    await note.getByRole('button', { name: 'Restart server' }).click();
    await at.inDialog('Restart server').click();
    await at.see('is restarting');
    expect(at.service.panel.signals).to.deep.equal([`${id} restart`]);
    const resources = { memory_bytes: 0, cpu_absolute: 0, disk_bytes: 0, uptime: 1000 };
    const network = { network_rx_bytes: 0, network_tx_bytes: 0 };
    at.service.clock.advance(60_000);
    at.service.panel.respondAbout('/resources', {
      status: 200,
      body: { attributes: { current_state: 'running', resources: { ...resources, ...network } } },
    });
    await note.waitFor({ state: 'detached' });
    await field('Slots').fill('40');
  });

  it('needs no restart while the server is off', async () => {
    at.service.panel.runStates.set(id, 'offline');
    await open();
    await at.page.getByText('offline', { exact: true }).waitFor();
    await field('Slots').fill('30');
    await at.button('Save').click();
    await at.see('Saved. It takes effect at the next start.');
    expect(await at.button('Restart server').count()).to.equal(0);
  });

  async function openReinstallation(): Promise<void> {
    await open();
    await at.button('Reinstall server Survival').click();
    await at.inDialog('Reinstall server').waitFor();
  }

  const option = (name: string | RegExp) => at.dialog().getByRole('radio', { name });

  async function endBackup(is_successful: boolean): Promise<string> {
    const backup = await eventually(async () => {
      const [made] = at.service.panel.backups.get(id) ?? [];
      expect(made).to.include({ completed_at: null });
      return made;
    });
    await at.dialog().getByText('Making a backup.').waitFor();
    await at.isFit();
    Object.assign(backup ?? {}, { completed_at: '2026-05-01T12:01:00+00:00', is_successful });
    return backup?.uuid ?? '';
  }

  it('reinstalls the server when the backup that it makes first has ended', async () => {
    await openReinstallation();
    await at.dialog().getByText('The server stops').waitFor();
    expect(await option('Make a backup first').isChecked()).to.equal(true);
    await at.inDialog('Reinstall server').click();
    await endBackup(true);
    await at.see('is being reinstalled');
    await at.heading('The server is being installed').waitFor();
    expect(sent()).to.deep.equal([['settings/reinstall', {}]]);
    await at.hasFocus(at.heading('Survival'));
  });

  it('reinstalls nothing if the backup fails, or the user closes the dialog before its end', async () => {
    await openReinstallation();
    await at.inDialog('Reinstall server').click();
    await endBackup(false);
    await at.dialog().locator('.notice.is-danger:focus').getByText('The backup failed').waitFor();
    at.service.panel.backups.clear();
    await at.inDialog('Reinstall server').click();
    await eventually(async () => expect(at.service.panel.backups.get(id)).to.have.length(1));
    await at.inDialog('Cancel').click();
    await at.hasFocus(at.button('Reinstall server Survival'));
    expect(sent()).to.deep.equal([]);
  });

  it('offers the last backup of the day, and reinstalls without one only if the user says so', async () => {
    const created_at = new Date().toISOString();
    at.service.panel.backups.set(id, [panelBackup({ name: 'Old' }), panelBackup({ uuid: 'b', created_at })]);
    await openReinstallation();
    await at.dialog().getByText('This server has reached its limit of backups (2).').waitFor();
    expect(await option(/^Use the backup “Before the update” of/).isChecked()).to.equal(true);
    await waitForTexts(at.dialog().getByRole('radio'), ['', '']);
    await option('Without a backup').check();
    await at.inDialog('Reinstall server').click();
    await at.heading('The server is being installed').waitFor();
    expect(sent()).to.deep.equal([['settings/reinstall', {}]]);
  });

  it('says that the server is not allowed any backups', async () => {
    resetPanel(at.service, [serverWith({ feature_limits: { databases: 0, allocations: 0, backups: 0 } })]);
    await openReinstallation();
    await at.dialog().getByText('This server is not allowed any backups.').waitFor();
    expect(await option('Without a backup').isChecked()).to.equal(true);
  });

  it('fits a narrow dark screen', async () => {
    await at.page.setViewportSize({ width: 360, height: 740 });
    await at.page.emulateMedia({ colorScheme: 'dark' });
    const long = { ...variable('x'.repeat(190), 'string', 'y'.repeat(500)), description: 'z'.repeat(500) };
    at.service.panel.startups.set(id, { variables: [...variables(), long], images });
    await open();
    await at.isFit();
    await at.button('Reinstall server Survival').click();
    await at.inDialog('Reinstall server').waitFor();
    await at.isFit();
  });
});
