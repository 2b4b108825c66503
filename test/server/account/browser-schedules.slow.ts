/** The schedules of a server on the account page, in a browser. */
import { expect } from 'chai';
import {
  consoleErrorOf,
  signInWithoutForm,
  useAccountPage,
  waitForTexts,
  waitForValue,
} from '../../support/account-page.ts';
import { eventually } from '../../support/eventually.ts';
import { panelSchedule, panelServer, panelTask } from '../../support/panel/attributes.ts';
import { startTestService } from '../../support/service.ts';

const id = 'a1b2c3d4';
const address = `/account/servers/${id}/schedules`;

const withoutBackups = panelServer({
  identifier: id,
  name: 'Survival',
  feature_limits: { databases: 0, allocations: 0, backups: 0 },
});

describe("a server's schedules on the account page", () => {
  // On a busy machine, a page may take longer to appear than a panel may take to answer.
  const patient = { readTimeoutMs: 60_000, readTotalMs: 60_000 };
  const at = useAccountPage(() => startTestService({ panel: patient }));
  const item = (name = 'Nightly backup') =>
    at.entries('Schedules of Survival').filter({ hasText: name }).first();
  const stored = () => at.service.panel.schedules.get(id) ?? [];
  const task = (number: number) => at.dialog().getByRole('group', { name: `Task ${number}`, exact: true });
  const inTask = (number: number, label: string) => task(number).getByLabel(label, { exact: true });

  beforeEach(async () => {
    at.user = await at.service.addUser({ panelUserId: 7 });
    keep();
    at.service.panel.servers.set(7, [panelServer({ identifier: id, name: 'Survival' })]);
    at.service.panel.runStates.set(id, 'running');
    at.service.panel.forget();
  });

  function keep(...schedules: ReturnType<typeof panelSchedule>[]): void {
    at.service.panel.schedules.set(id, schedules);
    at.service.clock.advance(60_000); // past all caches
  }

  async function open(): Promise<void> {
    await at.arrive(address);
    await at.button('Create schedule for Survival').waitFor();
  }

  it("set up a nightly backup in three clicks on the server's page", async () => {
    await at.arrive(`/account/servers/${id}`);
    await at.link('Schedules').click();
    await at.button('Create nightly backup').click();
    await at.inDialog('Create schedule').click();
    await item().getByText("Every day at 04:30 by the panel's clock").waitFor();
    await waitForTexts(item().getByRole('listitem'), ['Create a backup']);
    const [schedule] = stored();
    expect(schedule).to.deep.include({
      name: 'Nightly backup',
      cron: { minute: '30', hour: '4', day_of_month: '*', month: '*', day_of_week: '*' },
      is_active: true,
      only_when_online: false,
    });
    expect(schedule?.tasks.map(({ action, payload }) => [action, payload])).to.deep.equal([['backup', '']]);
    await at.hasFocus(at.heading('Survival'));
  });

  it('describe their times in plain words, and show the cron fields where there are none', async () => {
    const words = {
      '5 * * * *': 'Every hour at minute 5',
      '0 06 * * *': 'Every day at 06:00',
      '0 18 * * 0': 'Every Sunday at 18:00',
      '30 23 1 * *': 'Every month on the 1st at 23:30',
      '30 23 12 * *': 'Every month on the 12th at 23:30',
      '30 23 23 * *': 'Every month on the 23rd at 23:30',
      '*/5 * * * *': 'At */5 * * * *',
      '0 4 1 * 1': 'At 0 4 1 * 1',
      '0 4 * 12 *': 'At 0 4 * 12 *',
    };
    keep(
      ...Object.keys(words).map((text, id) => {
        const [minute, hour, day_of_month, month, day_of_week] = text.split(' ');
        return panelSchedule({ id, cron: { minute, hour, day_of_month, month, day_of_week } });
      }),
    );
    await open();
    const said = at.page.getByText(/ by the panel's clock$/);
    await waitForTexts(
      said,
      Object.values(words).map((text) => `${text} by the panel's clock`),
    );
  });

  it("show the next run in the reader's time zone", async () => {
    keep(panelSchedule());
    const visitor = await at.browser.newVisitor(at.service.url, { timezoneId: 'Asia/Tokyo' });
    await signInWithoutForm(visitor, at.user);
    const page = await visitor.openTab(address);
    await page.getByText(/^\d+ \w+ \d+, 13:30, in /).waitFor();
    await page.getByRole('button', { name: 'Create schedule' }).click();
    await page
      .getByText("Times are in the panel's time zone, which can differ from yours (Asia/Tokyo).")
      .waitFor();
  });

  it('fill in editable cron fields from plain times', async () => {
    await open();
    await at.button('Create schedule for Survival').click();
    const cron = at.field('Cron fields');
    await waitForValue(cron, '30 4 * * *');
    await at.field('At').fill('23:05');
    await waitForValue(cron, '5 23 * * *');
    await at.field('When').selectOption('Every week');
    await at.field('On').selectOption('Sunday');
    await waitForValue(cron, '5 23 * * 0');
    await at.field('When').selectOption('Every month');
    await at.field('On day').selectOption('31');
    await waitForValue(cron, '5 23 31 * *');
    await at.field('When').selectOption('Every hour');
    await at.field('At minute').selectOption('15');
    await waitForValue(cron, '15 * * * *');
    await cron.fill('0  */6 * * MON-FRI');
    await waitForValue(at.field('When'), 'own');
    await at.field('Name').fill('Four times a day');
    await at.inDialog('Create schedule').click();
    await item('Four times a day').getByText("At 0 */6 * * MON-FRI by the panel's clock").waitFor();
  });

  it('show errors at the cron fields', async () => {
    at.expected = [consoleErrorOf(400, 'Bad Request'), consoleErrorOf(400, 'Bad Request')];
    await open();
    await at.button('Create nightly backup').click();
    for (const [cron, said] of [
      ['30 4 * *', 'must be five fields'],
      ['99 4 * * *', 'an expression that the panel accepts'],
    ] as const) {
      await at.field('Cron fields').fill(cron);
      await at.inDialog('Create schedule').click();
      await at.hasFocus(at.field('Cron fields'));
      await at.dialog().locator('.note.is-danger').filter({ hasText: said }).waitFor();
    }
    expect(stored()).to.deep.equal([]);
  });

  it('let the keyboard alone add, move, remove and change tasks in order', async () => {
    await open();
    await at.button('Create schedule for Survival').press('Enter');
    await at.hasFocus(at.field('Name'));
    await at.page.keyboard.type('Every evening');
    await at.inDialog('Add a task').press('Enter');
    await inTask(2, 'Action').selectOption('Send a command');
    await inTask(2, 'Command').fill('say Good night');
    await at.inDialog('Add a task').press('Enter');
    await inTask(3, 'Action').selectOption('Restart the server');
    await inTask(3, 'Wait first, in seconds').fill('60');
    await inTask(3, 'Continue with the next task if this one fails').press('Space');
    await at.inDialog('Move up task 3').press('Enter');
    await at.hasFocus(at.inDialog('Move up task 2'));
    await at.page.keyboard.press('Enter');
    await at.hasFocus(inTask(1, 'Action'));
    await at.inDialog('Remove task 2').press('Enter');
    await at.hasFocus(at.inDialog('Add a task'));
    await at.field('Only while the server runs').press('Space');
    await at.inDialog('Create schedule').press('Enter');
    const restart = 'Restart the server, after 60 s';
    const tasks = item('Every evening').getByRole('listitem');
    await waitForTexts(tasks, [restart, 'Send a command: say Good night']);
    await item('Every evening').getByText('only while the server runs').waitFor();
    await at.button('Edit Every evening').press('Enter');
    await waitForValue(inTask(2, 'Command'), 'say Good night');
    expect(await inTask(1, 'Continue with the next task if this one fails').isChecked()).to.equal(true);
    await inTask(2, 'Action').selectOption('Create a backup');
    await inTask(2, 'Files to leave out').fill('*.log');
    await at.inDialog('Save').press('Enter');
    await waitForTexts(tasks, [restart, 'Create a backup']);
    const [schedule] = stored();
    expect(schedule).to.include({ only_when_online: true, is_active: true });
    const [first, second] = schedule?.tasks ?? [];
    expect(first).to.include({ payload: 'restart', time_offset: 60, continue_on_failure: true });
    expect(second).to.include({ action: 'backup', payload: '*.log', continue_on_failure: false });
  });

  it('show errors at the field of a task', async () => {
    at.expected = [consoleErrorOf(400, 'Bad Request')];
    await open();
    await at.button('Create nightly backup').click();
    await inTask(1, 'Wait first, in seconds').fill('901');
    await at.inDialog('Create schedule').click();
    await task(1).getByText('“Wait first, in seconds” must be').waitFor();
    await at.hasFocus(inTask(1, 'Wait first, in seconds'));
    await inTask(1, 'Action').selectOption('Send a command');
    await at.inDialog('Create schedule').click();
    await task(1).getByText('Type a command.').waitFor();
  });

  it('can be switched on and off, run at once and deleted', async () => {
    keep(panelSchedule());
    await open();
    await at.button('Turn off Nightly backup').click();
    await item().getByText('Off', { exact: true }).waitFor();
    expect(stored()[0]).to.deep.include({ is_active: false, cron: panelSchedule().cron });
    await at.button('Turn on Nightly backup').click();
    await item().getByText('On', { exact: true }).waitFor();
    await at.button('Run now Nightly backup').click();
    await at.inDialog('Run now').click();
    await at.see('is running');
    await eventually(async () => expect(at.service.panel.backups.get(id)).to.have.length(1));
    await at.button('Delete Nightly backup').click();
    await at.inDialog('Delete schedule').click();
    await at.heading('No schedules yet').waitFor();
    expect(stored()).to.deep.equal([]);
  });

  it('hold at most ten tasks: then no button adds another, and the focus moves to the last one', async () => {
    await open();
    await at.button('Create schedule for Survival').click();
    for (let number = 2; number <= 10; number++) {
      await at.inDialog('Add a task').press('Enter');
      await task(number).waitFor();
    }
    await at.hasFocus(inTask(10, 'Action'));
    await at.inDialog('Add a task').waitFor({ state: 'detached' });
    await at.inDialog('Remove task 10').press('Enter');
    await at.hasFocus(at.inDialog('Add a task'));
  });

  it('with an unsupported task are shown, and can be switched and deleted', async () => {
    keep(panelSchedule({ tasks: [panelTask({ action: 'power', payload: 'kill' })] }));
    await open();
    await waitForTexts(item().getByRole('listitem'), ['Send the signal kill']);
    await item().getByText('One of its tasks').waitFor();
    await waitForTexts(item().getByRole('button'), ['Turn off', 'Delete']);
    await at.button('Turn off Nightly backup').click();
    await item().getByText('Off', { exact: true }).waitFor();
    expect(stored()[0]?.tasks.map(({ payload }) => payload)).to.deep.equal(['kill']);
  });

  it('say how to free one whose run never ended, and which backups a run deletes', async () => {
    const yesterday = new Date(Date.now() - 86_400_000).toISOString();
    keep(panelSchedule({ is_processing: true, next_run_at: yesterday }));
    await open();
    await item().getByText('Turn it off and on again to fix this').waitFor();
    const rotation = 'each run deletes the oldest one that is not locked';
    await at.button('Run now Nightly backup').click();
    await at.dialog().getByText(rotation).waitFor();
    await at.inDialog('Cancel').click();
    await at.button('Edit Nightly backup').click();
    await task(1).getByText(rotation).waitFor();
  });

  it('are found at their old address', async () => {
    await at.arrive(`/account/servers/${id}/timetables`);
    await at.heading('No schedules yet').waitFor();
    expect(new URL(at.page.url()).pathname).to.equal(address);
  });

  it('say that the server is not allowed any backups', async () => {
    at.expected = [consoleErrorOf(400, 'Bad Request')];
    at.service.panel.servers.set(7, [withoutBackups]);
    await open();
    await at.button('Create nightly backup').click();
    await at.inDialog('Create schedule').click();
    await at.dialog().locator('.notice.is-danger:focus').getByText('is not allowed any backups').waitFor();
  });

  it('explain why a change failed, and show that it left them switched off', async () => {
    at.expected = [consoleErrorOf(400, 'Bad Request')];
    keep(panelSchedule());
    await open();
    await at.button('Edit Nightly backup').click();
    await inTask(1, 'Files to leave out').fill('*.log');
    // The service still has the previous state of the server.
    at.service.panel.servers.set(7, [withoutBackups]);
    await at.inDialog('Save').click();
    await at.dialog().locator('.notice.is-danger:focus').getByText('left switched off').waitFor();
    await at.inDialog('Cancel').click();
    await item().getByText('Off', { exact: true }).waitFor();
    expect(stored()[0]).to.include({ is_active: false });
  });

  it('fit a narrow dark screen with all that a form can show', async () => {
    keep(panelSchedule({ name: 'x'.repeat(191) }));
    await at.page.setViewportSize({ width: 360, height: 740 });
    await at.page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    await open();
    await at.isFit();
    await at.button('Create schedule for Survival').click();
    await at.field('When').selectOption('Every month');
    await at.inDialog('Add a task').click();
    await inTask(2, 'Action').selectOption('Send a command');
    await at.isFit();
  });
});
