/** Forged headers, with which a caller claims another host, method or path, or adds a line. */
import { expect } from 'chai';
import { toolCall } from '../../support/mcp.ts';
import { requestOf, sendRaw } from '../../support/raw-http.ts';
import { addSamples } from '../../support/samples.ts';
import { useService } from '../../support/service.ts';

const evil = 'evil.example';

const hosts: Record<string, string> = {
  ...{ Host: evil, 'X-Forwarded-Host': evil, 'X-Forwarded-Server': evil, 'X-Host': evil },
  ...{ Forwarded: `host=${evil}`, 'X-Forwarded-Proto': `https://${evil}`, 'X-Forwarded-Prefix': `//${evil}` },
};

const methods: Record<string, string> = {
  ...{ 'X-HTTP-Method-Override': 'POST', 'X-HTTP-Method': 'POST', 'X-Method-Override': 'POST' },
  ...{ 'X-Original-URL': '/api/v1/admin/announcements', 'X-Rewrite-URL': '/api/v1/admin/announcements' },
};

describe('forged headers', () => {
  const service = useService({ config: { trustProxy: true } });
  let key: string;

  before(async () => {
    ({ key } = await addSamples(service));
  });

  // The description and its page contain the requested address; test/bridge covers which parts are trusted.
  for (const path of ['/api/v1/servers', '/account', '/mcp', '/nothing'])
    it(`never bring a false host into a response: ${path}`, async () => {
      const { text, headers } = await sendRaw(
        service.url,
        requestOf(`GET ${path} HTTP/1.1`, { ...hosts, 'X-API-Key': key }),
      );
      expect(text + JSON.stringify([...headers])).not.to.include(evil);
    });

  for (const Host of ['localhost:99999', '[::1', '%%'])
    it(`leave the account page working with an impossible host: ${Host}`, async () => {
      const request = 'GET /account/trpc/session.current HTTP/1.1';
      expect((await sendRaw(service.url, requestOf(request, { Host }))).status).to.equal(200);
    });

  it('change neither the method nor the path', async () => {
    const tickets = await service.connection.collection('tickets').countDocuments();
    const headers = { ...methods, 'Content-Type': 'application/json' };
    const { status, body } = await service.call('GET', '/tickets', { key, headers });
    expect(status).to.equal(200);
    expect(body.tickets).to.have.lengthOf(tickets);
    expect((await service.call('POST', '/tickets?_method=GET', { key, body: {} })).status).to.equal(400);
  });

  const lines = [
    'a\r\nSet-Cookie: evil=1',
    'a\nSet-Cookie: evil=1',
    'a%0d%0aSet-Cookie: evil=1',
    'a\u0000',
    'é',
    'x'.repeat(129),
  ];

  for (const name of ['X-Request-Id', 'Idempotency-Key', 'Origin', 'Mcp-Name', 'Authorization'])
    it(`add no line to a response: ${name}`, async () => {
      for (const value of lines)
        for (const path of ['/api/v1/tickets', '/trpc/tickets.create', '/mcp']) {
          const sent = { 'X-API-Key': key, 'Content-Type': 'application/json', 'Content-Length': '2' };
          const request = requestOf(`POST ${path} HTTP/1.1`, { ...sent, [name]: value }, '{}');
          const { status, headers } = await sendRaw(service.url, Buffer.from(request, 'latin1'));
          expect(status).to.be.within(200, 499);
          expect(headers.has('Set-Cookie')).to.equal(false);
          expect(headers.get('X-Request-Id')).to.match(/^[\w.:-]{1,128}$/);
        }
    });

  it("add no line through names in a path, or an agent's idempotency key", async () => {
    const name = '1%0d%0aSet-Cookie:%20evil=1';
    for (const path of [`/servers/${name}/power`, `/tickets/${name}/reply`]) {
      const answer = await service.call('POST', path, { key, body: { signal: 'start', message: 'a' } });
      expect(answer.status).to.equal(400);
      expect(answer.headers.has('Set-Cookie')).to.equal(false);
    }
    const body = toolCall('create_ticket', { title: 'a', message: 'a', idempotency_key: lines[0] });
    const answer = await service.callAt('POST', '/mcp', { key, body });
    expect(answer.text).to.include('bad_request');
    expect(answer.headers.has('Set-Cookie')).to.equal(false);
  });
});
