/** What contenders answer to a work, apart from how their protocols wrap it: before it is measured, all must say the same. */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Cell } from './measure.ts';
import type { Protocol, Work } from './works.ts';

const text = z.object({ text: z.string() });
const RpcAnswer = z.object({ result: z.object({ data: z.unknown() }) });
const McpAnswer = z.object({
  result: z.object({ isError: z.literal(false).optional(), content: z.tuple([text]) }),
});
const McpTools = z.object({ result: z.object({ tools: z.array(z.object({ name: z.string() })).min(10) }) });

/** What an answer says, apart from how its protocol wraps it. */
export const unwrap: Record<Protocol, (answer: unknown) => unknown> = {
  rest: (answer) => answer,
  trpc: (answer) => RpcAnswer.parse(answer).result.data,
  mcp: (answer) => JSON.parse(McpAnswer.parse(answer).result.content[0].text),
};

/** @throws when an answer has another status than it should, or differs from that of the first. */
export async function proveSameAnswers(work: Work, cells: Cell[]): Promise<void> {
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
