/** How to connect an agent over MCP, and its tools. */
import { mcpPath } from '../mcp/mcp.ts';
import type { Operation } from '../operations.ts';
import { writeTable } from './markdown.ts';

export const writeMcp = (rows: readonly Operation[], baseUrl: string): string => `## MCP

The API is available to agents as tools at \`${baseUrl}${mcpPath}\`, a remote MCP server over streamable HTTP. It takes the same key
as a Bearer token, with the same scopes, rate limit and errors.

For Claude Code, in a terminal:

\`\`\`sh
claude mcp add --transport http gamehost ${baseUrl}${mcpPath} \\
  --header "Authorization: Bearer $GAMEHOST_KEY"
\`\`\`

For clients that read \`.mcp.json\`:

\`\`\`json
${configuration(`${baseUrl}${mcpPath}`)}
\`\`\`

Each tool calls one endpoint. Give an agent a key with only the scopes of the tools it may use.

${writeTable(['Tool', 'Calls', 'Scope'], rows.flatMap(toolCells))}
`;

const toolCells = ({ tool, method, path, scope }: Operation) =>
  tool ? [[`\`${tool.name}\``, `\`${method} ${path}\``, `\`${scope}\``]] : [];

const configuration = (url: string) => `{
  "mcpServers": {
    "gamehost": {
      "type": "http",
      "url": "${url}",
      "headers": { "Authorization": "Bearer <API_KEY>" }
    }
  }
}`;
