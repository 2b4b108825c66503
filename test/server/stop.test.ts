/** SIGTERM under load: accepted connections get responses, acknowledged writes are stored, the exit code is 0. Also refused starts. */
import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import type { Connection } from 'mongoose';
import { readConfig } from '../../server/config.ts';
import { connectMongoose } from '../../server/database.ts';
import { createLog } from '../../server/observability/log.ts';
import { startService } from '../../server/service.ts';
import { addCustomers } from '../perf/customers.ts';
import { failureOf } from '../support/failure-of.ts';
import { testDatabaseUri } from '../support/mongo.ts';
import { startProgram } from '../support/program.ts';

interface Tally {
  responses: number;
  tickets: number;
  /** Failures of connections that were not closed by a response. */
  lost: unknown[];
}

interface Client {
  agent: Agent;
  key?: string;
}

describe('SIGTERM under load', () => {
  let uri: string;
  let connection: Connection;
  let program: Awaited<ReturnType<typeof startProgram>>;

  before(async () => {
    uri = testDatabaseUri();
    connection = await connectMongoose(uri);
    const settings = { RATE_LIMIT_PER_MINUTE: '1000000', METRICS_PORT: '0' };
    program = await startProgram({ MONGODB_URI: uri, ...settings });
  });
  after(async () => {
    await connection.dropDatabase();
    await connection.close();
  });

  function call({ agent, key = '' }: Client, path: string, body?: object): Promise<IncomingMessage> {
    const method = body ? 'POST' : 'GET';
    const headers = { ...(key && { 'X-API-Key': key }), ...(body && { 'Content-Type': 'application/json' }) };
    return new Promise((resolve, reject) => {
      const sending = request(program.url + path, { agent, method, headers }, resolve);
      sending.on('error', reject).end(body && JSON.stringify(body));
    });
  }

  /** Calls on one kept-alive connection until a response closes it. */
  async function callUntilClosed(key: string, tally: Tally): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    try {
      for (let turn = 0; ; turn += 1) {
        const isWrite = turn % 3 === 0;
        const body = isWrite ? { title: 'Lag', message: 'Since noon.' } : undefined;
        const answer = await call({ agent, key }, isWrite ? '/api/v1/tickets' : '/api/v1/me', body);
        await text(answer);
        tally.responses += 1;
        if (answer.statusCode === 201) tally.tickets += 1;
        else if (answer.statusCode !== 200) tally.lost.push(answer.statusCode);
        if (answer.headers.connection === 'close') return;
      }
    } catch (failure) {
      tally.lost.push(failure);
    } finally {
      agent.destroy();
    }
  }

  it('drops no request, stores acknowledged writes and their audit entries, and exits with 0', async () => {
    const tally: Tally = { responses: 0, tickets: 0, lost: [] };
    const keys = await addCustomers(uri, 20); // one customer may not open as many tickets
    const clients = keys.map((key) => callUntilClosed(key, tally));
    while (tally.responses < 300) await new Promise(setImmediate);
    const stopping = program.stop('SIGTERM');
    await Promise.all(clients);
    const metricsUrl = /Metrics +(http:\/\/127\.0\.0\.1:\d+\/metrics)/.exec(program.output())?.[1] ?? '';
    const created = /gamehost_calls_total{operation="tickets.create",status="201",protocol="rest"} (\d+)/;
    expect(created.exec(await (await fetch(metricsUrl)).text())?.[1]).to.equal(String(tally.tickets));

    const stranger = { agent: new Agent() };
    const probe = await call(stranger, '/readyz');
    expect(probe.statusCode).to.equal(503);
    expect(JSON.parse(await text(probe))).to.deep.include({ status: 'stopping' });
    const late = await call(stranger, '/api/v1/openapi.json');
    expect(late.statusCode).to.equal(200);
    await text(late);

    expect(await stopping).to.equal(0);
    expect(tally.lost).to.deep.equal([]);
    expect(tally.tickets).to.be.greaterThan(50);
    expect(await connection.collection('tickets').countDocuments()).to.equal(tally.tickets);
    // The API description needs no key.
    expect(await connection.collection('audit_entries').countDocuments()).to.equal(tally.responses);
    expect(program.output()).to.match(/Stopped\.\s*$/);
  });
});

describe('SIGTERM while requests arrive', () => {
  it('still serves a connection that a balancer has kept for two seconds', async () => {
    const program = await startProgram({ MONGODB_URI: testDatabaseUri() });
    const call = async (agent: Agent) => {
      const sending = request(`${program.url}/healthz`, { agent }).end();
      const [answer] = await once(sending, 'response');
      await text(answer);
      return [answer.statusCode, answer.headers.connection];
    };
    const balancer = new Agent({ keepAlive: true, maxSockets: 1 });
    expect(await call(balancer)).to.deep.equal([200, 'keep-alive']);
    const stopping = program.stop('SIGTERM');
    const until = performance.now() + 2000;
    while (performance.now() < until) await call(new Agent());
    expect(await call(balancer)).to.deep.equal([200, 'close']);
    expect(await stopping).to.equal(0);
  });
});

describe('a start', () => {
  it('is refused in one sentence on a port in use, before it seeds anything', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const PORT = String((taken.address() as AddressInfo).port);
    const config = readConfig({ PORT, MONGODB_URI: testDatabaseUri(), SEED_DEMO: 'true' });
    const starting = startService(config, createLog('silent'), { reportProgress: () => {} });
    const failure = await failureOf(starting);
    taken.close();
    expect(failure.message).to.equal(`Port ${PORT} of 127.0.0.1 is in use. Set PORT to another port.`);
  });
});
