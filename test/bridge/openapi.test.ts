/** The service's OpenAPI document, for readers, code generators and programs. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import { z } from 'zod';
import { createOpenApiDocument } from '../../bridge/openapi/document.ts';
import { restErrors } from '../../bridge/openapi/responses.ts';
import { appRouter } from '../../routers/index.ts';
import { NoInput } from '../../routers/schemas/common.ts';
import { scopeSentences } from '../../routers/scopes.ts';
import { type Endpoint, endpoint, router, visitorProcedure } from '../../routers/trpc.ts';
import { operationsOf, partsOf } from '../support/openapi-reader.ts';
import { apiOperations } from '../support/samples.ts';
import { testRouter } from '../support/test-router.ts';

const baseUrl = 'https://api.gamehost.example';

const documentOf = (router: Parameters<typeof createOpenApiDocument>[0], publicUrl = baseUrl) =>
  createOpenApiDocument(router, { baseUrl: publicUrl });

describe('the OpenAPI document', () => {
  const document = documentOf(appRouter);
  const { paths, components } = document;

  it('is the same on every build, whatever document was built before', () => {
    documentOf(testRouter);
    expect(documentOf(appRouter)).to.deep.equal(document);
  });

  it('contains only JSON values', () => {
    expect(JSON.parse(JSON.stringify(document))).to.deep.equal(document);
  });

  it('names both headers for the key, every scope, every error code and the limits', () => {
    const { description } = document.info;
    for (const [scope, sentence] of Object.entries(scopeSentences))
      expect(description).to.include(`- \`${scope}\`: ${sentence}`);
    const codes = [...description.matchAll(/^- (\d{3}) `(\w+)`/gm)].map(
      ([, status, code]) => `${status} ${code}`,
    );
    expect(codes).to.have.members(restErrors.map(({ status, code }) => `${status} ${code}`));
    for (const words of [
      '`Authorization: Bearer <API_KEY>`',
      '`X-API-Key: <API_KEY>`',
      '120 calls a minute',
      '256 KiB',
      '`X-Request-Id`',
    ])
      expect(description).to.include(words);
  });

  it('declares a key in either header, and is itself public', () => {
    expect(components.securitySchemes.bearer).to.include({ type: 'http', scheme: 'bearer' });
    expect(components.securitySchemes.apiKey).to.include({ type: 'apiKey', in: 'header', name: 'X-API-Key' });
    const open = new Set<string>(apiOperations.filter(({ scope }) => scope === null).map(({ path }) => path));
    for (const { path, operation } of operationsOf(document))
      expect(operation.security).to.deep.equal(open.has(path) ? [] : [{ bearer: [] }, { apiKey: [] }]);
  });

  it('marks as destructive the operations that delete, restore or reinstall, and no others', () => {
    const destructive = operationsOf(document).filter(({ operation }) => operation['x-destructive']);
    const deletions = operationsOf(document).filter(({ method }) => method === 'DELETE');
    expect(destructive.map(({ operation }) => operation.operationId)).to.have.members([
      ...deletions.map(({ operation }) => operation.operationId),
      ...['deleteServerFiles', 'restoreServerBackup', 'reinstallServer'],
    ]);
  });

  it('states the required scope', () => {
    const reply = paths['/tickets/{ticket_id}/reply']?.['post'];
    expect(reply?.['x-required-scope']).to.equal('write:tickets');
    expect(reply?.description).to.include('Requires a key with the scope `write:tickets`.');
    expect(paths['/openapi.json']?.['get']).not.to.have.property('x-required-scope');
  });

  it('gives each operation the unique name of its tool', () => {
    const ids = operationsOf(document).map(({ operation }) => operation.operationId);
    expect(new Set(ids)).to.have.lengthOf(ids.length);
    expect(ids).to.include.members(['listGames', 'getMyProfile', 'replyToTicket', 'setServerPower']);
    expect(ids).to.include.members(['adminCreateAnnouncement', 'getCurrentKey', 'getBackupDownloadLink']);
    expect(ids).to.include.members(['listMyActivity', 'getMyActivitySummary', 'revokeCredential']);
    expect(ids).to.include.members(['createWebhook', 'changeWebhook', 'rotateWebhookSecret']);
  });

  it('names each operation by a verb and a noun, with the prefix admin for administrators', () => {
    const verbs =
      'list get read fetch create change put set write send move delete restore reply close reopen answer invite test redeliver rotate revoke assign note replace run reinstall';
    for (const { operation } of operationsOf(document)) {
      const [first, ...others] =
        operation.operationId.replace(/^admin([A-Z])/, '$1').match(/[A-Z]?[a-z]+/g) ?? [];
      expect(operation.operationId).to.match(/^[a-z]+([A-Z][a-z]+)+$/);
      expect(
        verbs.split(' '),
        `${operation.operationId}: begin it with a verb, or add its verb here`,
      ).to.include(first?.toLowerCase());
      expect(others).to.not.deep.equal([]);
    }
  });

  it('defines a named schema for each noun of the contract and refers to it', () => {
    const nouns =
      'Announcement Game Plan Me Server Subscription Ticket TicketCreated ErrorResponse PowerResult';
    const requests = ['TicketCreate', 'TicketReply', 'Power', 'AnnouncementCreate'];
    expect(components.schemas).to.include.all.keys(
      ...nouns.split(' '),
      ...requests.map((name) => `${name}Request`),
    );
    expect(components.schemas['TicketCreateResult']?.properties).to.deep.equal({
      ticket: { $ref: '#/components/schemas/TicketCreated' },
    });
    expect(components.schemas['Game']?.properties?.['plans']).to.deep.include({
      type: 'array',
      items: { $ref: '#/components/schemas/Plan' },
    });
  });

  it('avoids schema names that are built-in types of a language', () => {
    const browser = readFileSync(
      createRequire(import.meta.url).resolve('typescript/lib/lib.dom.d.ts'),
      'utf8',
    );
    const types = [...browser.matchAll(/^(?:interface|type) (\w+)/gm)].map(([, name]) => name);
    // From the standard libraries of C#, Go, Java, Kotlin, PHP, Python, Ruby, Rust and Swift.
    const others =
      'Action Attribute Buffer Character Console Context Data Directory Duration Encoding Enum Environment Error Exception ' +
      'File FileInfo Function Host Index Key Link List Map Message Method Module Note Notification Object Operation Option ' +
      'Optional Pair Path Process Queue Range Record Result Scanner Set Stack String Task Thread Timer Tuple Type Uri Version';
    const taken = new Set([...types, ...others.split(' ')]);
    expect(Object.keys(components.schemas).filter((name) => taken.has(name))).to.deep.equal([]);
    expect(components.schemas).to.include.all.keys([
      'ServerFile',
      'ServerFileList',
      'ServerConsole',
      'ScheduleTask',
      'TicketMessage',
      'TicketNote',
      'ApiKey',
    ]);
  });

  it('leaves path parameters out of the body', () => {
    const power = paths['/servers/{server_identifier}/power']?.['post'];
    expect(
      power?.parameters?.map(({ name, in: place, required }) => ({ name, place, required })),
    ).to.deep.equal([
      { name: 'server_identifier', place: 'path', required: true },
      { name: 'Idempotency-Key', place: 'header', required: false },
    ]);
    expect(power?.requestBody?.required).to.equal(true);
    expect(power?.requestBody?.content['application/json'].example).to.deep.equal({ signal: 'restart' });
    expect(power?.parameters?.map(({ example }) => example)).to.deep.equal(['8c1f6e2a', undefined]);
    const request = components.schemas['PowerRequest'];
    expect(Object.keys(request?.properties ?? {})).to.deep.equal(['signal']);
    expect(request?.['required']).to.deep.equal(['signal']);
  });

  it('closes request schemas and leaves response schemas open', () => {
    for (const [name, schema] of Object.entries(components.schemas))
      if (schema.properties && name !== 'OpenApiDocument')
        expect(schema.additionalProperties, name).to.equal(
          /Request(With\w+)?$/.test(name) ? false : undefined,
        );
  });

  it('describes open enums as strings, and has anyOf only for two schemas, or one and null', () => {
    for (const part of partsOf(document)) {
      const { type, anyOf, examples, 'x-extensible-enum': values, ...more } = part;
      if (values) {
        expect([type].flat()).to.include('string');
        expect(values.slice(0, 3)).to.deep.equal(examples);
        expect(more).not.to.have.property('enum');
      }
      if (!anyOf) continue;
      const [one = {}, other = {}, ...others] = anyOf;
      const isChoice = ('$ref' in one || 'enum' in one) && ('$ref' in other || other.type === 'null');
      expect(isChoice && others.length === 0, JSON.stringify(part)).to.equal(true);
    }
    expect(components.schemas['ServerState']).to.deep.include({
      type: 'string',
      'x-extensible-enum': ['running', 'starting', 'stopping', 'offline', 'unknown'],
      examples: ['running', 'starting', 'stopping'],
    });
  });

  it('describes numbers and nulls in a way that generators of every language understand', () => {
    expect(JSON.stringify(document)).not.to.include(String(Number.MAX_SAFE_INTEGER));
    const [page, pageSize] = paths['/announcements']?.['get']?.parameters ?? [];
    expect(page?.schema).to.deep.equal({ type: 'integer', format: 'int64', minimum: 1, default: 1 });
    expect(pageSize?.schema).to.deep.equal({ type: 'integer', minimum: 1, maximum: 100, default: 20 });
    expect(page?.required).to.equal(false);
    const { properties } = components.schemas['Announcement'] ?? {};
    expect(properties?.['message']?.type).to.deep.equal(['string', 'null']);
    expect(properties?.['published_at']).to.include({ format: 'date-time' });
    const request = components.schemas['AnnouncementPatchRequest'];
    expect(request?.properties?.['publish_at'])
      .to.include({ format: 'date-time' })
      .and.not.to.have.property('pattern');
  });
});

const meta = (given: Partial<Endpoint> = {}): Endpoint => ({
  route: 'GET /test',
  scope: 'read:catalog',
  tag: 'Description',
  summary: 'Test',
  description: 'A test.',
  ...given,
});

const done = () => ({ done: true });
const Done = z.object({ done: z.boolean() });
const procedure = (given?: Partial<Endpoint>) =>
  endpoint(meta(given)).input(NoInput).output(Done).query(done);

describe('a procedure in the OpenAPI document', () => {
  it('has one success response, with its real status', () => {
    const { paths } = createOpenApiDocument(router({ created: procedure({ status: 201 }) }));
    const statuses = Object.keys(paths['/test']?.['get']?.responses ?? {});
    expect(statuses).to.deep.equal(['201', '401', '403', '429', '500', '503']);
  });

  it('has no 403 for a scope when every key will do, but has one for the address', () => {
    const { paths } = createOpenApiDocument(router({ open: procedure({ scope: 'any' }) }));
    const operation = paths['/test']?.['get'];
    expect(operation?.description).to.equal('A test.\n\nRequires any valid key.');
    expect(operation).not.to.have.property('x-required-scope');
    expect(Object.keys(operation?.responses ?? {})).to.deep.equal(['200', '401', '403', '429', '500', '503']);
  });

  it('is included only when it is part of the public API', () => {
    const { paths } = createOpenApiDocument(
      router({
        visit: visitorProcedure.input(NoInput).output(Done).query(done),
        shown: procedure(),
      }),
    );
    expect(Object.keys(paths)).to.deep.equal(['/test']);
  });

  it('stops the start when it uses the title of another schema', () => {
    const Other = z.object({ done: z.string() }).meta({ title: 'Done' });
    const twice = router({
      one: endpoint(meta())
        .input(NoInput)
        .output(Done.meta({ title: 'Done' }))
        .query(done),
      other: endpoint(meta({ route: 'GET /other' }))
        .input(NoInput)
        .output(Other)
        .query(() => ({ done: 'yes' })),
    });
    expect(() => createOpenApiDocument(twice)).to.throw('Two schemas are named Done');
  });

  it('stops the start when it accepts any input', () => {
    const lenient = router({
      lenient: endpoint(meta())
        .input(z.object({ word: z.string().optional() }))
        .output(Done)
        .query(done),
    });
    expect(() => createOpenApiDocument(lenient)).to.throw(
      'lenient accepts any input: its schema must be a z.strictObject',
    );
  });
});
