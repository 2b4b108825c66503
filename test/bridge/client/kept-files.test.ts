/** The files that the command keeps on the user's machine: descriptions of hosts, and sign-ins. */
import { chmod, mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect } from 'chai';
import { openGamehostCommand } from '../../support/gamehost-command.ts';
import { listenLocally } from '../../support/local-server.ts';
import { useCustomer } from '../../support/use-key.ts';
import { useForEach } from '../../support/use-started.ts';

const hourMs = 3_600_000;

describe('the description of a host', () => {
  const command = useForEach(openGamehostCommand);
  /** A host whose only operation is in one group. */
  const host = useForEach(async () => {
    const state = { group: 'first', credentials: [] as unknown[], status: 200 };
    const server = createServer(({ headers }, response) => {
      state.credentials.push(headers.authorization);
      const get = { operationId: 'doIt', summary: 'Does', description: 'Does it.', tags: [state.group] };
      const description = { paths: { '/it': { get } }, components: { schemas: {} } };
      response.writeHead(state.status).end(JSON.stringify(description));
    });
    return { ...(await listenLocally(server)), state };
  });

  const complete = async () => {
    const env = { GAMEHOST_URL: host.url, GAMEHOST_KEY: 'a-key' };
    const { stdout, stderr } = await command.run(['completion', 'bash'], { env });
    return /(first|second)/.exec(stdout)?.[0] ?? stderr;
  };
  const keptPath = async () => join(command.cacheFolder, (await readdir(command.cacheFolder))[0] ?? '');
  const makeOld = async () => {
    const kept = JSON.parse(await readFile(await keptPath(), 'utf8'));
    await writeFile(await keptPath(), JSON.stringify({ ...kept, readAt: kept.readAt - hourMs }));
  };

  it('is read once an hour, without the credential', async () => {
    expect([await complete(), await complete()]).to.deep.equal(['first', 'first']);
    expect(host.state.credentials).to.deep.equal([undefined]);
    host.state.group = 'second';
    await makeOld();
    expect(await complete()).to.equal('second');
  });

  it('serves from the last time while the host is away or broken', async () => {
    await complete();
    await makeOld();
    host.state.group = 'second';
    host.state.status = 502;
    expect(await complete()).to.equal('first');
    await host.stop();
    expect(await complete()).to.equal('first');
  });

  it('is read again if the kept file is broken', async () => {
    await complete();
    for (const broken of ['{"readAt":', 'null', '{"readAt":9e15,"description":{"paths":1}}']) {
      await writeFile(await keptPath(), broken);
      expect(await complete(), broken).to.equal('first');
    }
  });
});

describe('the file of sign-ins', () => {
  const hosted = useCustomer();
  const command = useForEach(openGamehostCommand);

  const logIn = () => command.run(['login', '--url', hosted.url, '--key', '-'], { stdin: hosted.key });

  it('is made private again when another program made it readable', async () => {
    const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
    await logIn();
    await chmod(command.configFolder, 0o755);
    await chmod(command.signInsPath, 0o644);
    expect((await command.run(['whoami'])).code).to.equal(0);
    expect(await modeOf(command.configFolder)).to.equal('700');
    expect(await modeOf(command.signInsPath)).to.equal('600');
  });

  it('is not blocked by a process that was killed while it changed the file', async () => {
    await mkdir(command.configFolder);
    await writeFile(`${command.signInsPath}.lock`, '');
    const longAgo = new Date(Date.now() - hourMs);
    await utimes(`${command.signInsPath}.lock`, longAgo, longAgo);
    expect((await logIn()).code).to.equal(0);
    expect(await readdir(command.configFolder)).to.deep.equal(['sign-ins.json']);
  });

  it('leaves the user signed out when it is broken, until the next login', async () => {
    await logIn();
    await writeFile(command.signInsPath, '{');
    expect((await command.run(['whoami'])).code).to.equal(3);
    expect((await logIn()).code).to.equal(0);
  });
});
