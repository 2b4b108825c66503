/** How to connect an agent over MCP, and its tools. */
import { mcpPath } from '../mcp/mcp.ts';
import type { Operation } from '../operations.ts';
import { writeTable } from './markdown.ts';

interface McpGuideParts {
  baseUrl: string;
  /** Whether agents may sign their users in by themselves. */
  hasApps: boolean;
}

export const writeMcp = (rows: readonly Operation[], { baseUrl, hasApps }: McpGuideParts): string => `## MCP

The API is available to agents as tools at \`${baseUrl}${mcpPath}\`, a remote MCP server over streamable HTTP. It takes the same key
as a Bearer token, with the same scopes, rate limit and errors.
${hasApps ? signInGuide(`${baseUrl}${mcpPath}`) : ''}
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

const signInGuide = (url: string) => `
Agents need no key here. Give claude.ai, Claude Desktop, ChatGPT, Cursor or VS Code the address \`${url}\`: the agent opens this
site, you sign in and choose what it may do, and you can revoke it on the account page at any time. For Claude Code:

\`\`\`sh
claude mcp add --transport http gamehost ${url}
\`\`\`

With a key instead:
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
