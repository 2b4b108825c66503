/** Handles requests: with a result built at start-up, or as a tool call to run. */
import { INVALID_PARAMS, type JSONRPCRequest, METHOD_NOT_FOUND } from '@modelcontextprotocol/server';
import { printableField } from '../../routers/format-zod-error.ts';
import type { Operation } from '../operations.ts';
import { splitArguments } from './idempotency-argument.ts';
import { type DispatchResult, errorResult, resultReply } from './json-rpc.ts';
import { createLegacyVersion, createModernVersion, type ProtocolVersion } from './protocol-versions.ts';
import { describeTool, readTools, type ToolOperation } from './tools.ts';

export type HandleRequest = (request: JSONRPCRequest) => DispatchResult;

/** @param isListed whether tools/list shows an operation; all can be called */
export function createMethodHandlers(
  operations: readonly Operation[],
  isListed: (operation: Operation) => boolean,
) {
  const toolOperations = readTools(operations);
  const tools = new Map(toolOperations.map((operation) => [operation.tool.name, operation]));
  const described = toolOperations.filter(isListed).map(describeTool);
  return {
    legacy: createHandleRequest(createLegacyVersion(described), tools),
    modern: createHandleRequest(createModernVersion(described), tools),
  };
}

function createHandleRequest(
  version: ProtocolVersion,
  tools: ReadonlyMap<unknown, ToolOperation>,
): HandleRequest {
  return function handleRequest({ id, method, params }) {
    if (method === 'tools/call') {
      const { name, arguments: args = {} } = params ?? {};
      const operation = tools.get(name);
      if (!operation) return errorResult(200, id, unknownTool(name));
      const { input, idempotencyKey } = splitArguments(operation, args);
      return { status: 200, part: { operation, readInput: () => input, idempotencyKey, id, version } };
    }
    const result = version.results.get(method);
    if (result !== undefined) return { status: 200, part: resultReply(id, result) };
    return errorResult(version.unknownMethodStatus, id, {
      code: METHOD_NOT_FOUND,
      message: 'Method not found',
    });
  };
}

const unknownTool = (name: unknown) => ({
  code: INVALID_PARAMS,
  message:
    typeof name === 'string'
      ? `Unknown tool: ${printableField(name)}`
      : 'The name of the tool must be a string',
});
