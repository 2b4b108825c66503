/** The results as a document: the machine, the effort, and a table for each part. */
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import type { Bench } from './bench.ts';
import { projectDir } from './servers.ts';

export interface Section {
  title: string;
  table: string;
}

const packages = [
  'koa',
  'mongoose',
  'mongodb',
  'fastify',
  '@trpc/server',
  'trpc-to-openapi',
  '@modelcontextprotocol/sdk',
];

export function resultsDocument(bench: Bench, sections: Section[]): string {
  const { effort, options, stage } = bench;
  const versions = packages.map((name) => `${name} ${versionOf(name)}`).join(', ');
  return [
    '# What was measured',
    '',
    'Written by `npm run bench`; [README.md](README.md) says how it measures and how to read this.',
    '',
    `- ${new Date().toISOString().slice(0, 10)}, ${cpus().length} x ${cpus()[0]?.model}, ${stage.processors}`,
    `- load of the machine before the run: ${stage.loadBefore.toFixed(1)}`,
    `- Node ${process.version}, MongoDB ${stage.mongodbVersion}, ${versions}`,
    `- ${options.processes} processes of each near contender and one of the others, ${effort.rounds} rounds of` +
      ` ${effort.seconds} s for each process, after ${effort.warmUpCalls} calls; ${options.keys} keys in play,` +
      ` ${options.connections} connections`,
    '',
    ...sections.flatMap(({ title, table }) => [`## ${title}`, '', table, '']),
  ].join('\n');
}

const versionOf = (name: string): string =>
  JSON.parse(readFileSync(join(projectDir, 'node_modules', name, 'package.json'), 'utf8')).version;
