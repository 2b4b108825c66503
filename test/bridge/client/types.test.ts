/** The package's types, as a strict program with other libraries than ours sees them. */
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { bundleForBrowser, compileWithClient } from '../../support/client.ts';

const right = `
import { Gamehost, GamehostError, verifyWebhook, type Backup, type ListedTicket, type WebhookEvent } from 'gamehost';
const gamehost: Gamehost = new Gamehost({ baseUrl: 'https://api.example', token: async () => 'token', fetch, retries: 0 });
const { servers } = await gamehost.servers.listMyServers();
const name: string | undefined = servers[0]?.identifier;
await gamehost.servers.listMyServers({}, { signal: AbortSignal.timeout(1), timeoutMs: 5 });
await gamehost.servers.setServerPower({ server_identifier: 'a', signal: 'restart' });
await gamehost.servers.changeServerStartup({ server_identifier: 'a', if_match: '"1"' });
await gamehost.tickets.createTicket({ title: 'Lag', message: 'Help' });
for await (const ticket of gamehost.paginate(gamehost.tickets.listMyTickets, { limit: 5 })) {
  const listed: ListedTicket = ticket;
}
for await (const { number, message } of gamehost.paginate(gamehost.tickets.getTicket, { ticket_id: 1 })) number + 1 + message;
for await (const { title } of gamehost.paginate(gamehost.announcements.listAnnouncements)) title.trim();
const backup: Backup = await gamehost.waitForBackup({ server_identifier: 'a', backup_uuid: 'b' });
await gamehost.uploadFile({ server_identifier: 'a', directory: '/', name: 'a', data: new Uint8Array(1) });
const handle = (event: WebhookEvent) => {
  if (event.type === 'server.state_changed') return event.data.server.identifier;
  if (event.type === 'ticket.created') return event.data.ticket.subject;
  return null;
};
handle(await verifyWebhook('secret', new Headers(), 'body'));
const describe = (error: unknown) => error instanceof GamehostError && (error.requestId ?? error.status ?? error.code);
export { backup, describe, name };
`;

/** Each line after the second has one mistake. */
const wrong = `
import { Gamehost, verifyWebhook } from 'gamehost';
const gamehost = new Gamehost();
new Gamehost({ baseURL: 'https://api.example' });
await gamehost.servers.explode();
await gamehost.servers.listMyServers({ page: 1 });
await gamehost.servers.getServer();
await gamehost.servers.getServer({ server_identifier: 1 });
await gamehost.servers.setServerPower({ server_identifier: 'a', signal: 'kill' });
await gamehost.tickets.createTicket({ title: 'No message' });
await gamehost.tickets.getTicket({ ticket_id: 1 }, { signal: 'now' });
(await gamehost.account.getMyProfile()).user.shoe_size;
gamehost.paginate(gamehost.servers.listMyServers);
gamehost.paginate(gamehost.tickets.getTicket);
gamehost.paginate(gamehost.tickets.listMyTickets, { limit: 'all' });
for await (const ticket of gamehost.paginate(gamehost.tickets.listMyTickets)) ticket.shoe_size;
await gamehost.waitForBackup({ server_identifier: 'a' });
await gamehost.uploadFile({ server_identifier: 'a', directory: '/', name: 'a' });
(await verifyWebhook('secret', {}, 'body')).data.ticket;
gamehost.users;
`;
const linesOfWrong = wrong
  .trim()
  .split('\n')
  .map((_, index) => `wrong.ts(${index + 1})`)
  .slice(2);

/** The two releases of TypeScript in use, one with each set of globals. */
const environments = {
  'a browser in TypeScript 5.9': { compiler: 'typescript', lib: ['es2022', 'dom'], types: [] },
  'Node in TypeScript 7': {},
};

describe('a program that has installed the client', () => {
  for (const [name, settings] of Object.entries(environments))
    it(`compiles strictly for ${name}, and is told each mistake`, async () => {
      const programs = { 'right.ts': right, 'wrong.ts': wrong.trimStart() };
      expect((await compileWithClient(programs, settings)).errors).to.deep.equal(linesOfWrong);
    });

  it('gets at most three other packages, and no scripts that run at installation', async () => {
    const { folder } = await compileWithClient({ 'empty.ts': 'export {};' });
    const manifest = JSON.parse(await readFile(`${folder}../node_modules/gamehost/package.json`, 'utf8'));
    expect(Object.keys(manifest.dependencies)).to.have.length.at.most(3);
    expect(manifest).not.to.have.any.keys('scripts', 'devDependencies');
    expect(manifest.peerDependenciesMeta).to.deep.equal({ '@trpc/server': { optional: true } });
  });

  it('bundles it for a browser without a module of Node', async () => {
    const bundle = await bundleForBrowser();
    expect(bundle).to.contain('GamehostError').and.have.length.below(60_000);
  });
});
