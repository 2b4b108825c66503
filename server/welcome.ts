/** The few lines a start prints: where everything is, and, once, how to get in. */
import { docsPath } from '../bridge/docs.ts';
import { mcpPath } from '../bridge/mcp.ts';
import { restPrefix } from '../bridge/rest.ts';
import { accountPrefix } from './account/account.ts';
import { demoEmail } from './seed.ts';
import type { Service } from './service.ts';

export function welcome({ url, metricsUrl, isEmbedded, hasDemoPanel, demo }: Service): string {
  const places = [
    `gamehost is up.`,
    `  API          ${url}${restPrefix}`,
    `  Docs         ${url}${docsPath}`,
    `  Account      ${url}${accountPrefix}`,
    `  Description  ${url}${restPrefix}/openapi.json`,
    `  MCP          ${url}${mcpPath}`,
    `  Database     ${isEmbedded ? 'embedded MongoDB' : 'MONGODB_URI'}`,
    `  Panel        ${hasDemoPanel ? 'demo panel' : 'PANEL_URL'}`,
    ...(metricsUrl ? [`  Metrics      ${metricsUrl}`] : []),
  ];
  return [...places, ...(demo ? credentials(demo, url) : [])].join('\n');
}

const credentials = (demo: NonNullable<Service['demo']>, url: string) => [
  '',
  '  Demo user and key, shown this once:',
  `  E-mail       ${demo.email}`,
  `  Password     ${demo.password}`,
  `  Key          ${demo.key}`,
  '',
  `  Try: curl -H "Authorization: Bearer ${demo.key}" ${url}${restPrefix}/me`,
  `  Another key: npm run -s cli -- key issue --email ${demoEmail} --name mine --scopes read:account`,
];
