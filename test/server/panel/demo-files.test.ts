/** The log of the crashing demo server names the wrong line of its settings, and the server runs once it is fixed. */
import { expect } from 'chai';
import { demoPanelUserId, startDemoPanel } from '../../../server/panel/demo/demo.ts';
import { demoIdentifiers } from '../../../server/panel/demo/games.ts';
import { startTestService } from '../../support/service.ts';
import { useStarted } from '../../support/use-started.ts';

describe('the demo server that crashes', () => {
  let nowMs = Date.now();
  const demo = useStarted(() => startDemoPanel({ clock: () => nowMs }));
  const service = useStarted(() => {
    const { url, applicationKey, clientKey } = demo;
    return startTestService({ panel: { url, applicationKey, clientKey } });
  });
  const base = `/servers/${demoIdentifiers.valheim}`;
  const settings = '/config/server.yml';
  let key: string;

  before(async () => {
    const user = await service.addUser({ panelUserId: demoPanelUserId });
    ({ secret: key } = await service.addKey({ user }));
  });

  const get = (rest: string) => service.call('GET', `${base}${rest}`, { key });
  const pass = (ms: number) => {
    nowMs += ms;
    service.clock.advance(ms + 60_000); // past every cache
  };
  const stateAfter = async (ms: number) => {
    pass(ms);
    return (await get('/resources')).body.resources.state;
  };
  const start = () => service.call('POST', `${base}/power`, { key, body: { signal: 'start' } });
  const lastLines = async () => (await get('/files/content?file=/logs/latest.log&tail=5')).body.file.content;

  it('stops some seconds after its start, and its log shows why while it is off', async () => {
    await start();
    expect(await stateAfter(4_000)).to.equal('running');
    expect(await stateAfter(20_000)).to.equal('offline');
    expect(await lastLines()).to.match(
      /ERROR: config\/server\.yml, line 4: max_players must be a number from 1 to 64, and is "ten"\n/,
    );
  });

  it('keeps running once its settings are right', async () => {
    const { content, sha256 } = (await get(`/files/content?file=${settings}`)).body.file;
    expect(content.split('\n')[3]).to.equal('max_players: ten');
    const body = { file: settings, content: content.replace('ten\n', '10\n'), if_sha256: sha256 };
    expect((await service.call('PUT', `${base}/files/content`, { key, body })).status).to.equal(200);
    await start();
    expect(await stateAfter(30_000)).to.equal('running');
    expect(await lastLines()).to.match(/connected\n$/);
  });
});
