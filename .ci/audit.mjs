/**
 * Reads `npm audit --json` and fails on a high or critical advisory that SECURITY.md does not explain by its name; says so and
 * goes on where the registry offers no audit.
 */
import { readFileSync } from 'node:fs';

const report = JSON.parse(readFileSync(0, 'utf8') || '{}');
const explanations = readFileSync(new URL('../.github/SECURITY.md', import.meta.url), 'utf8');

const say = (line) => process.stdout.write(`${line}\n`);

function findUnexplained({ vulnerabilities }) {
  const advisories = Object.values(vulnerabilities)
    .flatMap(({ via }) => via)
    // A name stands for a package whose advisories are listed under it.
    .filter((cause) => typeof cause === 'object' && ['high', 'critical'].includes(cause.severity));
  return advisories.filter(({ url }) => !explanations.includes(url.split('/').at(-1)));
}

if (report.vulnerabilities === undefined) {
  say(`npm audit: not offered by this registry (${report.message ?? 'no reason given'})`);
} else {
  const unexplained = findUnexplained(report);
  for (const { name, severity, title, url } of unexplained) say(`${name}: ${severity}, ${title}, ${url}`);
  say(`npm audit: ${unexplained.length} high or critical advisories that SECURITY.md does not explain`);
  if (unexplained.length > 0) process.exitCode = 1;
}
