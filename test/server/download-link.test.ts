/** A backup's download link, which anyone can use who has it, reaches its caller, and no log, trace, audit entry or database. */
import { expect } from 'chai';
import { scopes } from '../../routers/scopes.ts';
import { panelBackup, panelServer } from '../../server/panel/demo/attributes.ts';
import { openTestModels, type TestModels } from '../support/models.ts';
import { startProgram } from '../support/program.ts';
import { linkSignature, type StandInPanel, signedUrl, startStandInPanel } from '../support/stand-in-panel.ts';
import { startTraceReceiver, type TraceReceiver } from '../support/trace-receiver.ts';

const identifier = 'a1b2c3d4';
const { uuid } = panelBackup();
const restPath = `/api/v1/servers/${identifier}/backups/${uuid}/download`;
const input = encodeURIComponent(JSON.stringify({ server_identifier: identifier, backup_uuid: uuid }));
const trpcPath = `/trpc/servers.backups.download?input=${input}`;

describe('the download link of a backup', () => {
  let database: TestModels;
  let panel: StandInPanel;
  let collector: TraceReceiver;
  let program: Awaited<ReturnType<typeof startProgram>>;
  let key: string;
  const requestIds: string[] = [];
  const answers: string[] = [];

  before(async () => {
    [database, panel, collector] = await Promise.all([
      openTestModels(),
      startStandInPanel(),
      startTraceReceiver(),
    ]);
    program = await startProgram({
      ...{ MONGODB_URI: database.databaseUri, PANEL_URL: panel.url, LOG_LEVEL: 'trace' },
      ...{ PANEL_APPLICATION_KEY: panel.applicationKey, PANEL_CLIENT_KEY: panel.clientKey },
      ...{ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' },
      OTEL_BSP_SCHEDULE_DELAY: '50',
    });
    const profile = { email: 'ada@example.com', password: 'correct horse', panelUserId: 7 };
    const user = await database.models.users.add(profile, new Date());
    const newKey = { userId: user?._id ?? 0, name: 'test', scopes, expiresAt: null };
    key = (await database.models.apiKeys.issue(newKey, new Date())).secret;
    panel.servers.set(7, [panelServer({ identifier })]);
    panel.backups.set(identifier, [panelBackup()]);
    await download(restPath);
    await download(trpcPath);
    const attributes = { url: signedUrl.replace('https:', 'gopher:') };
    panel.respondNext({ body: { object: 'signed_url', attributes } });
    await download(restPath);
    for (const requestId of requestIds) await collector.trace(requestId);
    await program.stop();
  });
  after(async () => {
    await collector.stop();
    await panel.stop();
    await database.stop();
  });

  async function download(path: string) {
    const response = await fetch(program.url + path, { headers: { 'X-API-Key': key } });
    requestIds.push(response.headers.get('X-Request-Id') ?? '');
    answers.push(await response.text());
  }

  function expectAbsent(text: string): void {
    for (const part of [linkSignature, signedUrl.split('?')[0], 'node.panel.example'])
      expect(text).not.to.include(part);
  }

  it('reaches its caller over REST and tRPC, and only as an http or https address', () => {
    const [rest = '', trpc = '', refused = ''] = answers;
    expect(JSON.parse(rest).url).to.equal(signedUrl);
    expect(JSON.parse(trpc).result.data.url).to.equal(signedUrl);
    expect(JSON.parse(refused).error.code).to.equal('upstream_error');
    expectAbsent(refused);
  });

  it('is in no line of the log at level trace', () => {
    expect(program.output()).to.include('servers.backups.download');
    expect(program.output()).to.include(requestIds[2]);
    expectAbsent(program.output());
  });

  it('is in no span', () => {
    expect(collector.text()).to.include('servers.backups.download').and.include('panel GET');
    expectAbsent(collector.text());
  });

  it('is in no collection of the database, including the audit', async () => {
    const collections = await database.connection.listCollections();
    const texts = collections.map(async ({ name }) =>
      JSON.stringify(await database.connection.collection(name).find().toArray()),
    );
    const text = (await Promise.all(texts)).join();
    expect(text).to.include('servers.backups.download');
    expectAbsent(text);
  });
});
