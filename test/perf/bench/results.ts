/** The results as a document, with a section for each part. */
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import type { Bench } from './bench.ts';
import { projectDir } from './environment.ts';
import { warmUpSecondsMax } from './measure.ts';
import { parts } from './parts.ts';

const packages = ['koa', 'mongoose', 'mongodb', 'fastify', '@trpc/server', '@modelcontextprotocol/sdk'];

const head = [
  '# What was measured',
  '',
  'Written by `npm run bench`, part by part; [README.md](README.md) says how it measures and how to read this.',
  '',
].join('\n');

/** The section of a part: on what it was measured, with how much effort, and what it gave. */
export function resultsSection({ effort, options, environment }: Bench, table: string): string {
  const versions = packages.map((name) => `${name} ${versionOf(name)}`).join(', ');
  return [
    `- ${new Date().toISOString().slice(0, 10)}, ${cpus().length} x ${cpus()[0]?.model}, ${environment.processors};` +
      ` load of the machine before: ${environment.loadBefore.toFixed(1)}`,
    `- Node ${process.version}, MongoDB ${environment.mongodbVersion}, ${versions}`,
    `- ${effort.processes} processes of each near contender and one of the others, ${effort.rounds} rounds of` +
      ` ${effort.seconds} s for each process, after ${effort.warmUpCalls} calls or ${warmUpSecondsMax} s of them;` +
      ` ${options.keys} keys in play, ${options.connections} connections`,
    '',
    table,
  ].join('\n');
}

/** The document with a section put in, or in the place of that part's last one. */
export function withSection(document: string, title: string, section: string): string {
  const sections = new Map([...sectionsOf(document), [title, section]]);
  const inOrder = Object.values(parts).flatMap(({ title }) => {
    const text = sections.get(title);
    return text === undefined ? [] : [`## ${title}\n\n${text.trim()}\n`];
  });
  return [head, ...inOrder].join('\n');
}

/** By their titles. */
const sectionsOf = (document: string): [string, string][] =>
  document
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [title = '', ...lines] = section.split('\n');
      return [title, lines.join('\n')];
    });

const versionOf = (name: string): string =>
  JSON.parse(readFileSync(join(projectDir, 'node_modules', name, 'package.json'), 'utf8')).version;
