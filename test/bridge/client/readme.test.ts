/** The README's program, from its TypeScript samples, compiles strictly and runs against a service. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { compileWithClient } from '../../support/client.ts';
import { readDocument } from '../../support/documents.ts';
import { panelServer } from '../../support/panel/attributes.ts';
import { resetPanel } from '../../support/server-owner.ts';
import { useOwner } from '../../support/use-key.ts';

const run = promisify(execFile);

const id = 'd94a07b3';
const server = panelServer({ identifier: id, name: 'Survival' });
const secret = `whsec_${btoa('a secret of 24 bytes ....')}`;

/** Gives the README's `receive` a signed event. */
const delivery = (at: Date) => {
  const message = { number: 2, message: 'It is fixed.' };
  const body = JSON.stringify({ type: 'ticket.replied', data: { ticket: { id: 7 }, message } });
  const headers = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('evt_1', at, body),
  };
  const request = JSON.stringify({ method: 'POST', body, headers });
  return `console.log((await receive(new Request('http://127.0.0.1', ${request}))).status);`;
};

describe("the client's README", () => {
  const service = useOwner({ rateLimitPerMinute: 1_000_000, panel: { progressTtlMs: 50 } });

  it('has samples that together are a program', async () => {
    resetPanel(service, [server]);
    const { body } = await service.call('POST', '/tickets', {
      ...{ key: service.key, body: { title: 'Lag', message: 'Since noon.' } },
    });
    const samples = (await readDocument('bridge/client/README.md')).matchAll(/```ts\n(.*?)```/gs);
    const program = [...samples].map(([, sample]) => sample).join('\n') + delivery(new Date());
    const { folder, errors } = await compileWithClient({ 'readme.ts': program });
    expect(errors).to.deep.equal([]);
    await writeFile(`${folder}EssentialsX.jar`, 'a plugin');
    const completing = setInterval(completeBackups, 100);
    const host = { GAMEHOST_URL: service.url, GAMEHOST_KEY: service.key };
    const env = { ...process.env, ...host, WEBHOOK_SECRET: secret };
    const options = { cwd: folder, env };
    const { stdout } = await run(process.execPath, ['--no-warnings', 'readme.js'], options).finally(() =>
      clearInterval(completing),
    );
    expect(stdout.trim().split('\n')).to.deep.equal([
      ...[`${id} Survival`, `${body.ticket.id} Lag`, '7 It is fixed.', '204'],
    ]);
    expect(String(service.panel.filesOf(server).get('/plugins/EssentialsX.jar')?.content)).to.equal(
      'a plugin',
    );
  });

  function completeBackups() {
    const completed = { completed_at: new Date().toISOString(), is_successful: true };
    const backups = service.panel.backups.get(id) ?? [];
    const all = backups.map((backup) => ({ ...backup, ...completed }));
    service.panel.backups.set(id, all);
  }
});
