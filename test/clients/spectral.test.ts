/** Spectral's own OpenAPI rules find no error and no warning in either form of the document. */
import { expect } from 'chai';
import { type ClientFolder, installFromNpm } from '../support/client-tools.ts';
import { startTestService, type TestService } from '../support/service.ts';

describe('Spectral', () => {
  let service: TestService;
  let folder: ClientFolder;

  before(async () => {
    service = await startTestService();
    folder = await installFromNpm('spectral', ['@stoplight/spectral-cli@6']);
    await folder.write('.spectral.json', JSON.stringify({ extends: ['spectral:oas'] }));
  });
  after(() => service.stop());

  for (const path of ['/openapi.json', '/openapi.json?version=3.0'])
    it(`has no complaint about ${path}`, async () => {
      await folder.write('openapi.json', JSON.stringify((await service.call('GET', path)).body));
      const options = [
        '--ruleset',
        '.spectral.json',
        '--format',
        'json',
        '--fail-severity',
        'hint',
        '--quiet',
      ];
      expect(JSON.parse(await folder.run('spectral', ['lint', 'openapi.json', ...options]))).to.deep.equal(
        [],
      );
    });
});
