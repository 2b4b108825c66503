/** Answers requests: from what was built at start-up, or as a tool call to be made. */
import { INVALID_PARAMS, type JSONRPCRequest, METHOD_NOT_FOUND } from '@modelcontextprotocol/server';
import { printableField } from '../../routers/bad-input.ts';
import type { Row } from '../catalogue.ts';
import { createLegacyEra, createModernEra, type Era } from './eras.ts';
import { type Heard, refused } from './heard.ts';
import { resultReply } from './json-rpc.ts';
import { describeTool, readTools, type ToolRow } from './tools.ts';

export type Answer = (request: JSONRPCRequest) => Heard;

export function createAnswers(rows: readonly Row[]): { legacy: Answer; modern: Answer } {
  const toolRows = readTools(rows);
  const tools = new Map(toolRows.map((row) => [row.tool.name, row]));
  const described = toolRows.map(describeTool);
  return {
    legacy: createAnswer(createLegacyEra(described), tools),
    modern: createAnswer(createModernEra(described), tools),
  };
}

function createAnswer(era: Era, tools: ReadonlyMap<unknown, ToolRow>): Answer {
  return function answer({ id, method, params }) {
    if (method === 'tools/call') {
      const { name, arguments: args = {} } = params ?? {};
      const row = tools.get(name);
      return row ? { status: 200, part: { row, args, id, era } } : refused(200, id, unknownTool(name));
    }
    const result = era.results.get(method);
    if (result !== undefined) return { status: 200, part: resultReply(id, result) };
    return refused(era.unknownMethodStatus, id, { code: METHOD_NOT_FOUND, message: 'Method not found' });
  };
}

const unknownTool = (name: unknown) => ({
  code: INVALID_PARAMS,
  message:
    typeof name === 'string'
      ? `Unknown tool: ${printableField(name)}`
      : 'The name of the tool must be a string',
});
