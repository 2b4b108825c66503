/** The fixed paths at which programs look for documents, and the texts of security.txt, robots.txt and the sitemap. */
import { mcpPath } from '../mcp/mcp.ts';
import { escapeHtml } from '../pages/escape-html.ts';

export const skillName = 'gamehost';

const skillsPath = '/.well-known/agent-skills';

export const discoveryPaths = {
  llms: '/llms.txt',
  full: '/llms-full.txt',
  apiCatalog: '/.well-known/api-catalog',
  /** SEP-2127 recommends this path, so the catalogs name it. */
  mcpCard: `${mcpPath}/server-card`,
  /** Crawlers request this one. */
  mcpWellKnownCard: '/.well-known/mcp/server-card.json',
  mcpCatalog: '/.well-known/mcp/catalog.json',
  skills: `${skillsPath}/index.json`,
  skill: `${skillsPath}/${skillName}/SKILL.md`,
  robots: '/robots.txt',
  sitemap: '/sitemap.xml',
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

interface RobotsOptions {
  baseUrl: string;
  accountPath: string;
  contentSignal: string | null;
}

/**
 * RFC 9309 and contentsignals.org. Allows the API, because some agents obey this file when they call it, and the logo, which is
 * the icon of the docs. The order is for parsers that apply the first matching rule, not the longest.
 */
export const writeRobots = ({ baseUrl, accountPath, contentSignal }: RobotsOptions): string => `User-agent: *
${contentSignal === null ? '' : `Content-Signal: ${contentSignal}\n`}Allow: ${accountPath}/logo
Disallow: ${accountPath}
Disallow: /oauth/
Allow: /

Sitemap: ${baseUrl}${discoveryPaths.sitemap}
`;

export const writeSitemap = (addresses: readonly string[]): string => `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${addresses.map((address) => `  <url><loc>${escapeHtml(address)}</loc></url>`).join('\n')}
</urlset>
`;
