/** The works one after the other, each with all its contenders side by side, which must give the same response first. */

import { isDeepStrictEqual } from 'node:util';
import type { Request } from 'autocannon';
import { z } from 'zod';
import type { Bench } from './bench.ts';
import { type Comparison, type Contender, contenders, ours } from './contenders.ts';
import { type Customer, type Customers, unknownCallers } from './customers.ts';
import type { RunningServer } from './environment.ts';
import { type Cell, measure, type Round, type Sample, type Samples } from './measure.ts';
import { type Measured, spreadOf } from './report.ts';
import { callsOf, type Protocol, speaks, statusOf, type Work, works } from './works.ts';

/** Measures all works, or the selected ones, for every contender that the comparisons name. */
export async function measureSideBySide(
  bench: Bench,
  { comparisons, connections }: { comparisons: Comparison[]; connections: number },
): Promise<Measured[]> {
  const named = new Set(comparisons.flatMap(({ subject, against }) => [subject, against]));
  const among = contenders.filter((contender) => named.has(contender.name) && isWanted(contender, bench));
  const measured: Measured[] = [];
  for (const work of wantedWorks(bench)) {
    const able = among.filter((contender) => canDo(contender, work));
    if (able.length < 2) continue;
    bench.say(`${work.title}, ${connections} connections ...`);
    const samples = await measureWork(bench, work, { able, connections });
    bench.say(inShort(samples));
    measured.push({ work, samples });
  }
  return measured;
}

export const wantedWorks = ({ options: { only } }: Bench): Work[] =>
  works.filter(({ name }) => !only || only.includes(name));

const isWanted = ({ name }: Contender, { options: { against } }: Bench) =>
  !against || ours.includes(name) || against.includes(name);

/** The numbers of a contender's processes, where it has several. */
export const processesOf = ({ effort: { processes } }: Bench): number[] =>
  Array.from({ length: processes }, (_, process) => process);

/** CPU microseconds an answer, of all processes and, where there are several, of each, for the progress output. */
const inShort = (samples: Samples) =>
  [...samples].map(([name, rounds]) => `  ${name} ${medianCpuOf(rounds)}${ofEach(rounds)}`).join('');

function ofEach(rounds: Round[]): string {
  const [{ processes } = { processes: [] }] = rounds;
  if (processes.length < 2) return '';
  const each = processes.map((_, process) =>
    medianCpuOf(rounds.flatMap((round) => round.processes[process] ?? [])),
  );
  return ` (${each.join(', ')})`;
}

const medianCpuOf = (samples: Sample[]) =>
  Math.round(spreadOf(samples.map((sample) => sample.cpuMicroseconds)).median);

async function measureWork(
  bench: Bench,
  work: Work,
  { able, connections }: { able: Contender[]; connections: number },
): Promise<Samples> {
  const { servers, customers } = bench;
  const isLimited = work.status === 429;
  const openCell = async (contender: Contender, process: number) =>
    cellOf(work, {
      ...{ ...contender, customers, connections },
      servers: await servers.of(contender, { process, isLimited }),
    });
  const cells = await Promise.all(
    processesOf(bench).flatMap((process) =>
      able
        .filter((contender) => process === 0 || !contender.isFarOff)
        .map((contender) => openCell(contender, process)),
    ),
  );
  await proveSameAnswers(work, cells);
  return measure(cells, bench.effort);
}

const canDo = ({ protocol, works }: Contender, work: Work): boolean =>
  speaks(work, protocol) && (works?.includes(work.name) ?? true);

interface Called {
  name: string;
  protocol: Protocol;
  /** The one that is called, and those that it calls itself. */
  servers: RunningServer[];
  customers: Customers;
  connections: number;
}

/** The calls of a work to a running server. */
export const cellOf = (work: Work, called: Called): Cell => ({
  ...{ name: called.name, protocol: called.protocol, connections: called.connections },
  url: called.servers[0]?.url ?? '',
  pids: called.servers.map(({ pid }) => pid),
  calls: allCalls(work, called.protocol, called.customers),
  statuses: [statusOf(work, called.protocol), ...(work.status === 429 ? [200] : [])],
});

/** The first calls of all callers, then the second ones: no two calls of one key come close to each other. */
function allCalls(work: Work, protocol: Protocol, customers: Customers): Request[] {
  const callsOfEach = callersOf(work, customers).map((customer) => callsOf(work, protocol, customer));
  const most = Math.max(...callsOfEach.map(({ length }) => length));
  const places = Array.from({ length: most }, (_, place) => place);
  return places.flatMap((place) => callsOfEach.flatMap((calls) => calls[place] ?? []));
}

function callersOf({ who, keysMax }: Work, customers: Customers): Customer[] {
  const callers = who === 'unknown' ? unknownCallers(customers.readers.length) : customers[who];
  return callers.slice(0, keysMax);
}

const text = z.object({ text: z.string() });
const RpcAnswer = z.object({ result: z.object({ data: z.unknown() }) });
const McpAnswer = z.object({
  result: z.object({ isError: z.literal(false).optional(), content: z.tuple([text]) }),
});
const McpTools = z.object({ result: z.object({ tools: z.array(z.object({ name: z.string() })).min(10) }) });

/** What an answer says, apart from how its protocol wraps it. */
const unwrap: Record<Protocol, (answer: unknown) => unknown> = {
  rest: (answer) => answer,
  trpc: (answer) => RpcAnswer.parse(answer).result.data,
  mcp: (answer) => JSON.parse(McpAnswer.parse(answer).result.content[0].text),
};

/** @throws when an answer has another status than it should, or differs from that of the first. */
async function proveSameAnswers(work: Work, cells: Cell[]): Promise<void> {
  const texts = await Promise.all(cells.map(firstAnswer));
  if (work.status >= 400) return; // each adapter has its own words for a refusal, and the first call of a key is let in
  const answers = texts.map((answer): unknown => JSON.parse(answer));
  if (work.isToolsList) return proveTools(cells, answers);
  const said = cells.map(({ protocol }, index) => contentOf(work, unwrap[protocol](answers[index])));
  const other = said.findIndex((content) => !isDeepStrictEqual(content, said[0]));
  if (other === -1) return;
  const [first, different] = [said[0], said[other]].map((content) => JSON.stringify(content));
  throw new Error(`${cells[other]?.name} answers ${work.title} with ${different}, not with ${first}`);
}

/** REST answers with the catalog there, which stands beside the list of tools. */
function proveTools(cells: Cell[], answers: unknown[]): void {
  for (const [index, { protocol }] of cells.entries()) if (protocol === 'mcp') McpTools.parse(answers[index]);
}

/** Of writes the ids differ, of measurements the times. */
const contentOf = ({ operation, isMeasured = false }: Work, answer: unknown): unknown =>
  operation.method === 'GET' && !isMeasured ? answer : withoutValues(answer);

const withoutValues = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutValues(inner)]))
    : typeof value;

async function firstAnswer({ url, calls: [call], statuses }: Cell): Promise<string> {
  const { path, method = 'GET', headers, body } = call ?? {};
  const response = await fetch(`${url}${path}`, {
    method,
    headers: headers as Record<string, string>, // as calls.ts wrote them
    ...(body !== undefined && { body: String(body) }),
  });
  const answer = await response.text();
  if (statuses.includes(response.status)) return answer;
  throw new Error(`${method} ${url}${path}: ${response.status} ${answer}`);
}
