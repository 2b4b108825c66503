/** Fetching a file from a URL: only content with the requested hash gets the file's name, on Pterodactyl and Pelican. */
import { hash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { refusal } from '../../server/panel/demo/answers.ts';
import { leasesOf, panelDefaults } from '../../server/panel/options.ts';
import { eventually } from '../support/eventually.ts';
import { expectError } from '../support/expect-error.ts';
import { content, file, id, old, pullExample, server, sha256, url } from '../support/fetched-file.ts';
import { panelServer } from '../support/panel/attributes.ts';
import type { FileTree } from '../support/panel/file-tree.ts';
import { resetPanel } from '../support/server-owner.ts';
import { useOwner } from '../support/use-key.ts';

const done = { after: Promise.resolve() };
/** A list, and a read that shows whether the host allows the file. */
const untilPull = [done, done];
/** A ZIP archive that consists of a header and its end only. */
const archive = Buffer.concat([Buffer.from('PK\x03\x04 a mod PK\x05\x06', 'latin1'), Buffer.alloc(18)]);
const wrong = (tree: FileTree, path: string) => {
  tree.write(path, 'something else', 0);
  return null;
};

function useFetches(dialect: 'pterodactyl' | 'pelican') {
  const panel = { pullWaitMs: 2_000, pullPausesMs: { first: 10, longest: 100 } };
  const service = useOwner({ rateLimitPerMinute: 1_000_000, dialect, panel });
  const files = () => service.panel.filesOf(server);
  /** Fills the caches: for the next five seconds panel calls concern files only. */
  const list = () => service.call('GET', `/servers/${id}/files`, { key: service.key });

  beforeEach(async () => {
    resetPanel(service, [server]);
    service.panel.nodeScript.pull = pullExample;
    service.panel.files.clear();
    await service.connection.collection('file_leases').deleteMany({});
    await list();
    service.panel.forget();
  });

  const asked = (call: string) => service.panel.requests.filter(({ path }) => path.includes(`files/${call}`));
  return {
    service,
    files,
    list,
    asked,
    fetchFile(body: object, headers: Record<string, string> = {}) {
      const request = { url, file, sha256, ...body };
      return service.call('POST', `/servers/${id}/files/fetch`, { key: service.key, body: request, headers });
    },
    pulls: () => asked('pull').map(({ body }) => JSON.parse(body)),
    textOf: (path: string) => files().get(path)?.content?.toString(),
    plugins: () =>
      files()
        .list('/plugins')
        .map(([name]) => name),
  };
}

for (const dialect of ['pterodactyl', 'pelican'] as const)
  describe(`fetching a file on ${dialect}`, () => {
    const { service, files, asked, fetchFile, pulls, textOf, plugins } = useFetches(dialect);
    const silent = () =>
      dialect === 'pelican' ? refusal(500, 'ConnectionException') : refusal(504, 'DaemonConnectionException');

    it('downloads it under another name and renames it once its hash matches (201)', async () => {
      service.panel.nodeScript.pull = (tree, path) => {
        expect(tree.get(file)).to.equal(undefined);
        return pullExample(tree, path);
      };
      const { status, body } = await fetchFile({ sha256: sha256.toUpperCase() });
      expect([status, body]).to.deep.equal([201, { file: { path: file, bytes: content.length, sha256 } }]);
      expect([textOf(file), plugins()]).to.deep.equal([content, ['RaidTimer.jar', 'New.jar']]);
      const [{ filename, ...pull }] = pulls();
      expect(pull).to.deep.equal({ url, directory: '/plugins', use_header: false, foreground: false });
      expect(filename).to.match(/^\.gamehost-\d+-[0-9a-f]{12}\.new$/);
    });

    it('leaves nothing of a download that the node refuses (502)', async () => {
      service.panel.nodeScript.pull = () => 500;
      const { status, body } = await fetchFile({});
      expect([status, body.error.code]).to.deep.equal([502, 'upstream_error']);
      expect(body.error.message).to.match(/^The machine that hosts the server could not fetch the file/);
      expect(plugins()).to.deep.equal(['RaidTimer.jar']);
    });

    it('keeps a file that the node finishes after the panel gave up (201)', async () => {
      let fresh = '';
      service.panel.nodeScript.pull = (_tree, path) => {
        fresh = path;
        return null;
      };
      service.panel.respondNext(...untilPull, { insteadOfDone: silent() });
      const fetching = fetchFile({});
      await eventually(async () => expect(asked('list')).to.have.length.above(2));
      files().write(fresh, content.slice(0, 5), 0);
      const looks = asked('list').length;
      await eventually(async () => expect(asked('list')).to.have.length.above(looks), 30_000);
      files().write(fresh, content, 0);
      expect((await fetching).status).to.equal(201);
      expect([textOf(file), plugins()]).to.deep.equal([content, ['RaidTimer.jar', 'New.jar']]);
    }).timeout(60_000);

    it('refuses an existing file, and a directory, link or pipe even with `replace`, without a download (409)', async () => {
      files().link('/link', 0);
      files().pipe('/pipe', 0);
      for (const [path, replace, word] of [
        [old, false, 'file'],
        ['/plugins', true, 'directory'],
        ['/link', true, 'link'],
        ['/pipe', true, 'pipe, device or socket'],
      ])
        expectError(
          await fetchFile({ file: path, replace }),
          'conflict',
          `A ${word} already exists at this path`,
        );
      const below = await fetchFile({ file: '/server.properties/x' });
      expectError(below, 'bad_request', 'The path leads through a file');
      expect(pulls()).to.deep.equal([]);
    });

    it('keeps a file that appears at the path meanwhile (409)', async () => {
      service.panel.nodeScript.pull = (tree, path) => {
        tree.write(file, 'of the owner', 0);
        return pullExample(tree, path);
      };
      expectError(await fetchFile({}), 'conflict', 'A file already exists at this path');
      expect([textOf(file), plugins()]).to.deep.equal(['of the owner', ['RaidTimer.jar', 'New.jar']]);
    });

    it('refuses a file on the denylist before the download and leaves nothing undeletable (400)', async () => {
      service.panel.conditions.hasNewerNodes = true;
      files().denied = /^\/plugins\//;
      for (const path of [file, old])
        expectError(
          await fetchFile({ file: path, replace: true }),
          'bad_request',
          'The host does not allow this file to be changed',
        );
      expect([pulls(), textOf(old), plugins()]).to.deep.equal([[], 'a plugin', ['RaidTimer.jar']]);
    });

    it('gives the reason for a suspended or busy server before asking its node (502)', async () => {
      for (const [state, reason] of [
        [{ suspended: true }, 'The server is suspended'],
        [{ status: 'installing' }, 'The server has not finished its installation'],
        [{ status: 'restoring_backup' }, 'The server is being restored from a backup'],
      ] as const) {
        resetPanel(service, [panelServer({ identifier: id, ...state })]);
        const { status, body } = await fetchFile({});
        expect([status, body.error.message]).to.deep.equal([
          502,
          `${reason}, so the panel refused the request; a retry does not help until that has changed`,
        ]);
      }
      expect(asked('')).to.deep.equal([]);
    });

    if (dialect === 'pelican')
      it("lists the possible causes of a node's refusal, because the panel passes on no reason (502)", async () => {
        const message =
          'The machine that hosts the server could not fetch the file: its disk may be full, or three downloads to the server may be in progress';
        service.panel.conditions.pulls.set(id, 3);
        expectError(await fetchFile({}), 'upstream_error', message);
        service.panel.conditions.pulls.clear();
        service.panel.conditions.fullDisks.add(id);
        expectError(await fetchFile({}), 'upstream_error', message);
        expect(plugins()).to.deep.equal(['RaidTimer.jar']);
      });

    if (dialect === 'pterodactyl') {
      it('warns that a download may never end while three to the server are in progress (429)', async () => {
        service.panel.conditions.pulls.set(id, 3);
        const refused = await fetchFile({});
        const message =
          'Three downloads to this server are in progress, the maximum. A download whose source never ends continues until the source closes the connection';
        expectError(refused, 'rate_limited', message);
        expect(refused.headers.get('Retry-After')).to.equal('600');
      });

      it("refuses when the server's disk is full (400)", async () => {
        service.panel.conditions.fullDisks.add(id);
        expectError(await fetchFile({}), 'bad_request', "The server's disk is full");
      });
    }
  });

describe('fetching a file', () => {
  const { service, files, list, asked, fetchFile, pulls, textOf, plugins } = useFetches('pterodactyl');

  it('accepts a SHA-512, the root, a new directory and a host in any case (201)', async () => {
    const sha512 = hash('sha512', content, 'hex');
    const address = 'https://CDN.Modrinth.com/a@b/c%20d.jar?v=1';
    for (const path of ['/new.jar', '/mods/new.jar']) {
      const { status, body } = await fetchFile({ url: address, file: path, sha256: undefined, sha512 });
      expect([status, body.file]).to.deep.equal([201, { path, bytes: content.length, sha256 }]);
      expect(textOf(path)).to.equal(content);
    }
    expect(pulls().map((pull) => [pull.url, pull.directory])).to.deep.equal([
      [address, '/'],
      [address, '/mods'],
    ]);
  });

  it('replaces another file if `replace` is true and leaves nothing of the old one (200)', async () => {
    const { status, body } = await fetchFile({ file: old, replace: true });
    expect([status, body.file.path, textOf(old)]).to.deep.equal([200, old, content]);
    expect(plugins()).to.deep.equal(['RaidTimer.jar']);
  });

  it('reports the found hash when it differs and keeps only the existing file (400)', async () => {
    service.panel.nodeScript.pull = wrong;
    for (const [path, algorithm] of [
      [old, 'sha256'],
      [file, 'sha512'],
    ] as const) {
      const found = hash(algorithm, 'something else', 'hex');
      const hashes = { sha256: undefined, [algorithm]: hash(algorithm, content, 'hex') };
      const refused = await fetchFile({ file: path, replace: true, ...hashes });
      expectError(refused, 'bad_request', `The file at url has a different ${algorithm}: ${found}`);
    }
    expect([textOf(old), plugins()]).to.deep.equal(['a plugin', ['RaidTimer.jar']]);
    expect(asked('rename')).to.deep.equal([]);
  }).timeout(20_000);

  it('reports another hash at the first read when an archive is complete, as a plugin is (400)', async () => {
    service.panel.nodeScript.pull = (tree, path) => {
      tree.write(path, archive, 0);
      return null;
    };
    const found = hash('sha256', archive, 'hex');
    expectError(await fetchFile({}), 'bad_request', `The file at url has a different sha256: ${found}`);
    // One list before the pull, and two that show the same size.
    expect(asked('list').length).to.be.at.most(5);
  });

  it('refuses a file over 128 MiB without reading it (400)', async () => {
    service.panel.nodeScript.pull = (tree, path) => {
      tree.writeZeros(path, 128 * 1024 * 1024 + 1, 0);
      return null;
    };
    const refused = await fetchFile({});
    expectError(refused, 'bad_request', 'The file is larger than 128 MiB, the maximum for a fetch');
    expect([asked('download'), plugins()]).to.deep.equal([[], ['RaidTimer.jar']]);
  });

  it('refuses a file over 128 MiB even if the list shows a smaller size (400)', async () => {
    service.panel.nodeScript.download = {
      body: Readable.from(Array(129).fill(Buffer.alloc(1024 * 1024))),
    };
    const refused = await fetchFile({});
    service.panel.nodeScript.download = null;
    expectError(refused, 'bad_request', 'The file is larger than 128 MiB, the maximum for a fetch');
    expect(plugins()).to.deep.equal(['RaidTimer.jar']);
  });

  it('replaces a file whose name has the maximum length (200)', async () => {
    const longest = `/plugins/${'a'.repeat(251)}.jar`;
    files().write(longest, 'before', 0);
    const { status, text } = await fetchFile({ file: longest, replace: true });
    expect([status, textOf(longest)], text).to.deep.equal([200, content]);
    expect(plugins()).to.have.members(['RaidTimer.jar', longest.slice('/plugins/'.length)]);
  });

  it('gives up after three reads of a file that keeps changing (502)', async () => {
    service.panel.nodeScript.pull = wrong;
    service.panel.nodeScript.download = { body: 'it has changed'.repeat(2) };
    const refused = await fetchFile({});
    service.panel.nodeScript.download = null;
    expect([refused.status, refused.body.error.code]).to.deep.equal([502, 'upstream_error']);
    expect(asked('download')).to.have.lengthOf(3);
    expect(plugins()).to.deep.equal(['RaidTimer.jar']);
  }).timeout(20_000);

  it('succeeds when the file appears only after the panel answered (201)', async () => {
    service.panel.nodeScript.pull = () => null;
    const fetching = fetchFile({});
    await eventually(async () => expect(asked('list')).to.have.length.above(1));
    files().write(`/plugins/${pulls()[0].filename}`, content, 0);
    expect((await fetching).status).to.equal(201);
  });

  it("passes on Retry-After at the panel's limit, while other calls continue (429)", async () => {
    const limits = [{ 'X-RateLimit-Limit': '10', 'X-RateLimit-Remaining': '0' }, {}];
    for (const limit of limits) {
      const headers = { ...limit, 'Retry-After': '77' };
      service.panel.respondNext(...untilPull, { ...refusal(429, 'ThrottleRequestsException'), headers });
      const refused = await fetchFile({});
      expectError(refused, 'rate_limited', 'The panel limits how often this may be done; try again later');
      expect(refused.headers.get('Retry-After')).to.equal('77');
      service.clock.advance(77_000);
      expect((await list()).status).to.equal(200);
    }
  });

  it('fetches several files into one directory at once while other file calls continue (201)', async () => {
    service.panel.nodeScript.pull = () => null;
    const [first, second] = [fetchFile({ file: '/plugins/a.jar' }), fetchFile({ file: '/plugins/b.jar' })];
    await eventually(async () => expect(pulls()).to.have.lengthOf(2));
    const read = `/servers/${id}/files/content?file=/server.properties`;
    expect((await service.call('GET', read, { key: service.key })).status).to.equal(200);
    for (const { filename } of pulls()) files().write(`/plugins/${filename}`, content, 0);
    expect([(await first).status, (await second).status]).to.deep.equal([201, 201]);
    expect(plugins()).to.have.members(['RaidTimer.jar', 'a.jar', 'b.jar']);
  });

  it("serves another owner while three stalled downloads hold none of the panel's workers (201)", async () => {
    service.panel.limitWorkers(1);
    service.panel.nodeScript.pull = () => null;
    const others = panelServer({ id: 2, identifier: 'other001', uuid: 'other-1', user: 8 });
    service.panel.servers.set(8, [others]);
    const stalled = ['a', 'b', 'c'].map((name) => fetchFile({ file: `/plugins/${name}.jar` }));
    await eventually(async () => expect(pulls()).to.have.lengthOf(3));
    service.panel.nodeScript.pull = pullExample;
    const { status, text } = await service.call('POST', '/servers/other001/files/fetch', {
      key: service.otherUser,
      body: { url, file, sha256 },
    });
    service.panel.limitWorkers(1_000);
    expect(status, text).to.equal(201);
    const refused = (await Promise.all(stalled)).map(({ body }) => body.error.message);
    expect(new Set(refused)).to.have.keys([
      'The machine that hosts the server did not fetch the file in time; check the address, or try again later',
    ]);
  }).timeout(20_000);

  it('lets only one of two fetches to a path proceed (201 and 409)', async () => {
    const statuses = (await Promise.all([fetchFile({}), fetchFile({})])).map(({ status }) => status);
    expect(statuses.toSorted()).to.deep.equal([201, 409]);
    expect(textOf(file)).to.equal(content);
  });

  it('does not repeat a completed fetch after the process died (201, and 200 with replace)', async () => {
    for (const replace of [false, true]) {
      const headers = { 'Idempotency-Key': randomUUID() };
      const first = await fetchFile({ replace }, headers);
      const stored = service.connection.collection<{ _id: string }>('idempotency_records');
      const filter = { _id: new RegExp(`:${headers['Idempotency-Key']}$`) };
      await stored.updateOne(filter, { $set: { answer: null } });
      service.clock.advance(leasesOf(panelDefaults).claimMs);
      service.panel.forget();
      const second = await fetchFile({ replace }, headers);
      expect([second.status, second.text]).to.deep.equal([first.status, first.text]);
      expect(pulls()).to.deep.equal([]);
    }
  });

  describe('after a failed download', () => {
    let leftover: string;
    beforeEach(async () => {
      service.panel.respondNext(...untilPull, { ...refusal(422, 'ValidationException') });
      expect((await fetchFile({})).status).to.equal(400);
      leftover = pulls()[0].filename;
      files().write(`/plugins/${leftover}`, 'late', 0);
    });
    const leave = (name: string) => files().write(`/plugins/${name}`, 'x', 0);

    it('deletes the leftover with the next fetch into the directory once it is a minute old', async () => {
      service.clock.advance(59_000);
      expect((await fetchFile({})).status).to.equal(201);
      expect(plugins()).to.include(leftover);
      service.clock.advance(2_000);
      expect((await fetchFile({ file: '/other.jar' })).status).to.equal(201);
      expect(plugins()).to.include(leftover);
      expect((await fetchFile({ file: old })).status).to.equal(409);
      expect(plugins()).to.include(leftover);
      expect((await fetchFile({ file: '/plugins/b.jar' })).status).to.equal(201);
      expect(plugins()).to.have.members(['RaidTimer.jar', 'New.jar', 'b.jar']);
    });

    it("keeps the owner's files and a file that was set aside and not restored", async () => {
      const asides = ['old', 'old-RaidTimer.jar', 'old-Gone.jar'].map((end) => leftover.replace('new', end));
      const owned = [`${leftover}x`, `x${leftover}`, leftover.slice(1), leftover.replace('-', '_')];
      for (const name of [...owned, ...asides]) leave(name);
      service.clock.advance(61_000);
      expect((await fetchFile({})).status).to.equal(201);
      expect(plugins()).to.have.members(['RaidTimer.jar', 'New.jar', ...owned, ...asides]);
    });
  });
});
