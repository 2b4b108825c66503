/** Customers shut out of a server by its host cannot see or change it: neither files nor console, on either panel. */
import { expect } from 'chai';
import { expectError } from '../support/expect-error.ts';
import { panelServer } from '../support/panel/attributes.ts';
import { resetPanel } from '../support/server-owner.ts';
import { useOwner } from '../support/use-key.ts';

const id = 'a1b2c3d4';

const conditions: [what: string, event: string, attributes: object, panelConditions: object][] = [
  ['is suspended', 'The server is suspended', { status: 'suspended', suspended: true }, {}],
  ['is being installed', 'The server has not finished its installation', { status: 'installing' }, {}],
  ['failed to install', 'The installation of the server has failed', { status: 'install_failed' }, {}],
  ['failed to reinstall', 'The installation of the server has failed', { status: 'reinstall_failed' }, {}],
  ['is being restored', 'The server is being restored from a backup', { status: 'restoring_backup' }, {}],
  ['is being moved', 'The server is being moved to another machine', {}, { transferring: new Set([id]) }],
  [
    'is on a node in maintenance',
    'The machine that hosts the server is under maintenance',
    {},
    { maintainedNodes: new Set([1]) },
  ],
];

const calls: [method: string, rest: string, body?: object][] = [
  ['GET', '/files?directory=/'],
  ['GET', '/files/content?file=/server.properties'],
  ['GET', '/files/content?file=/server.properties&tail=5'],
  ['GET', '/files/download?file=/server.properties'],
  ['PUT', '/files/content', { file: '/a.txt', content: 'a' }],
  ['POST', '/files/move', { from: '/server.properties', to: '/a.txt' }],
  ['POST', '/files/delete', { files: ['/server.properties'] }],
  ['POST', '/files/directory', { directory: '/a' }],
  ['POST', '/files/upload-link', { directory: '/plugins' }],
  ['GET', '/console'],
  ['POST', '/command', { command: 'list' }],
];

for (const dialect of ['pterodactyl', 'pelican'] as const)
  describe(`a customer shut out of a server on ${dialect}`, () => {
    const service = useOwner({ rateLimitPerMinute: 1_000_000, dialect });
    beforeEach(() => resetPanel(service, [panelServer({ identifier: id })]));
    afterEach(() => {
      service.panel.nodeScript.intercept = () => false;
    });

    const call = (method: string, rest: string, body?: object) =>
      service.call(method, `/servers/${id}${rest}`, { key: service.key, ...(body && { body }) });
    const reachNodes = () =>
      service.panel.requests.filter(({ path }) => /\/(files|command|websocket)\b/.test(path));

    for (const [what, event, attributes, panelConditions] of conditions)
      it(`learns from files, console and commands that the server ${what}, and no request reaches a node (502)`, async () => {
        service.panel.servers.set(7, [panelServer({ identifier: id, ...attributes })]);
        Object.assign(service.panel.conditions, panelConditions);
        service.panel.nodeScript.intercept = () => expect.fail('a node received a request');
        for (const [method, rest, body] of calls) {
          const answer = await call(method, rest, body);
          const noun = rest === '/command' ? 'command' : 'request';
          const message = `${event}, so the panel refused the ${noun}; a retry does not help until that has changed`;
          expectError(answer, 'upstream_error', message);
        }
        // Pterodactyl refuses what its list of servers does not show by itself, before it asks the node.
        if (dialect === 'pelican' || Object.keys(attributes).length > 0)
          expect(reachNodes()).to.deep.equal([]);
        const { resources } = (await call('GET', '/resources')).body;
        expect(resources).to.include({ state: 'unknown', reason: `${event}.` });
      });

    it('loses access within seconds, whatever was cached of the console (502)', async () => {
      service.panel.consoleLines.set(id, ['a line']);
      expect((await call('GET', '/console')).body.console.lines).to.deep.equal(['a line']);
      expect((await call('GET', '/files?directory=/')).status).to.equal(200);
      service.panel.servers.set(7, [panelServer({ identifier: id, suspended: true })]);
      service.clock.advance(5_000);
      service.panel.forget();
      for (const [method, rest, body] of calls) expect((await call(method, rest, body)).status).to.equal(502);
      expect(reachNodes()).to.deep.equal([]);
    });

    it('gets files and console back within seconds of being let in again (200)', async () => {
      service.panel.servers.set(7, [panelServer({ identifier: id, status: 'restoring_backup' })]);
      expect((await call('GET', '/files?directory=/')).status).to.equal(502);
      expect((await call('GET', '/console')).status).to.equal(502);
      service.panel.servers.set(7, [panelServer({ identifier: id })]);
      service.clock.advance(5_000);
      expect((await call('GET', '/files?directory=/')).status).to.equal(200);
      expect((await call('GET', '/console')).status).to.equal(200);
    });
  });
