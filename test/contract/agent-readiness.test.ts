/**
 * What rubrics of APIs for agents count (the dimensions of apis.io's agent readiness, and what llmstxt.org and Redocly's
 * extensions add), each point by name, so that the failure says which is open.
 */
import { expect } from 'chai';
import { createOpenApiDocument, isForOperators } from '../../bridge/openapi/document.ts';
import { appRouter } from '../../routers/index.ts';
import { operationsOf } from '../support/openapi-reader.ts';
import { rows } from '../support/samples.ts';
import { startTestService, type TestService } from '../support/service.ts';

const baseUrl = 'https://api.games.example';
const documented = operationsOf(createOpenApiDocument(appRouter, { baseUrl }));
const writes = rows.filter(({ type }) => type === 'mutation');
const undo = /undo|undoes|cannot be undone/;

const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;

describe('every operation, for an agent', () => {
  it('that writes says in one sentence what undoes it, or that it cannot be undone', () => {
    const sentencesOf = (text: string) => text.split(/(?<=\.) /).filter((sentence) => undo.test(sentence));
    const wrong = writes.filter(({ openapi }) => sentencesOf(openapi.description).length !== 1);
    expect(wrong.map(nameOf), 'writes without one such sentence in their description').to.deep.equal([]);
  });

  it('of customers has a sample in three languages, with the key and the base address written out', () => {
    for (const { operation, ...place } of documented) {
      const samples = operation['x-codeSamples'] ?? [];
      const labels = isForOperators(operation) ? [] : ['curl', 'JavaScript', 'Python'];
      expect(
        samples.map(({ label }) => label),
        nameOf(place),
      ).to.deep.equal(labels);
      for (const { source } of samples) {
        expect(source)
          .to.include(`${baseUrl}/api/v1${place.path.split('{')[0]}`)
          .and.not.match(/[{}]\w+_id/);
        expect(source.includes('GAMEHOST_KEY'), source).to.equal(operation.security.length > 0);
      }
    }
  });

  it('says whether it acts, with which consequence, and whether a person decides', () => {
    const access = new Map(
      documented.map(({ operation, ...place }) => [nameOf(place), operation['x-agentic-access']]),
    );
    for (const row of rows) {
      const { 'action-class': actionClass, consequence, escalation } = access.get(nameOf(row)) ?? {};
      expect(actionClass, nameOf(row)).to.equal(row.type === 'mutation' ? 'acting' : 'connected');
      expect(consequence === 'read', nameOf(row)).to.equal(row.type === 'query');
      const isFinal = row.openapi.description.includes('cannot be undone') && row.tool?.destructive === true;
      if (isFinal) expect(escalation?.['human-in-the-loop'], nameOf(row)).to.equal('required');
    }
    const consequenceOf = (name: string) => access.get(name)?.consequence;
    expect(consequenceOf('GET /servers')).to.equal('read');
    expect(consequenceOf('POST /tickets')).to.equal('write');
    expect(consequenceOf('POST /servers/{server_identifier}/power')).to.equal('physical');
    expect(consequenceOf('DELETE /servers/{server_identifier}/backups/{backup_uuid}')).to.equal(
      'safety-critical',
    );
  });
});

/** Points of a rubric: what a program finds, and nothing that a person has to explain to it. */
const points: Record<string, (service: TestService) => Promise<unknown>> = {
  'spec presence': async ({ callAt }) => (await callAt('GET', '/openapi.json')).body.openapi,
  'llms.txt': async ({ callAt }) => (await callAt('GET', '/llms.txt')).text.startsWith('# '),
  'llms-full.txt': async ({ callAt }) => (await callAt('GET', '/llms-full.txt')).text.startsWith('# '),
  'docs in Markdown': async ({ callAt }) =>
    (await callAt('GET', '/api/v1/docs', { headers: { Accept: 'text/markdown' } })).text.startsWith('# '),
  'API catalog': async ({ callAt }) =>
    (await callAt('GET', '/.well-known/api-catalog')).text.includes('"linkset"'),
  'MCP server': async ({ callAt }) => (await callAt('POST', '/mcp', { body: {} })).status === 401,
  'MCP server card': async ({ callAt }) =>
    (await callAt('GET', '/mcp/server-card')).text.includes('"remotes"'),
  'MCP catalog': async ({ callAt }) => (await callAt('GET', '/.well-known/mcp/catalog.json')).body.entries,
  'agent skills': async ({ callAt }) =>
    (await callAt('GET', '/.well-known/agent-skills/index.json')).body.skills,
  'security.txt': async ({ callAt }) => (await callAt('GET', '/.well-known/security.txt')).status === 200,
  'protected resource metadata': async ({ callAt }) =>
    (await callAt('GET', '/.well-known/oauth-protected-resource')).body.authorization_servers,
  'dynamic client registration': async ({ callAt }) =>
    (await callAt('GET', '/.well-known/oauth-authorization-server')).body.registration_endpoint,
  'delegated identity': async ({ callAt }) =>
    (await callAt('GET', '/.well-known/oauth-authorization-server')).body.authorization_endpoint,
  'auth clarity': async ({ callAt }) =>
    (await callAt('GET', '/openapi.json')).body.components.securitySchemes.bearer,
  'error semantics': async ({ callAt }) =>
    (await callAt('GET', '/openapi.json')).body.components.schemas.ErrorDetail,
  'rate limit signal': async ({ call, addKey }) =>
    (await call('GET', '/me', { key: (await addKey()).secret })).headers.get('X-RateLimit-Remaining'),
  'scopes in 403': async ({ call, addKey }) => {
    const { secret } = await addKey({ scopes: ['read:catalog'] });
    const { status, body } = await call('GET', '/me', { key: secret });
    return status === 403 && body.error.message.includes('read:account');
  },
  'event surface described': async ({ callAt }) => (await callAt('GET', '/openapi.json')).body.webhooks,
  idempotency: async ({ callAt }) =>
    (await callAt('GET', '/openapi.json')).text.includes('"name":"Idempotency-Key"'),
  'reversibility documented': async () => writes.every(({ openapi }) => undo.test(openapi.description)),
  'agentic access': async () => documented.every(({ operation }) => 'x-agentic-access' in operation),
  'code samples': async () => documented.some(({ operation }) => 'x-codeSamples' in operation),
  'examples of requests': async () =>
    documented.every(({ operation }) => {
      const body = operation.requestBody?.content['application/json'];
      return body === undefined || 'example' in body;
    }),
};

describe('the rubric of agent readiness', () => {
  it('has no open point', async () => {
    const service = await startTestService({
      ...{ hasApps: true, config: { securityContact: 'mailto:security@games.example' } },
    });
    const open: string[] = [];
    for (const [point, isMet] of Object.entries(points)) if (!(await isMet(service))) open.push(point);
    await service.stop();
    expect(open, 'open points').to.deep.equal([]);
  });
});
