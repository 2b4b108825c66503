/** The samples that a process keeps of each server, so that charts show the time before the account page opened. */
import { expect } from 'chai';
import { samplesMax } from '../../../models/bounds.ts';
import { hourMs } from '../../../models/support/durations.ts';
import type { UserRecord } from '../../../models/user.ts';
import { type Account, signInAccount } from '../../support/account.ts';
import { failureOf } from '../../support/failure-of.ts';
import { startMinecraft } from '../../support/games.ts';
import { panelServer } from '../../support/panel/attributes.ts';
import { resetPanel } from '../../support/server-owner.ts';
import { serverAt } from '../../support/server-with-games.ts';
import { useService } from '../../support/service.ts';

const id = 'a1b2c3d4';

const serversOf = (user: number, count: number) =>
  Array.from({ length: count }, (_, index) => {
    const identifier = `${user}x${index}`;
    return panelServer({ id: 1000 * user + index, identifier, uuid: identifier, user });
  });

describe('the usage of a server in the last hour', () => {
  const service = useService({ rateLimitPerMinute: 1_000_000 });
  let panelUserId = 100;
  let user: UserRecord;
  let account: Account;
  const own = (...servers: ReturnType<typeof panelServer>[]) =>
    service.panel.servers.set(panelUserId, servers);

  beforeEach(async () => {
    resetPanel(service, []);
    panelUserId += 1;
    own(panelServer({ identifier: id, user: panelUserId }));
    user = await service.addUser({ panelUserId });
    account = await signInAccount(service.url, user);
  });

  const read = (server_identifier = id) => account.api.servers.resources.query({ server_identifier });
  const samples = async (server_identifier = id, by = account) =>
    (await by.api.servers.samples.query({ server_identifier })).samples;
  const ages = async () => (await samples()).map(({ age_ms }) => age_ms);

  it('is what other sessions and keys of the owner have read, and asks the panel nothing', async () => {
    const { secret: key } = await service.addKey({ user });
    service.panel.runStates.set(id, 'offline');
    await service.call('GET', `/servers/${id}/resources`, { key });
    service.clock.advance(60_000);
    service.panel.runStates.set(id, 'running');
    const { resources } = await read();
    const calls = service.panel.requests.length;
    const [first, second, ...others] = await samples(id, await signInAccount(service.url, user));
    expect([first?.state, second?.state, others.length]).to.deep.equal(['offline', 'running', 0]);
    expect((first?.age_ms ?? 0) - (second?.age_ms ?? 0)).to.be.within(59_000, 61_000);
    const { cpu_percent, memory_bytes } = resources;
    expect(second).to.deep.include({ cpu_percent, memory_bytes });
    expect(service.panel.requests.length - calls).to.equal(0);
  });

  it('tells how many players were online', async () => {
    const game = await startMinecraft({ online: 3, max: 20 });
    own(serverAt([{ port: game.port }], { user: panelUserId }));
    service.clock.advance(60_000); // past the list
    await account.api.servers.players.query({ server_identifier: id });
    expect((await samples()).map(({ players_online }) => players_online)).to.deep.equal([3]);
    await game.stop();
  });

  it('has at most a sample in ten seconds while nothing changes, and forgets each after an hour', async () => {
    for (let step = 0; step < 3; step += 1) {
      await read();
      service.clock.advance(21_000);
    }
    await Promise.all([read(), read()]);
    expect(await ages()).to.have.lengthOf(4);
    service.clock.advance(hourMs - 50_000);
    expect(await ages()).to.have.lengthOf(2);
    service.clock.advance(hourMs);
    expect(await ages()).to.deep.equal([]);
  });

  it('is kept of a bounded number of servers, those last looked at', async () => {
    const { serversOfOwner } = samplesMax;
    const owned = serversOf(panelUserId, serversOfOwner + 1);
    own(...owned);
    service.clock.advance(60_000); // past the list
    await account.api.servers.states.query({});
    const [first = '', second = ''] = owned.map(({ identifier }) => String(identifier));
    const last = String(owned.at(-1)?.identifier);
    const counts = () => Promise.all([first, second, last].map(async (each) => (await samples(each)).length));
    expect(await counts()).to.deep.equal([1, 1, 0]);
    service.clock.advance(60_000);
    await read(first);
    await read(last);
    expect(await counts()).to.deep.equal([2, 0, 1]);
    for (let owner = 1000; owner < 1000 + samplesMax.servers / serversOfOwner; owner += 1) {
      service.panel.servers.set(owner, serversOf(owner, serversOfOwner));
      const { secret: key } = await service.addKey({ user: await service.addUser({ panelUserId: owner }) });
      expect((await service.call('GET', '/servers/states', { key })).status).to.equal(200);
    }
    expect(await counts()).to.deep.equal([0, 0, 0]);
  });

  it("404: is missing for another user's server, as for one that does not exist", async () => {
    await read();
    const other = await signInAccount(service.url, await service.addUser({ panelUserId: 8 }));
    const refusals = [id, 'ffffffff'].map(async (each) => (await failureOf(samples(each, other))).message);
    expect(new Set(await Promise.all(refusals))).to.deep.equal(
      new Set(['Server not found; take its identifier from the list of servers']),
    );
  });

  it('begins anew with a new owner', async () => {
    await read();
    const other = await signInAccount(service.url, await service.addUser({ panelUserId: 8 }));
    own();
    service.panel.servers.set(8, [panelServer({ identifier: id, user: 8 })]);
    service.clock.advance(60_000);
    expect(await samples(id, other)).to.deep.equal([]);
  });
});
