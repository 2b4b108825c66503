/** gamehost login, logout and whoami, against a host with an authorization server. */
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { expect } from 'chai';
import { signInAccount } from '../../support/account.ts';
import { ended, openGamehostCommand, signInByBrowser } from '../../support/gamehost-command.ts';
import { listenLocally } from '../../support/local-server.ts';
import { resume, sendUser } from '../../support/oauth-app.ts';
import { useService } from '../../support/service.ts';
import { useForEach } from '../../support/use-started.ts';

const hourMs = 3_600_000;

describe('gamehost login', () => {
  const service = useService({ hasApps: true });
  const command = useForEach(openGamehostCommand);
  let [email, userId] = ['', 0];

  beforeEach(async () => {
    ({ email, _id: userId } = await service.addUser());
  });

  const signIn = () => signInByBrowser(command, service, { email });
  const keptSignIn = async () => JSON.parse(await readFile(command.signInsPath, 'utf8')).hosts[service.url];
  const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
  const whoami = async () => JSON.parse((await command.run(['whoami'])).stdout);

  it('signs in with the browser, and later commands call as that person', async () => {
    const { code, stdout, stderr, page } = await signIn();
    expect({ code, stdout }).to.deep.equal({ code: 0, stdout: '' });
    expect(stderr).to.include(`You are signed in to ${service.url}.`);
    expect(page).to.equal('You are signed in. You can close this window.');
    const shown = await whoami();
    expect(shown).to.include({ host: service.url, credential: 'browser' });
    expect(shown.user.email).to.equal(email);
    expect(shown.key.scopes).to.include.members(['read:account', 'write:servers', 'manage:backups']);
  });

  it('keeps tokens where only the user can read them, and never prints them', async () => {
    const { stdout, stderr } = await signIn();
    const { token, grant } = await keptSignIn();
    expect(await modeOf(command.configFolder)).to.equal('700');
    expect(await modeOf(command.signInsPath)).to.equal('600');
    for (const secret of [token, grant.refreshToken]) expect(stdout + stderr).to.not.include(secret);
  });

  it('renews an expired access token once, even for eight commands at once', async () => {
    await signIn();
    const before = await keptSignIn();
    service.clock.advance(2 * hourMs);
    const runs = await Promise.all(Array.from({ length: 8 }, () => command.run(['whoami'])));
    expect(runs.map(({ code, stderr }) => `${code}${stderr}`)).to.deep.equal(Array(8).fill('0'));
    expect((await keptSignIn()).token).to.not.equal(before.token);
    await service.flushAudit();
    const entries = await service.models.auditEntries.list({ userId, limit: 100 });
    const renewals = entries.filter(({ operation }) => operation === 'apps.renew');
    expect(renewals).to.have.lengthOf(1);
  });

  it('renews an access token shortly before it expires', async () => {
    await signIn();
    const { token, grant } = await keptSignIn();
    const expiring = { token, grant: { ...grant, expiresAt: Date.now() + 30_000 } };
    const signIns = { current: service.url, hosts: { [service.url]: expiring } };
    await writeFile(command.signInsPath, JSON.stringify(signIns));
    await whoami();
    expect((await keptSignIn()).token).to.not.equal(token);
  });

  it('130: keeps the renewed sign-in when Ctrl-C comes before the answer', async () => {
    const renewed = { access_token: 'second', token_type: 'Bearer', refresh_token: 'r2', expires_in: 3600 };
    const calls: string[] = [];
    const server = createServer(({ url: path = '' }, response) => {
      calls.push(path);
      response.setHeader('Content-Type', 'application/json');
      if (path !== '/token')
        return response.end(JSON.stringify({ issuer: url, token_endpoint: `${url}/token` }));
      child.kill('SIGINT');
      return setTimeout(() => response.end(JSON.stringify(renewed)), 300);
    });
    const { url, stop } = await listenLocally(server);
    const grant = { issuer: url, clientId: 'c', refreshToken: 'r1', expiresAt: 0 };
    await mkdir(command.configFolder);
    const kept = { current: url, hosts: { [url]: { token: 'first', grant } } };
    await writeFile(command.signInsPath, JSON.stringify(kept));
    const child = command.start(['whoami']);
    expect((await ended(child)).code).to.equal(130);
    const { hosts } = JSON.parse(await readFile(command.signInsPath, 'utf8'));
    expect(hosts[url].grant.refreshToken).to.equal('r2');
    expect(calls.at(-1)).to.equal('/token');
    await stop();
  });

  it('3: says how to sign in again once the sign-in was ended at the account page', async () => {
    await signIn();
    const { api } = await signInAccount(service.url, { email });
    const { apps } = await api.apps.list.query();
    await api.apps.revoke.mutate({ id: apps[0]?.id ?? '' });
    const { code, stderr } = await command.run(['whoami']);
    expect(code).to.equal(3);
    expect(stderr).to.include('Access token unknown, expired or revoked').and.include('gamehost login');
  });

  it('1: names the address by which a host calls itself', async () => {
    const url = service.url.replace('127.0.0.1', 'localhost');
    const { code, stderr } = await command.run(['login', '--url', url]);
    expect(code).to.equal(1);
    expect(stderr).to.include(`run "gamehost login --url ${service.url}"`);
  });

  it('1: says that a website describes no sign-in', async () => {
    const { url, stop } = await listenLocally(createServer((_, response) => response.end('<!DOCTYPE html>')));
    const { code, stderr } = await command.run(['login', '--url', url]);
    await stop();
    expect({ code, stderr }).to.deep.equal({
      code: 1,
      stderr: `error: ${url} does not describe its sign-in: its status is 200\n`,
    });
  });

  it('1: opens no address that could start a program', async () => {
    const documents: Record<string, object> = {};
    const server = createServer(({ url = '' }, response) => {
      response.writeHead(url === '/register' ? 201 : 200, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(documents[url]));
    });
    const { url, stop } = await listenLocally(server);
    Object.assign(documents, {
      '/.well-known/oauth-protected-resource': { resource: url, authorization_servers: [url] },
      '/.well-known/oauth-authorization-server': {
        ...{ issuer: url, authorization_endpoint: 'calculator:run' },
        registration_endpoint: `${url}/register`,
      },
      '/register': { client_id: 'a-client' },
    });
    const { code, stderr } = await command.run(['login', '--url', url]);
    expect(code).to.equal(1);
    expect(stderr).to.equal('error: The sign-in failed: only HTTP and HTTPS requests are allowed\n');
    await stop();
  });

  it('1: ends when the person denies the access', async () => {
    const login = ended(command.start(['login', '--url', service.url]));
    const pending = await sendUser(await command.visitedAddress());
    const account = await signInAccount(service.url, { email });
    await account.api.apps.deny.mutate({ request_id: pending.id });
    const { headers } = await resume(service, pending, account);
    const page = await fetch(headers.get('Location') ?? '');
    expect(page.status).to.equal(400);
    const { code, stderr } = await login;
    expect(code).to.equal(1);
    expect(stderr).to.match(/^error: The sign-in failed: .+/m);
  });

  it('130, or 143: waits for nothing but its own answer, until Ctrl-C or SIGTERM', async () => {
    const child = command.start(['login', '--url', service.url]);
    const login = ended(child);
    const address = new URL(await command.visitedAddress());
    const redirect = address.searchParams.get('redirect_uri') ?? '';
    for (const url of [`${redirect}?code=1&state=forged`, redirect, new URL('/', redirect), `${redirect}//x`])
      expect((await fetch(url)).status, String(url)).to.equal(404);
    child.kill('SIGINT');
    expect((await login).code).to.equal(130);
    const terminated = command.start(['login', '--url', service.url]);
    const other = ended(terminated);
    await command.visitedAddress();
    terminated.kill('SIGTERM');
    expect((await other).code).to.equal(143);
    expect(await fetch(redirect).catch(() => 'closed')).to.equal('closed');
  });

  it('logout ends the sign-in at the host, and forgets it', async () => {
    await signIn();
    const { token } = await keptSignIn();
    const { code, stderr } = await command.run(['logout']);
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: `You are signed out of ${service.url}.\n` });
    expect(await readFile(command.signInsPath, 'utf8')).to.not.include(token);
    expect((await service.call('GET', '/me', { key: token })).status).to.equal(401);
    expect((await command.run(['whoami'])).code).to.equal(3);
  });

  it('ends the sign-in that it replaces', async () => {
    await signIn();
    const { token } = await keptSignIn();
    await signIn();
    expect((await service.call('GET', '/me', { key: token })).status).to.equal(401);
    expect((await whoami()).user.email).to.equal(email);
  });

  it('sends nothing of a sign-in to another host that GAMEHOST_URL names', async () => {
    await signIn();
    const credentials: unknown[] = [];
    const server = createServer((request, response) => {
      credentials.push(request.headers.authorization);
      response.writeHead(404).end('{}');
    });
    const other = await listenLocally(server);
    const env = { GAMEHOST_URL: other.url };
    const { code, stderr } = await command.run(['whoami'], { env });
    const withKey = await command.run(['whoami'], { env: { ...env, GAMEHOST_KEY: 'a-key-for-it' } });
    await other.stop();
    expect(code).to.equal(3);
    expect(stderr).to.include(`gamehost login --url ${other.url}`);
    expect(withKey.code).to.equal(1);
    expect(credentials.filter((sent) => sent !== undefined)).to.deep.equal(['Bearer a-key-for-it']);
  });

  it("1: sends nothing of a sign-in to a server's machine, even if it answers 401", async () => {
    const sent: unknown[] = [];
    const machine = await listenLocally(
      createServer((request, response) => {
        sent.push(request.headers.authorization);
        request.resume().on('end', () => response.writeHead(401).end());
      }),
    );
    const createLink = {
      operationId: 'createFileUploadLink',
      summary: '',
      description: '',
      tags: ['Servers'],
    };
    const paths = { '/servers/{server_identifier}/files/upload-link': { post: createLink } };
    const upload = { url: machine.url, method: 'POST', field: 'files' };
    const host = await listenLocally(
      createServer(({ method }, response) =>
        response.end(JSON.stringify(method === 'GET' ? { paths, components: { schemas: {} } } : { upload })),
      ),
    );
    const grant = { issuer: host.url, clientId: 'c', refreshToken: 'r', expiresAt: Date.now() + hourMs };
    await mkdir(command.configFolder);
    const kept = { current: host.url, hosts: { [host.url]: { token: 'a-token', grant } } };
    await writeFile(command.signInsPath, JSON.stringify(kept));
    const run = await command.run(['servers', 'upload', '8c1f6e2a', command.signInsPath]);
    await Promise.all([host.stop(), machine.stop()]);
    expect(run.code, run.stderr).to.equal(1);
    expect(sent).to.deep.equal([undefined]);
  });
});
