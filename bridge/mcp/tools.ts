/** The operations that name a tool, as tools/list shows them. */
import type { ToolAnnotations } from '@modelcontextprotocol/server';
import { scopes } from '../../routers/scopes.ts';
import type { ToolMeta } from '../../routers/trpc.ts';
import { takesIdempotencyKey } from '../http/idempotency-key.ts';
import type { Operation } from '../operations.ts';
import { withIdempotencyKey } from './idempotency-argument.ts';
import { inputSchema, outputSchema, type PortableSchema } from './portable-schema.ts';

/** An operation that is a tool. */
export type ToolOperation = Operation & { tool: ToolMeta };

export interface Tool {
  name: string;
  title: string;
  description: string;
  inputSchema: PortableSchema;
  outputSchema: PortableSchema;
  annotations: Required<Omit<ToolAnnotations, 'title'>>;
  _meta: Record<string, unknown>;
}

/** Ordered by scope, the least powerful first, then as in the router. */
export function readTools(rows: readonly Operation[]): ToolOperation[] {
  const tools = rows.filter(isToolRow).sort((one, other) => rank(one) - rank(other));
  const names = tools.map(({ tool }) => tool.name);
  const wrong = names.find((name, index) => !isToolName.test(name) || names.indexOf(name) !== index);
  if (wrong !== undefined) throw new Error(`The tool name ${wrong} is not valid, or is given twice`);
  return tools;
}

const isToolRow = (row: Operation): row is ToolOperation => row.tool !== undefined;

const rank = ({ scope }: Operation) => (scopes as readonly unknown[]).indexOf(scope);

/** What all clients take (SEP-986). */
const isToolName = /^[\w.-]{1,64}$/;

/** Every key sees every tool and the scope it wants, so that an agent can say what its key lacks. */
export const describeTool = ({ tool, scope, openapi, type, input, output }: ToolOperation): Tool => ({
  name: tool.name,
  title: tool.title,
  description: [openapi.description, tool.hint, scope && `Needs the scope ${scope}.`]
    .filter(Boolean)
    .join(' '),
  inputSchema: takesIdempotencyKey({ type, scope })
    ? withIdempotencyKey(inputSchema(input))
    : inputSchema(input),
  outputSchema: outputSchema(output),
  annotations: {
    readOnlyHint: tool.readOnly,
    destructiveHint: tool.destructive,
    idempotentHint: tool.idempotent,
    openWorldHint: tool.openWorld,
  },
  _meta: { 'gamehost/scope': scope },
});
