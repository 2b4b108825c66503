/** Prometheus' own promtool reads the alert rules and what the dashboard asks for. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { useDirectory } from '../../support/directory.ts';
import { readDocument } from '../../support/documents.ts';
import { findDebianProgram } from '../../support/programs.ts';

const run = promisify(execFile);
const alerts = fileURLToPath(new URL('../../../server/observability/alerts.yml', import.meta.url));

describe('promtool', () => {
  const folder = useDirectory();
  let promtool: string;

  before(async () => {
    promtool = await findDebianProgram({ packageName: 'prometheus', path: 'usr/bin/promtool' });
  });

  const check = async (file: string) => (await run(promtool, ['check', 'rules', file])).stdout;

  it('accepts the alert rules', async () => {
    expect(await check(alerts)).to.match(/SUCCESS: [1-9]\d* rules found/);
  });

  it('accepts every expression of the dashboard', async () => {
    const { panels } = JSON.parse(await readDocument('server/observability/dashboard.json')) as {
      panels: { targets: { expr: string }[] }[];
    };
    const rules = panels
      .flatMap(({ targets }) => targets)
      // Grafana fills its own variable in.
      .map(({ expr }, index) => ({
        record: `asked_${index}`,
        expr: expr.replaceAll('$__rate_interval', '5m'),
      }));
    const file = join(folder.path, 'dashboard.yml'); // JSON is YAML, too
    await writeFile(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
    expect(await check(file)).to.include(`SUCCESS: ${rules.length} rules found`);
  });
});
