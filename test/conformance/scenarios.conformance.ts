/** The official conformance scenarios, against a service whose router has the two tools that they call. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { useService } from '../support/service.ts';
import { testRouter } from '../support/test-router.ts';
import { useStarted } from '../support/use-started.ts';
import { startKeyProxy } from './key-proxy.ts';
import { runSuite } from './run-suite.ts';

const suites = {
  'of the released suite, up to 2025-11-25': {
    package: '@modelcontextprotocol/conformance@0.1.16',
    options: ['--suite', 'all'],
    failures: 'expected-failures-2025-11-25.yml',
  },
  'of 2026-07-28': {
    package: '@modelcontextprotocol/conformance@0.2.0-alpha.12',
    options: ['--requirements', '2026-07-28'],
    failures: 'expected-failures-2026-07-28.yml',
  },
};

describe('conformance scenarios', () => {
  const service = useService({ router: testRouter, rateLimitPerMinute: 1_000_000 });
  const proxy = useStarted(async () => startKeyProxy(service.url, (await service.addKey()).secret));
  let results: string;

  before(async () => {
    results = await mkdtemp(join(tmpdir(), 'gamehost-conformance-'));
  });
  after(() => rm(results, { recursive: true }));

  for (const [name, { package: suite, options, failures }] of Object.entries(suites))
    it(`all pass for ${name}, except those that need more than tools`, async () => {
      const baseline = fileURLToPath(new URL(failures, import.meta.url));
      const { exitCode, output, errors } = await runSuite({ package: suite, program: 'conformance' }, [
        ...['server', '--url', `${proxy.url}/mcp`, '-o', results],
        ...['--expected-failures', baseline, ...options],
      ]);
      process.stdout.write(output.slice(output.indexOf('=== SUMMARY')));
      expect(exitCode, errors).to.equal(0);
    });
});
