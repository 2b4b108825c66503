/** Prometheus' own promtool checks the alert rules and the queries of the dashboard. */
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

  it('confirms alerts when each objective is missed for days, and if no process is left', async () => {
    const series = (name: string, labels: string, perMinute: number) => ({
      series: `${name}{job="gamehost",instance="a",${labels}}`,
      values: `0+${perMinute}x1500`,
    });
    const slow = ['1', '2.5', '+Inf'].map((le, index) =>
      series(
        'gamehost_request_duration_seconds_bucket',
        `operation="tickets.list",le="${le}"`,
        index ? 100 : 98,
      ),
    );
    const day = [
      ...[
        series('gamehost_calls_total', 'status="200"', 998),
        series('gamehost_calls_total', 'status="503"', 2),
      ],
      series('gamehost_panel_calls_total', 'outcome="answered"', 98),
      series('gamehost_panel_calls_total', 'outcome="timedOut"', 2),
    ];
    const firing = ['GamehostErrorBudget', 'GamehostPanelBudget', 'GamehostProcessDown', 'GamehostSlow'];
    const expected = {
      ...{ expr: 'count by (alertname) (ALERTS{alertstate="firing"})', eval_time: '1500m' },
      exp_samples: firing.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 })),
    };
    const tests = [{ interval: '1m', input_series: [...day, ...slow], promql_expr_test: [expected] }];
    const file = join(folder.path, 'day.yml');
    await writeFile(file, JSON.stringify({ rule_files: [alerts], evaluation_interval: '1m', tests }));
    expect((await run(promtool, ['test', 'rules', file])).stdout).to.include('SUCCESS');
  });

  it('accepts every expression of the dashboard', async () => {
    const { panels } = JSON.parse(await readDocument('server/observability/dashboard.json')) as {
      panels: { targets: { expr: string }[] }[];
    };
    const rules = panels
      .flatMap(({ targets }) => targets)
      // Grafana replaces this variable.
      .map(({ expr }, index) => ({
        record: `asked_${index}`,
        expr: expr.replaceAll('$__rate_interval', '5m'),
      }));
    const file = join(folder.path, 'dashboard.yml'); // JSON is YAML, too
    await writeFile(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
    expect(await check(file)).to.include(`SUCCESS: ${rules.length} rules found`);
  });
});
