/** node verdict.mjs WRITTEN TITLES: counts tickets that writer.mjs saw acknowledged and that are missing or stored twice. */
import { readFileSync } from 'node:fs';

const [, , writtenFile, titlesFile] = process.argv;
const { acknowledged, ...figures } = JSON.parse(readFileSync(writtenFile, 'utf8'));
const stored = JSON.parse(readFileSync(titlesFile, 'utf8').trim().split('\n').at(-1));
const times = new Map();
for (const title of stored) times.set(title, (times.get(title) ?? 0) + 1);
const lost = acknowledged.filter((title) => !times.has(title)).length;
const twice = [...times.values()].filter((count) => count > 1).length;
process.stdout.write(`${JSON.stringify({ ...figures, acknowledged: acknowledged.length, lost, twice })}\n`);
