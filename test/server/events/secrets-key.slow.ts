/** SECRETS_KEY for webhooks: which starts need it, how it is changed, and that signing secrets outlive a change. */
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { findFreePort } from '../../../server/embedded-database/free-port.ts';
import { addCustomers } from '../../perf/customers.ts';
import { createCli } from '../../support/cli.ts';
import { useDirectory } from '../../support/directory.ts';
import { eventually } from '../../support/eventually.ts';
import { testDatabaseUri } from '../../support/mongo.ts';
import { runProgram, startProgram } from '../../support/program.ts';
import { useForEach } from '../../support/use-started.ts';
import { startReceiver } from '../../support/webhook-receiver.ts';

const keyOf = (text: string) => Buffer.alloc(32, text);
const opened = { WEBHOOK_ALLOWED_ADDRESSES: '127.0.0.1/32' };

describe('the key of webhooks', () => {
  const folder = useDirectory();
  const receiver = useForEach(startReceiver);

  async function post({ url, key }: { url: string; key: string }, path: string, body?: object) {
    const headers = { 'X-API-Key': key, ...(body && { 'Content-Type': 'application/json' }) };
    const init = { method: 'POST', headers, ...(body && { body: JSON.stringify(body) }) };
    const response = await fetch(`${url}/api/v1${path}`, init);
    return { status: response.status, body: await response.json() };
  }

  interface Made {
    webhook: { id: string };
    secret: string;
  }

  const create = async (url: string, key: string): Promise<Made> => {
    const { body } = await post({ url, key }, '/webhooks', { url: receiver.url, events: ['*'] });
    return body as Made; // by the contract
  };

  async function expectSigned(url: string, key: string, made: Made) {
    const count = receiver.received.length + 1;
    expect((await post({ url, key }, `/webhooks/${made.webhook.id}/test`)).status).to.equal(202);
    const request = (await receiver.waitFor(count)).at(-1);
    new Webhook(made.secret).verify(request?.text ?? '', request?.headers as Record<string, string>);
  }

  it('changes in one start with the old key as SECRETS_KEY_PREVIOUS, and every secret stays usable', async () => {
    const settings = { MONGODB_URI: testDatabaseUri(), ...opened };
    const [key = ''] = await addCustomers(settings.MONGODB_URI, 1);
    const first = await startProgram({ ...settings, SECRETS_KEY: keyOf('one').toString('base64') });
    const made = await create(first.url, key);
    await expectSigned(first.url, key, made);
    await first.stop();

    const SECRETS_KEY = keyOf('two').toString('hex');
    const refused = await runProgram({ ...settings, SECRETS_KEY });
    expect(refused.code).to.equal(1);
    expect(refused.output).to.include('SECRETS_KEY does not fit what is stored');
    const SECRETS_KEY_PREVIOUS = keyOf('one').toString('hex');
    const second = await startProgram({ ...settings, SECRETS_KEY, SECRETS_KEY_PREVIOUS });
    await expectSigned(second.url, key, made);
    await second.stop();

    const metricsPort = String(await findFreePort());
    const third = await startProgram({ ...settings, SECRETS_KEY, METRICS_PORT: metricsPort });
    await expectSigned(third.url, key, made);
    const metrics = () =>
      fetch(`http://127.0.0.1:${metricsPort}/metrics`).then((response) => response.text());
    await eventually(async () =>
      expect(await metrics()).to.include('gamehost_webhook_attempts_total{outcome="success"} 1\n'),
    );
    expect(await metrics()).to.include('gamehost_webhook_oldest_pending_seconds 0\n');
    await third.stop();
    for (const wrong of [{ SECRETS_KEY: SECRETS_KEY_PREVIOUS }, {}]) {
      const { code, output } = await runProgram({ ...settings, ...wrong });
      expect([code, /SECRETS_KEY (does not fit what is stored|is required)/.test(output)]).to.deep.equal([
        ...[1, true],
      ]);
    }
  });

  it('stops the start, which names the setting, if it is too short or malformed, or only the previous key is set', async () => {
    const short = Buffer.alloc(31).toString('base64');
    const wrong = [{ SECRETS_KEY: short }, { SECRETS_KEY: 'not a key, though it is long enough for one' }];
    for (const settings of [...wrong, { SECRETS_KEY_PREVIOUS: keyOf('one').toString('hex') }]) {
      const { code, output } = await runProgram({ MONGODB_URI: testDatabaseUri(), ...settings });
      expect(code).to.equal(1);
      expect(output).to.include('SECRETS_KEY').and.not.include(Object.values(settings)[0]);
    }
  });

  it('is made once with the embedded database and stored beside its data, for its owner only', async () => {
    const dataDir = folder.path;
    const file = join(dataDir, 'secrets.key');
    const first = await startProgram({ DATA_DIR: dataDir, ...opened });
    const made = await create(first.url, first.key ?? '');
    await first.stop();
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
    const kept = await readFile(file, 'utf8');
    const second = await startProgram({ DATA_DIR: dataDir, ...opened });
    await expectSigned(second.url, first.key ?? '', made);
    await second.stop();
    expect(await readFile(file, 'utf8')).to.equal(kept);
  });

  it('is read with a final line break, and an unusable file stops the start with its name and reason, unchanged', async () => {
    const dataDir = join(folder.path, 'damaged');
    const file = join(dataDir, 'secrets.key');
    const first = await startProgram({ DATA_DIR: dataDir, ...opened });
    const made = await create(first.url, first.key ?? '');
    await first.stop();
    const kept = await readFile(file, 'utf8');
    await writeFile(file, `${kept}\r\n`);
    const second = await startProgram({ DATA_DIR: dataDir, ...opened });
    await expectSigned(second.url, first.key ?? '', made);
    await second.stop();

    const todo = 'Repair it, or restore it from a copy: it is never replaced.';
    const refusal = async () => {
      const { code, output } = await runProgram({ DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'silent' });
      return [code, output.trim().split('\n').at(-1)];
    };
    await writeFile(file, kept.slice(1));
    const damaged = `${file} cannot be used: it does not hold 64 hexadecimal digits. ${todo}`;
    expect(await refusal()).to.deep.equal([1, damaged]);
    expect(await readFile(file, 'utf8')).to.equal(kept.slice(1));
    await rm(file);
    await mkdir(file);
    const unreadable = `${file} cannot be used: EISDIR: illegal operation on a directory, read. ${todo}`;
    expect(await refusal()).to.deep.equal([1, unreadable]);
  });

  it('belongs to a backup of the embedded database, which starts elsewhere with the same secrets', async () => {
    const from = join(folder.path, 'from');
    const to = join(folder.path, 'to');
    const backup = join(folder.path, 'backup');
    const first = await startProgram({ DATA_DIR: from, ...opened });
    const made = await create(first.url, first.key ?? '');
    await createCli({ DATA_DIR: from }).json(['backup', backup]);
    await first.stop();
    expect((await stat(`${backup}/secrets.key`)).mode & 0o777).to.equal(0o600);

    const other = createCli({ DATA_DIR: to });
    await other.json(['restore', backup]);
    const second = await startProgram({ DATA_DIR: to, ...opened });
    await expectSigned(second.url, first.key ?? '', made);
    await second.stop();

    const MONGODB_URI = testDatabaseUri();
    const said = await createCli({ MONGODB_URI }).text(['restore', backup]);
    expect(said).to.include(`Set SECRETS_KEY to the text of ${backup}/secrets.key`);
    const SECRETS_KEY = await readFile(`${backup}/secrets.key`, 'utf8');
    const third = await startProgram({ MONGODB_URI, SECRETS_KEY, ...opened });
    await expectSigned(third.url, first.key ?? '', made);
    await third.stop();

    await writeFile(join(to, 'secrets.key'), 'f'.repeat(64));
    const { code, output } = await runProgram({ DATA_DIR: to, PORT: '0', LOG_LEVEL: 'silent' });
    expect([code, output.split('\n')[0]]).to.deep.equal([
      1,
      'secrets.key in DATA_DIR does not fit what is stored: restore the secrets.key of this data, or set SECRETS_KEY to its text',
    ]);
  });
});
