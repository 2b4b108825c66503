/** Where programs find the documents about the service that are not below the docs page. */
import { mcpPath } from '../mcp/mcp.ts';

/** As agents install it. */
export const skillName = 'gamehost';

const skillsPath = '/.well-known/agent-skills';

export const discoveryPaths = {
  llms: '/llms.txt',
  full: '/llms-full.txt',
  apiCatalog: '/.well-known/api-catalog',
  /** The place that MCP reserves for it. */
  mcpCard: `${mcpPath}/server-card`,
  mcpCatalog: '/.well-known/mcp/catalog.json',
  skills: `${skillsPath}/index.json`,
  skill: `${skillsPath}/${skillName}/SKILL.md`,
} as const;

export const securityPath = '/.well-known/security.txt';
