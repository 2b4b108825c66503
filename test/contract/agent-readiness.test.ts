/** What agents need to be told of every operation, as rubrics of APIs for agents count it. */
import { expect } from 'chai';
import { createOpenApiDocument, isForOperators } from '../../bridge/openapi/document.ts';
import { appRouter } from '../../routers/index.ts';
import { operationsOf } from '../support/openapi-reader.ts';
import { rows } from '../support/samples.ts';

const baseUrl = 'https://api.games.example';
const documented = operationsOf(createOpenApiDocument(appRouter, { baseUrl }));
const writes = rows.filter(({ type }) => type === 'mutation');
const undo = /undo|undoes|cannot be undone/;

const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;

describe('every operation, for an agent', () => {
  it('that writes says in one sentence what undoes it, or that it cannot be undone', () => {
    const sentencesOf = (text: string) => text.split(/(?<=\.) /).filter((sentence) => undo.test(sentence));
    const wrong = writes.filter(({ description }) => sentencesOf(description).length !== 1);
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
      const isFinal = row.description.includes('cannot be undone') && row.tool?.destructive === true;
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
