/** The table of panel calls per operation in server/panel/README.md is correct and complete. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { panelBackup, panelSchedule, panelServer } from '../../support/panel/attributes.ts';
import { sampleInputOf } from '../../support/sample-inputs.ts';
import { apiOperations as operations, restRequestOf } from '../../support/samples.ts';
import { resetPanel } from '../../support/server-owner.ts';
import { useOwner } from '../../support/use-key.ts';

const servers = [1, 2, 3].map((id) => panelServer({ id, identifier: `server0${id}`, uuid: `server0${id}` }));
const backups = Array.from({ length: 120 }, (_, index) => panelBackup({ uuid: `backup-${index}` }));
const bodies: Record<string, object> = {
  power: { signal: 'restart' },
  command: { command: 'list' },
  backups: { name: 'Before' },
};

/** The customer has three servers, the first of which has 120 backups. */
const countOf = (words: string) =>
  words
    .split(', ')
    .map((part) => Number.parseInt(part, 10) * (/per server/.test(part) ? 3 : /per 50/.test(part) ? 3 : 1))
    .reduce((sum, count) => sum + count, 0);

const readme = readFileSync(new URL('../../../server/panel/README.md', import.meta.url), 'utf8');
const table = [...readme.matchAll(/^\| `([A-Z]+) (\/\S+)` +\| (\d) +\| (\d[^|]*?) +\|$/gm)].map(
  ([, method = '', path = '', application = '', client = '']) => ({ method, path, application, client }),
);

function requestOf(method: string, path: string) {
  const row = operations.find((operation) => operation.method === method && operation.path === path);
  if (row && /\/(files|schedules|startup|reinstall)/.test(path)) {
    const sample = restRequestOf(row, { ...sampleInputOf(row), server_identifier: 'server01' });
    return { filled: sample.path.replace('&tail=1', ''), body: { body: sample.body } };
  }
  const filled = path
    .replace('{server_identifier}', 'server01')
    .replace('{backup_uuid}', 'backup-7')
    .replace('{external_id}', '~1'); // the owner, who is the first user
  return { filled, body: method === 'POST' ? { body: bodies[path.split('/').at(-1) ?? ''] ?? {} } : {} };
}

describe('calls to the panel', () => {
  const service = useOwner({ rateLimitPerMinute: 10_000 });
  let adminKey = '';
  before(async () => {
    adminKey = (await service.addKey({ user: await service.addUser({ isAdmin: true }) })).secret;
  });
  beforeEach(() => {
    resetPanel(service, servers);
    service.panel.backups.set('server01', backups);
    service.panel.schedules.set('server01', [panelSchedule()]);
    service.panel.files.clear();
  });

  it('are listed in the README for every operation that needs the panel', () => {
    const listed = table.map(({ method, path }) => `${method} ${path}`);
    const expected = operations.filter(({ slot }) => /panel/i.test(slot));
    expect(listed).to.have.members(expected.map(({ method, path }) => `${method} ${path}`));
  });

  for (const { method, path, application, client } of table)
    it(`are ${application} to the application API and, to the client API, ${client}: ${method} ${path}`, async () => {
      const { filled, body } = requestOf(method, path);
      service.panel.servers.set(
        7,
        servers.map((server) => ({ ...server, feature_limits: { ...server.feature_limits, backups: 200 } })),
      );
      if (path.endsWith('/restore')) service.panel.runStates.set('server01', 'offline');
      const { status } = await service.call(method, filled, {
        key: path.startsWith('/admin') ? adminKey : service.key,
        ...body,
      });
      expect(status).to.be.within(200, 202);
      const counted = (api: string) =>
        service.panel.requests.filter((request) => request.path.startsWith(`/api/${api}/`)).length;
      expect([counted('application'), counted('client')]).to.deep.equal([
        Number(application),
        countOf(client),
      ]);
    });
});
