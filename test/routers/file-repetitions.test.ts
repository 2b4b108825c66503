/** File changes whose process died before it stored the outcome, sent again under the same key. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { expectError } from '../support/expect-error.ts';
import { panelServer } from '../support/panel/attributes.ts';
import type { FileTree } from '../support/panel/file-tree.ts';
import { resetPanel } from '../support/server-owner.ts';
import { useOwner } from '../support/use-key.ts';

const id = 'a1b2c3d4';
const server = panelServer({ identifier: id });

for (const dialect of ['pterodactyl', 'pelican'] as const)
  describe(`retrying a file change on ${dialect}`, () => {
    const service = useOwner({ rateLimitPerMinute: 1_000_000, dialect });
    let files: FileTree;

    beforeEach(() => {
      resetPanel(service, [server]);
      service.panel.files.clear();
      files = service.panel.filesOf(server);
    });

    type Change = readonly [method: string, rest: string, body: object];

    const call = ([method, rest, body]: Change, headers: Record<string, string>) =>
      service.call(method, `/servers/${id}/files${rest}`, { key: service.key, body, headers });

    const changesSent = () =>
      service.panel.requests.filter(({ method, path }) => method !== 'GET' && path.includes('/files/'));

    /** Sends it twice, as if the process died between the panel's answer and its own. */
    async function sendTwice(change: Change, between = () => {}) {
      const headers = { 'Idempotency-Key': randomUUID() };
      const first = await call(change, headers);
      await service.connection
        .collection('idempotency_records')
        .updateMany({}, { $set: { answer: null, leaseEndsAt: new Date(0) } });
      between();
      service.panel.forget();
      return { first, again: await call(change, headers) };
    }

    const done: Record<string, Change> = {
      'a new file': ['PUT', '/content', { file: '/a.yml', content: 'a', if_sha256: null }],
      'a move': ['POST', '/move', { from: '/server.properties', to: '/moved' }],
      'a deletion': ['POST', '/delete', { files: ['/server.properties', '/logs'] }],
      'a new directory': ['POST', '/directory', { directory: '/new' }],
    };
    for (const [what, change] of Object.entries(done))
      it(`repeats the first answer for ${what} without doing it again`, async () => {
        const { first, again } = await sendTwice(change);
        expect(first.status).to.be.within(200, 201);
        expect([again.status, again.body]).to.deep.equal([first.status, first.body]);
        expect(changesSent()).to.deep.equal([]);
      });

    it('completes a partial deletion and a write that was not done', async () => {
      const deletion = { files: ['/server.properties', '/logs'] };
      const restore = () => files.write('/logs/latest.log', 'x', 0);
      expect((await sendTwice(['POST', '/delete', deletion], restore)).again.body).to.deep.equal({
        deleted: true,
      });
      expect(files.get('/logs')).to.equal(undefined);
      const write = { file: '/b.yml', content: 'b' };
      const undo = () => files.delete('/b.yml');
      expect((await sendTwice(['PUT', '/content', write], undo)).again.status).to.equal(201);
      expect(String(files.get('/b.yml')?.content)).to.equal('b');
    });

    it('answers 404 or 409 when the change is not done and can no longer be', async () => {
      const move = { from: '/server.properties', to: '/moved' };
      const lost = await sendTwice(['POST', '/move', move], () => files.delete('/moved'));
      expectError(lost.again, 'not_found', 'File not found');
      const write = { file: '/c.yml', content: 'c', if_sha256: null };
      const { again } = await sendTwice(['PUT', '/content', write], () => files.write('/c.yml', 'other', 0));
      expectError(again, 'conflict', 'A file already exists at this path');
    });
  });
