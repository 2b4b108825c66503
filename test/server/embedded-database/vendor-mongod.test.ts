/** A mongod from its vendor runs only if it came over a verified connection with the right SHA-256. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { downloadMongod, findVendorMongod } from '../../../server/embedded-database/vendor-mongod.ts';
import { failureOf } from '../../support/failure-of.ts';
import { selfSigned } from '../../support/self-signed.ts';

const run = promisify(execFile);

const archiveName = 'mongodb-linux-x86_64-debian12-8.99.0.tgz';
const names = ['ARCHIVE_NAME', 'DOWNLOAD_MIRROR', 'USE_HTTP', 'VERSION'].map((name) => `MONGOMS_${name}`);

describe("the download of the vendor's mongod", () => {
  let root: string;
  let cacheDir: string;
  let archive: Buffer;
  let mirror: Server;
  /** The mirror's files, by the end of their path. */
  let files: Map<string, Buffer | string>;
  let environment: (string | undefined)[];

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'gamehost-vendor-'));
    await mkdir(join(root, 'mongodb', 'bin'), { recursive: true });
    await writeFile(join(root, 'mongodb', 'bin', 'mongod'), '#!/bin/sh\necho "db version v8.99.0"\n');
    await run('tar', ['-czf', join(root, archiveName), '-C', root, 'mongodb']);
    archive = await readFile(join(root, archiveName));
  });
  after(() => rm(root, { recursive: true }));

  beforeEach(async () => {
    cacheDir = await mkdtemp(join(root, 'cache-'));
    files = new Map<string, Buffer | string>([
      [archiveName, archive],
      [`${archiveName}.sha256`, `${sha256Of(archive)}  ${archiveName}\n`],
    ]);
    environment = names.map((name) => process.env[name]);
    await serve((listener) => createServer(listener));
  });
  afterEach(() => {
    mirror.close();
    for (const [index, name] of names.entries()) {
      delete process.env[name];
      if (environment[index] !== undefined) process.env[name] = environment[index];
    }
  });

  async function serve(create: (listener: RequestListener) => Server) {
    mirror = create(({ url = '' }, res) => {
      const file = files.get(url.split('/').at(-1) ?? '');
      res.statusCode = file === undefined ? 404 : 200;
      res.end(file);
    }).listen(0, '127.0.0.1');
    await once(mirror, 'listening');
    const { port } = mirror.address() as AddressInfo; // a listening TCP server has one
    const isTls = 'setSecureContext' in mirror;
    const values = [
      ...[archiveName, `${isTls ? 'https' : 'http'}://127.0.0.1:${port}`],
      ...[String(!isTls), '8.99.0'],
    ];
    for (const [index, name] of names.entries()) process.env[name] = values[index];
  }

  it("is kept and found again if it has the vendor's checksum", async () => {
    const path = await downloadMongod(cacheDir);
    expect((await run(path, ['--version'])).stdout).to.equal('db version v8.99.0\n');
    expect(await findVendorMongod(cacheDir)).to.equal(path);
    expect(await readdir(cacheDir)).to.deep.equal(['mongod-8.99.0']);
  });

  it('is refused and deleted if it has another checksum', async () => {
    files.set(archiveName, Buffer.concat([archive, Buffer.from('more')]));
    const failure = await failureOf(downloadMongod(cacheDir));
    expect(failure.message).to.equal('the download has an unexpected checksum');
    expect(await readdir(cacheDir)).to.deep.equal([]);
  });

  it('is refused and deleted if there is no checksum', async () => {
    files.delete(`${archiveName}.sha256`);
    expect((await failureOf(downloadMongod(cacheDir))).message).to.include('(it is 404)');
    expect(await readdir(cacheDir)).to.deep.equal([]);
  });

  it("is refused if the server's certificate is not trusted", async () => {
    mirror.close();
    await serve((listener) => createTlsServer(selfSigned, listener));
    expect((await failureOf(downloadMongod(cacheDir))).message).to.include('self-signed certificate');
    expect(await readdir(cacheDir)).to.deep.equal([]);
  });
});

const sha256Of = (file: Buffer) => createHash('sha256').update(file).digest('hex');
