/** Many concurrent writers of one server's schedules, over two services on one database and one panel: they write one after another. */
import { expect } from 'chai';
import { panelSchedule, panelServer } from '../support/panel/attributes.ts';
import { resetPanel, startBeside } from '../support/server-owner.ts';
import type { TestService } from '../support/service.ts';
import { useOwner } from '../support/use-key.ts';

const id = 'a1b2c3d4';
const path = `/servers/${id}/schedules`;

describe("concurrent writers of one server's schedules", () => {
  const one = useOwner({ rateLimitPerMinute: 1_000_000 });
  let other: TestService;

  before(async () => {
    other = await startBeside(one);
  });
  after(() => other.leave());
  beforeEach(() => resetPanel(one, [panelServer({ identifier: id })]));

  const stored = () => one.panel.schedules.get(id) ?? [];
  const bodyOf = (writer: number) => ({
    ...{ name: `writer ${writer}`, cron: `${writer} 4 * * *` },
    tasks: Array.from({ length: 3 }, (_, task) => ({ action: 'command', command: `${writer} ${task}` })),
  });
  const writeAtOnce = (writers: number, method: string, rest = '') =>
    Promise.all(
      Array.from({ length: writers }, (_, writer) =>
        (writer % 2 === 0 ? one : other).call(method, path + rest, { key: one.key, body: bodyOf(writer) }),
      ),
    );

  it("leave the last writer's version complete", async () => {
    one.panel.schedules.set(id, [panelSchedule()]);
    const answers = await writeAtOnce(4, 'PUT', '/1');
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
    const [left] = stored();
    const writer = Number(left?.name.split(' ')[1]);
    expect(left?.is_active).to.equal(true);
    expect(left?.cron.minute).to.equal(String(writer));
    expect(left?.tasks.map(({ payload }) => payload)).to.deep.equal(
      [0, 1, 2].map((task) => `${writer} ${task}`),
    );
  });

  it('create the 25th schedule once and otherwise get 400', async () => {
    one.panel.schedules.set(
      id,
      Array.from({ length: 24 }, (_, index) => panelSchedule({ id: index + 1 })),
    );
    const answers = await writeAtOnce(6, 'POST');
    expect(answers.map(({ status }) => status).toSorted()).to.deep.equal([201, 400, 400, 400, 400, 400]);
    expect(stored()).to.have.lengthOf(25);
  });

  it('get 409 with the time to wait if their turn does not come', async () => {
    one.panel.schedules.set(id, [panelSchedule()]);
    const lease = await one.models.fileLeases.take(panelServer({ identifier: id }).uuid, 'schedules');
    const { status, body, headers } = await one.call('PUT', `${path}/1`, { key: one.key, body: bodyOf(1) });
    expect([status, body.error]).to.deep.equal([
      409,
      { code: 'conflict', message: "Another write of the server's schedules is in progress; try again" },
    ]);
    expect(headers.get('Retry-After')).to.equal('1');
    await lease?.release();
  });
});
