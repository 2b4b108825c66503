/** Spectral's own OpenAPI rules find no error and no warning in either version of the document. */
import { expect } from 'chai';
import { type ClientFolder, installFromNpm } from '../support/client-tools.ts';
import { useService } from '../support/service.ts';

describe('Spectral', () => {
  const service = useService({ hasApps: true });
  let folder: ClientFolder;

  before(async () => {
    folder = await installFromNpm('spectral', ['@stoplight/spectral-cli@6']);
    await folder.write('.spectral.json', JSON.stringify({ extends: ['spectral:oas'] }));
  });

  for (const path of ['/openapi.json', '/openapi.json?version=3.0'])
    it(`finds nothing wrong with ${path}`, async () => {
      await folder.write('openapi.json', JSON.stringify((await service.call('GET', path)).body));
      const options = '--ruleset .spectral.json --format json --fail-severity hint --quiet'.split(' ');
      const printed = await folder.run('spectral', ['lint', 'openapi.json', ...options]);
      expect(JSON.parse(printed)).to.deep.equal([]);
    });
});
