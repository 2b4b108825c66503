/** Every sample of the OpenAPI document runs unchanged against the demo, in the program that a reader would use. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { CodeSample } from '../../bridge/openapi/samples.ts';
import { exampleServerId } from '../../routers/schemas/common.ts';
import { exampleDeliveryId, exampleWebhookId } from '../../routers/webhooks/webhook-schema.ts';
import { compileWithClient, installedClient } from '../support/client.ts';
import { samplesOf } from '../support/documents.ts';
import { eventually } from '../support/eventually.ts';
import { panelBackup } from '../support/panel/attributes.ts';
import { startProgram, type TestProgram } from '../support/program.ts';

const run = promisify(execFile);

const programs: Record<string, [program: string, ...args: string[]]> = {
  curl: ['sh', '-c'],
  TypeScript: ['node', '--input-type=module', '--eval'],
  Python: ['python3', '-c'],
};

interface Sampled {
  id: string;
  isRead: boolean;
  samples: CodeSample[];
}

interface DocumentedMethods {
  [method: string]: { operationId: string; 'x-codeSamples'?: CodeSample[] };
}

describe('the code samples of the OpenAPI document', () => {
  let dataDir: string;
  let demo: TestProgram;
  let sampled: Sampled[];
  /** The demo's names in place of the examples': its webhooks have random ids. */
  const names = new Map<string, string>();

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'gamehost-samples-'));
    const settings = { CONSOLE_COMMANDS: 'true', RATE_LIMIT_PER_MINUTE: '100000' };
    demo = await startProgram({ DATA_DIR: dataDir, WEBHOOK_ALLOWED_ADDRESSES: '127.0.0.0/8', ...settings });
    const { paths } = (await call('GET', '/openapi.json')) as { paths: Record<string, DocumentedMethods> };
    sampled = Object.values(paths).flatMap((methods) =>
      Object.entries(methods).flatMap(([method, { operationId: id, 'x-codeSamples': samples }]) =>
        samples ? [{ id, isRead: method === 'get', samples }] : [],
      ),
    );
    await addWebhook();
  });
  after(async () => {
    await demo.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  async function call(method: string, path: string, body?: object): Promise<unknown> {
    const response = await fetch(`${demo.url}/api/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${demo.key}`, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${text}`);
    return JSON.parse(text);
  }

  async function addWebhook() {
    const wanted = { url: 'http://127.0.0.1:9/', events: ['*'] };
    const { webhook } = (await call('POST', '/webhooks', wanted)) as { webhook: { id: string } };
    const test = `/webhooks/${webhook.id}/test`;
    const { delivery } = (await call('POST', test)) as { delivery: { id: string } };
    names.set(exampleWebhookId, webhook.id).set(exampleDeliveryId, delivery.id);
  }

  async function execute(label: string, source: string): Promise<string> {
    const [program = '', ...args] = programs[label] ?? [];
    const env = { PATH: process.env['PATH'], GAMEHOST_KEY: demo.key ?? '' };
    return (await run(program, [...args, source], { env, cwd: await installedClient() })).stdout;
  }

  async function runSample({ label, source }: CodeSample): Promise<void> {
    const named = [...names].reduce((text, [example, name]) => text.replaceAll(example, name), source);
    const stdout = await execute(label, named);
    expect(stdout, `${label}: ${named}`).to.match(/^\s*\{/);
    if (label === 'curl') expect(JSON.parse(stdout), named).not.to.have.property('error');
  }

  it('compile in TypeScript with the types of the client, like the program of the guide, which runs', async () => {
    const guide = await (await fetch(`${demo.url}/api/v1/docs/clients.md`)).text();
    const [program = ''] = samplesOf(guide, 'ts');
    expect(await execute('TypeScript', program)).to.include('Hearthstead SMP');
    const sources = sampled.map(({ samples }) => samples.find(({ lang }) => lang === 'TypeScript')?.source);
    const programs = [program, ...sources].map((source = '', index) => [`${index}.ts`, source]);
    expect((await compileWithClient(Object.fromEntries(programs))).errors).to.deep.equal([]);
  });

  it('run for every read in all three languages', async () => {
    const reads = sampled.filter(({ isRead }) => isRead);
    expect(reads).to.have.length.above(20);
    for (const { samples } of reads) await Promise.all(samples.map(runSample));
  });

  it('run for every write in all three languages, one after the other', async () => {
    const server = `/servers/${exampleServerId}`;
    const backup = `${server}/backups/${panelBackup().uuid}`;
    const restoreFile = () =>
      call('PUT', `${server}/files/content`, { file: '/server.properties', content: 'max-players=40\n' });
    /** Restores what the sample needs and the one before it changed. */
    const prepare: Record<string, () => Promise<unknown>> = {
      createServerBackup: deleteOtherBackups,
      sendConsoleCommand: () => untilServer('running'),
      moveServerFile: () => restoreFile().then(() => remove('server.properties.old')),
      createServerDirectory: () => remove('backups'),
      deleteServerFiles: restoreFile,
      runServerSchedule: deleteOtherBackups,
      reinstallServer: backUpAgain,
      restoreServerBackup: stopServer,
      deleteServerBackup: stopServer,
      deleteWebhook: addWebhook,
    };
    /** These run last, in this order. */
    const last = [
      'reinstallServer',
      'deleteWebhook',
      'restoreServerBackup',
      'deleteServerBackup',
      'deleteServerSchedule',
    ];
    /** The demo has only one of each resource that these delete. */
    const once = ['deleteServerBackup', 'deleteServerSchedule'];

    async function deleteOtherBackups() {
      const { backups } = (await call('GET', `${server}/backups`)) as { backups: { uuid: string }[] };
      const others = backups.filter(({ uuid }) => !backup.endsWith(uuid));
      for (const { uuid } of others) await call('DELETE', `${server}/backups/${uuid}`);
    }
    /** A reinstallation needs a backup of today, and a server that is not being installed. */
    async function backUpAgain() {
      await eventually(async () => {
        const found = (await call('GET', server)) as { server: { status: string | null } };
        expect(found.server.status).to.equal(null);
      });
      await deleteOtherBackups();
      const created = (await call('POST', `${server}/backups`)) as { backup: { uuid: string } };
      await call('GET', `${server}/backups/${created.backup.uuid}?wait=25`);
      names.set(panelBackup().uuid, created.backup.uuid);
    }
    async function remove(file: string) {
      const { files } = (await call('GET', `${server}/files?directory=/`)) as { files: { name: string }[] };
      if (files.some(({ name }) => name === file))
        await call('POST', `${server}/files/delete`, { files: [`/${file}`] });
    }
    async function untilServer(state: string) {
      await eventually(async () => {
        const found = (await call('GET', `${server}/resources`)) as { resources: { state: string } };
        expect(found.resources.state).to.equal(state);
      });
    }
    async function stopServer() {
      await eventually(() => call('POST', `${server}/power`, { signal: 'stop' })); // not accepted while a restore runs
      await untilServer('offline');
    }
    // The demo has no machine that fetches files, so it answers 502.
    const writes = sampled.filter(({ id, isRead }) => !isRead && id !== 'fetchServerFile');
    for (const { id, samples } of writes.toSorted((a, b) => last.indexOf(a.id) - last.indexOf(b.id)))
      for (const sample of once.includes(id) ? samples.slice(0, 1) : samples) {
        await prepare[id]?.();
        await runSample(sample);
      }
  });
});
