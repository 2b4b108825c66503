/** Unhandled errors: one line in the log, requests in progress are answered, and the exit code is 1. */
import { expect } from 'chai';
import { builtPrograms } from '../support/built-programs.ts';
import { ownedServer, startOwnedProgram } from '../support/owned-program.ts';
import { serverAt } from '../support/server-with-games.ts';

const strays: Record<string, string> = {
  'an error that nothing catches': "setImmediate(() => { throw new Error('stray') })",
  'a rejection that nothing handles': "void Promise.reject(new Error('stray'))",
};

describe('the service process', () => {
  it('survives player queries to games without a route', async () => {
    const { panel, program, send, stop } = await startOwnedProgram();
    const lost = { ip: '127.255.255.255', port: 25_565 };
    panel.servers.set(7, [serverAt([lost], { identifier: ownedServer })]);
    for (const path of [`/servers/${ownedServer}/players`, '/servers/states?figures=true']) {
      const { status, text } = await send(`/api/v1${path}`);
      expect(status, text).to.equal(200);
    }
    expect((await send('/healthz')).status).to.equal(200);
    expect(program.output()).to.not.match(/"level":(50|60)/);
    await stop();
  });

  for (const [what, stray] of Object.entries(strays))
    it(`logs ${what} as one line, answers the request in progress, and exits with 1`, async () => {
      const preload = Buffer.from(`process.once('SIGUSR2', () => { ${stray} })`).toString('base64');
      const command = `exec node --import "data:text/javascript;base64,${preload}" ${await builtPrograms()}main.js`;
      const { panel, program, send, database } = await startOwnedProgram({}, command);
      let answer = () => {};
      const answered = new Promise<void>((resolve) => {
        answer = resolve;
      });
      panel.forget();
      panel.respondNext({ after: answered });
      const request = send('/api/v1/servers');
      while (panel.requests.length === 0) await new Promise(setImmediate);

      const logged = program.says('"level":60');
      process.kill(program.pid, 'SIGUSR2');
      await logged;
      answer();

      expect((await request).status).to.equal(200);
      expect(await program.end()).to.equal(1);
      const lines = program
        .output()
        .split('\n')
        .filter((line) => line.includes('"level":60'));
      expect(lines).to.have.lengthOf(1);
      expect(JSON.parse(lines[0] ?? '').err).to.include({ type: 'Error', message: 'stray' });
      expect(program.output()).to.match(/Stopped\.\s*$/);
      await Promise.all([panel.stop(), database.stop()]);
    });
});
