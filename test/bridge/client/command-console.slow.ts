/** gamehost servers console --follow: each read of the console comes five seconds after the one before. */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { startFaultyHost } from '../../support/faulty-host.ts';
import { ended, openGamehostCommand } from '../../support/gamehost-command.ts';
import { useCustomer } from '../../support/use-key.ts';
import { useStarted } from '../../support/use-started.ts';

describe('gamehost servers console --follow', () => {
  const service = useCustomer();
  const host = useStarted(() => startFaultyHost(service.url));
  const command = useStarted(openGamehostCommand);

  it('shows each new line once, past failures, and that the server goes off, until Ctrl-C: 130', async () => {
    const env = { GAMEHOST_URL: host.url, GAMEHOST_KEY: service.key };
    await command.run(['servers', 'list'], { env }); // keeps the description
    const read = (state: string, lines: string[]) => ({
      status: 200,
      body: JSON.stringify({ console: { state, lines } }),
    });
    const busy = { status: 503, headers: { 'Retry-After': '0' } };
    const body = '{"error":{"code":"overloaded","message":"Busy"}}';
    const away = { status: 503, headers: { 'Retry-After': '61' }, body };
    host.answerNext(
      read('running', ['0', 'a', 'b']),
      ...[busy, away, busy, read('running', ['b', 'c', 'c'])],
      read('offline', []),
    );
    const child = command.start(['servers', 'console', 'a1b2c3d4', '--follow', '--lines', '2'], { env });
    const run = ended(child);
    const lines = createInterface({ input: child.stdout });
    lines.on('line', (line) => line.includes('offline') && child.kill('SIGINT'));
    await once(lines, 'close');
    const { code, stdout, stderr } = await run;
    const shown = ['a', 'b', 'c', 'c'].map((line) => `{"line":"${line}"}`);
    expect(stdout.trim().split('\n')).to.deep.equal([...shown, '{"state":"offline"}']);
    expect({ code, stderr }).to.deep.equal({ code: 130, stderr: 'Busy\n' });
  });

  it('ends when the read is refused for good', async () => {
    const env = { GAMEHOST_URL: service.url, GAMEHOST_KEY: service.key };
    const { code, stderr } = await command.run(['servers', 'console', 'a1b2c3d4', '--follow'], { env });
    expect(code).to.equal(1);
    expect(stderr).to.include('Server not found');
  });
});
