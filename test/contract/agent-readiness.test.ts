/** Facts that agents need about every operation, as rubrics for agent-ready APIs count them. */
import { expect } from 'chai';
import type { Schema } from '../../bridge/json-schema.ts';
import { createOpenApiDocument, isForOperators } from '../../bridge/openapi/document.ts';
import { appRouter } from '../../routers/index.ts';
import type { Undo } from '../../routers/trpc.ts';
import { operationsOf } from '../support/openapi-reader.ts';
import { apiOperations } from '../support/samples.ts';

const baseUrl = 'https://api.games.example';
const document = createOpenApiDocument(appRouter, { baseUrl });
const documented = operationsOf(document);
const { schemas } = document.components;
const writes = apiOperations.filter(({ type }) => type === 'mutation');
const undoing = /undo|undoes|cannot be undone/;

const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;

/** The kind of undo that a tool's text states. */
function undoOf(text: string): Undo {
  if (/only (a backup|restoring).* (undoes|brings it back)/.test(text)) return 'backup';
  return /undoes/.test(text) && !/nothing undoes/.test(text) ? 'call' : 'none';
}

describe("every operation's description for agents", () => {
  it('declares for a write what undoes it, and says so in one sentence', () => {
    for (const row of writes) {
      expect(row.undo, `${nameOf(row)} declares no undo`).to.be.oneOf(['call', 'backup', 'none']);
      const sentences = row.description.split(/(?<=\.) /).filter((sentence) => undoing.test(sentence));
      expect(sentences, nameOf(row)).to.have.lengthOf(1);
      expect(/cannot be undone/.test(String(sentences)), nameOf(row)).to.equal(row.undo !== 'call');
    }
    expect(apiOperations.filter(({ type, undo }) => type === 'query' && undo)).to.deep.equal([]);
  });

  it("agrees on undoing with the tool's own text", () => {
    for (const { undo, tool, ...row } of writes)
      if (tool?.description) expect(undoOf(tool.description), nameOf(row)).to.equal(undo);
  });

  it('says in its first two sentences what it does and when to use it', () => {
    for (const { operation, ...place } of documented) {
      const [first = '', second] = operation.description.split(/(?<=\.)\s/);
      expect(first, nameOf(place)).to.match(/^[A-Z][a-z]+s,? /);
      expect(`${first} ${second}`, nameOf(place)).to.match(/ Use it (to|for|when|if|once|before|after) /);
    }
  });

  it('describes every property of every schema', () => {
    for (const [name, schema] of Object.entries(schemas))
      expect(undescribedIn(schema), name).to.deep.equal([]);
  });

  it('has samples in three languages for customers, with the key and the base address written out', () => {
    for (const { operation, ...place } of documented) {
      const samples = operation['x-codeSamples'] ?? [];
      const labels = isForOperators(operation) ? [] : ['curl', 'TypeScript', 'Python'];
      expect(
        samples.map(({ label }) => label),
        nameOf(place),
      ).to.deep.equal(labels);
      const url = `${baseUrl}/api/v1${place.path.split('{')[0]}`;
      const method = `gamehost.${operation.tags[0]?.toLowerCase()}.${operation.operationId}(`;
      for (const { label, source } of samples) {
        expect(source)
          .to.include(label === 'TypeScript' ? method : url)
          .and.include(baseUrl)
          .and.not.match(/[{}]\w+_id/);
        expect(source.includes('GAMEHOST_KEY'), source).to.equal(operation.security.length > 0);
      }
    }
  });

  it('says whether it acts, with which consequence, and whether a person decides', () => {
    const access = new Map(
      documented.map(({ operation, ...place }) => [nameOf(place), operation['x-agentic-access']]),
    );
    for (const row of apiOperations) {
      const { 'action-class': actionClass, consequence, escalation } = access.get(nameOf(row)) ?? {};
      expect(actionClass, nameOf(row)).to.equal(row.type === 'mutation' ? 'acting' : 'connected');
      expect(consequence === 'read', nameOf(row)).to.equal(row.type === 'query');
      if (row.undo === 'backup') expect(escalation?.['human-in-the-loop'], nameOf(row)).to.equal('required');
    }
    const consequenceOf = (name: string) => access.get(name)?.consequence;
    expect(consequenceOf('GET /servers')).to.equal('read');
    expect(consequenceOf('POST /tickets')).to.equal('write');
    for (const row of writes.filter(({ method, undo }) => method !== 'POST' && undo === 'call'))
      expect(consequenceOf(nameOf(row)), nameOf(row)).to.equal('physical');
    expect(consequenceOf('POST /servers/{server_identifier}/power')).to.equal('physical');
    for (const name of [
      'DELETE /servers/{server_identifier}/backups/{backup_uuid}',
      'POST /servers/{server_identifier}/files/delete',
      'POST /servers/{server_identifier}/files/fetch',
      'POST /servers/{server_identifier}/command',
      'POST /servers/{server_identifier}/schedules/{schedule_id}/run',
      'POST /webhooks/{webhook_id}/rotate-secret',
      'POST /credentials/revoke',
    ])
      expect(consequenceOf(name), name).to.equal('safety-critical');
  });
});

/** The names of the properties of the schema, and of those within it, that nothing describes. */
function undescribedIn(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return [];
  const { properties = {} } = part as Schema;
  const own = Object.entries(properties).filter(([, property]) => !descriptionOf(property));
  return [...own.map(([name]) => name), ...Object.values(part).flatMap(undescribedIn)];
}

const descriptionOf = ({ $ref = '', description }: Schema) =>
  description ?? schemas[$ref.replace('#/components/schemas/', '')]?.description;
