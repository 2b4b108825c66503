/** The fixed paths at which programs look for documents, and the text of security.txt. */
import { mcpPath } from '../mcp/mcp.ts';

export const skillName = 'gamehost';

const skillsPath = '/.well-known/agent-skills';

export const discoveryPaths = {
  llms: '/llms.txt',
  full: '/llms-full.txt',
  apiCatalog: '/.well-known/api-catalog',
  /** MCP reserves this path. */
  mcpCard: `${mcpPath}/server-card`,
  mcpCatalog: '/.well-known/mcp/catalog.json',
  skills: `${skillsPath}/index.json`,
  skill: `${skillsPath}/${skillName}/SKILL.md`,
} as const;

export const securityTxtPath = '/.well-known/security.txt';

const monthsAhead = 7;

/**
 * RFC 9116. `contact` is a URI. The expiry is the start of a month, so all processes return the same text for a month.
 */
export function writeSecurityTxt(contact: string, baseUrl: string, now: Date): string {
  const expires = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + monthsAhead));
  return `Contact: ${contact}
Expires: ${expires.toISOString().replace('.000', '')}
Preferred-Languages: en
${baseUrl && `Canonical: ${baseUrl}${securityTxtPath}\n`}`;
}
