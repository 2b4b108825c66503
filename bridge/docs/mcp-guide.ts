/** How an agent is connected over MCP, and which tools it then has. */
import type { Row } from '../catalogue.ts';
import { mcpPath } from '../mcp.ts';
import { writeTable } from './markdown.ts';

export const writeMcp = (rows: readonly Row[], baseUrl: string): string => `## MCP

Agents have the API as tools at \`${baseUrl}${mcpPath}\`, a remote MCP server over streamable HTTP. It takes the same key,
as a Bearer token, and gives it the same scopes, the same limit and the same errors.

For Claude Code, in a terminal:

\`\`\`sh
claude mcp add --transport http gamehost ${baseUrl}${mcpPath} \\
  --header "Authorization: Bearer $GAMEHOST_KEY"
\`\`\`

For clients that read \`.mcp.json\`:

\`\`\`json
${configuration(`${baseUrl}${mcpPath}`)}
\`\`\`

Each tool is one endpoint. Give an agent a key with the scopes of the tools that it may use, and no others.

${writeTable(['Tool', 'Calls', 'Scope'], rows.flatMap(toolCells))}
`;

const toolCells = ({ tool, method, path, scope }: Row) =>
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
