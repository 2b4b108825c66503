/** The rows that name a tool, as tools/list shows them. */
import type { ToolAnnotations } from '@modelcontextprotocol/server';
import { scopes } from '../../routers/scopes.ts';
import type { ToolMeta } from '../../routers/trpc.ts';
import type { Row } from '../catalogue.ts';
import { takesIdempotencyKey } from '../idempotency-key.ts';
import { withIdempotencyKey } from './idempotency-argument.ts';
import { inputSchema, outputSchema, type PortableSchema } from './portable-schema.ts';

/** A row with a tool's name. */
export type ToolRow = Row & { tool: ToolMeta };

export interface Tool {
  name: string;
  title: string;
  description: string;
  inputSchema: PortableSchema;
  outputSchema: PortableSchema;
  annotations: Required<Omit<ToolAnnotations, 'title'>>;
  _meta: Record<string, unknown>;
}

/** Rows with a tool: those that want the least of a key first (the order of the scopes), then as the router has them. */
export function readTools(rows: readonly Row[]): ToolRow[] {
  const tools = rows.filter(isToolRow).sort((one, other) => rank(one) - rank(other));
  const names = tools.map(({ tool }) => tool.name);
  const wrong = names.find((name, index) => !isToolName.test(name) || names.indexOf(name) !== index);
  if (wrong !== undefined) throw new Error(`The tool name ${wrong} is not valid, or is given twice`);
  return tools;
}

const isToolRow = (row: Row): row is ToolRow => row.tool !== undefined;

const rank = ({ scope }: Row) => (scopes as readonly unknown[]).indexOf(scope);

/** What all clients take (SEP-986). */
const isToolName = /^[\w.-]{1,64}$/;

/** Every key sees every tool and the scope it wants, so that an agent can say what its key lacks. */
export const describeTool = ({ tool, scope, openapi, type, input, output }: ToolRow): Tool => ({
  name: tool.name,
  title: tool.title,
  description: `${openapi.description}${scope ? ` Needs the scope ${scope}.` : ''}`,
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
