/** The Grafana dashboard and the Prometheus alert rules use existing metrics, labels and values. */
import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import { parse } from 'yaml';
import { readOperations, readSessionOperations } from '../../../bridge/operations.ts';
import { accountPageRouter } from '../../../routers/account/index.ts';
import { errorTable } from '../../../routers/errors.ts';
import { appRouter } from '../../../routers/index.ts';
import { Metrics } from '../../../server/observability/metrics/metrics.ts';
import { failureTable } from '../../../server/panel/failures.ts';
import { readDocument } from '../../support/documents.ts';

interface Panel {
  targets: { expr: string }[];
}

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
}

/** The labels that Prometheus adds to every sample, and those of a histogram's buckets. */
const addedLabels = ['job', 'instance', 'le'];

const strings = /"[^"]*"/g;
const functions =
  /\b(sum|max|rate|increase|changes|topk|absent|histogram_quantile|by|without|humanize\w*)\b(?=\s*[(])|\b(by|or)\b/g;

/** The metric names in an expression: the rest without strings, matchers, groupings, ranges, functions and numbers. */
const metricsIn = (expr: string): string[] =>
  expr
    .replace(strings, '')
    .replace(/\{[^}]*\}/gs, '')
    .replace(/\bby \([^)]*\)/g, '')
    .replace(/\[[^\]]*\]/g, '')
    .replace(functions, '')
    .match(/[a-z_][a-z\d_]*/gi) ?? [];

/** `label="value"` matchers, as label and value. */
const matchersIn = (expr: string): [string, string][] =>
  [...expr.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"([^"]*)"/g)].map(([, label = '', value = '']) => [
    label,
    value,
  ]);

const groupingsIn = (expr: string): string[] =>
  [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/\s*,\s*/));

describe('the monitoring configuration', () => {
  let panels: Panel[];
  let rules: Rule[];
  let expressions: string[];
  let known: Map<string, Set<string>>;

  before(async () => {
    ({ panels } = JSON.parse(await readDocument('server/observability/dashboard.json')));
    ({
      groups: [{ rules }],
    } = parse(await readDocument('server/observability/alerts.yml')));
    expressions = [...panels.flatMap(({ targets }) => targets), ...rules].map(({ expr }) => expr);
    known = await knownMetrics();
  });

  const matchersOf = (alert: string) => matchersIn(rules.find((rule) => rule.alert === alert)?.expr ?? '');

  /** From the service's registry, with the stored names of histograms, and Prometheus' `up`. */
  async function knownMetrics(): Promise<Map<string, Set<string>>> {
    const metrics = new Metrics();
    metrics.watchPool(new EventEmitter());
    metrics.watchDeliveries({ oldestDue: async () => null, countWaitingMail: async () => 0 });
    const all = metrics.registry.getMetricsAsArray().flatMap((metric) => {
      const labels = new Set((metric as unknown as { labelNames?: string[] }).labelNames); // not in prom-client's type
      const names = metric.type.toString() === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
      return names.map((suffix): [string, Set<string>] => [metric.name + suffix, labels]);
    });
    return new Map([...all, ['up', new Set<string>()]]);
  }

  it("uses existing metrics and labels, and each of the service's own metrics", () => {
    for (const expr of expressions) {
      const names = metricsIn(expr);
      expect(names, expr).to.not.deep.equal([]);
      expect([...known.keys()], expr).to.include.members(names);
      const labels = [...addedLabels, ...names.flatMap((name) => [...(known.get(name) ?? [])])];
      const used = [...matchersIn(expr).map(([label]) => label), ...groupingsIn(expr)];
      expect(labels, expr).to.include.members(used);
    }
    const shown = panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => metricsIn(expr)));
    const own = [...known.keys()].filter((name) => /^gamehost_(?!.*_(sum|count)$)/.test(name));
    expect(shown).to.include.members(own);
  });

  it('uses existing error codes and panel outcomes, and every one that means an outage', () => {
    const matchers = expressions.flatMap(matchersIn);
    const valuesOf = (label: string) =>
      matchers.flatMap(([name, value]) => (name === label ? value.split('|') : []));
    expect(Object.keys(errorTable)).to.include.members(valuesOf('code'));
    expect(['answered', ...Object.keys(failureTable)]).to.include.members(valuesOf('outcome'));
    const outages = Object.entries(failureTable).flatMap(([kind, row]) => (row.isOutage ? [kind] : []));
    for (const alert of ['GamehostPanelFails', 'GamehostPanelBudget'])
      expect(new Map(matchersOf(alert)).get('outcome')?.split('|'), alert).to.include.members(outages);
  });

  it('counts every operation that does not wait for the panel for slowness, and no other', () => {
    const all = [...readOperations(appRouter), ...readSessionOperations(accountPageRouter)];
    const excepted = RegExp(`^(${new Map(matchersOf('GamehostSlow')).get('operation')})$`);
    for (const { name, slot } of all) expect(excepted.test(name), name).to.equal(/panel/i.test(slot));
  });

  it('gives the urgency of each alert', () => {
    for (const { alert, labels } of rules) expect(labels.severity, alert).to.be.oneOf(['page', 'ticket']);
    expect(new Set(rules.map(({ alert }) => alert)).size).to.equal(rules.length);
  });
});
