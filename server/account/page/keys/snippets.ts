/** Ready-made first calls with the key filled in. Each reads only what every key may read. */
import { serviceName } from '../brand.tsx';

interface Snippet {
  name: string;
  /** Where to run or paste it. */
  hint: string;
  text: string;
}

export const snippetsFor = (secret: string, origin: string): Snippet[] => [
  { name: 'curl', hint: 'In a terminal', text: curl(secret, origin) },
  { name: 'TypeScript', hint: 'With @trpc/client, typed from end to end', text: typeScript(secret, origin) },
  { name: 'Claude Code', hint: 'In a terminal, once for each project', text: claudeCode(secret, origin) },
  { name: 'MCP', hint: 'In .mcp.json, for clients that read it', text: mcpConfig(secret, origin) },
];

const curl = (secret: string, origin: string) =>
  `curl -H "Authorization: Bearer ${secret}" \\\n  ${origin}/api/v1/key`;

const typeScript = (
  secret: string,
  origin: string,
) => `import { createTRPCClient, httpBatchLink } from '@trpc/client';
import type { AppRouter } from './gamehost.js'; // curl ${origin}/trpc/types.d.ts -o gamehost.d.ts

const headers = { Authorization: 'Bearer ${secret}' };
const links = [httpBatchLink({ url: '${origin}/trpc', headers })];
const gamehost = createTRPCClient<AppRouter>({ links });

console.log(await gamehost.keys.current.query());`;

const claudeCode = (secret: string, origin: string) =>
  `claude mcp add --transport http ${serviceName()} ${origin}/mcp \\\n  --header "Authorization: Bearer ${secret}"`;

const mcpConfig = (secret: string, origin: string) => `{
  "mcpServers": {
    "${serviceName()}": {
      "type": "http",
      "url": "${origin}/mcp",
      "headers": { "Authorization": "Bearer ${secret}" }
    }
  }
}`;
