/** The lines that a start prints: the addresses and, the first time, the demo user and key. */
import { docsPath } from '../bridge/docs/docs.ts';
import { mcpPath } from '../bridge/mcp/mcp.ts';
import { restPrefix } from '../bridge/rest/rest.ts';
import { accountPrefix } from './account/account.ts';
import { demoEmail } from './dev/demo-data.ts';
import type { Service } from './service.ts';

export function welcome({ url, metricsUrl, isEmbedded, hasDemoPanel, demo, hasDemoData }: Service): string {
  const addresses = [
    'gamehost is up.',
    '',
    `  API          ${url}${restPrefix}`,
    `  Docs         ${url}${docsPath}`,
    `  Account      ${url}${accountPrefix}`,
    `  OpenAPI      ${url}${restPrefix}/openapi.json`,
    `  MCP          ${url}${mcpPath}`,
    `  Database     ${isEmbedded ? 'embedded MongoDB' : 'MONGODB_URI'}`,
    `  Panel        ${hasDemoPanel ? 'demo panel' : 'PANEL_URL'}`,
    ...(metricsUrl ? [`  Metrics      ${metricsUrl}`] : []),
    '',
  ];
  return [...addresses, ...(demo ? credentials(demo, url) : []), ...(hasDemoData ? hints : [])].join('\n');
}

const credentials = (demo: NonNullable<Service['demo']>, url: string) => [
  '  Demo user and key, shown only once:',
  '',
  `  E-mail       ${demo.email}`,
  `  Password     ${demo.password}`,
  `  Key          ${demo.key}`,
  '',
  '  In a second terminal:',
  '',
  `  Try: curl -H "Authorization: Bearer ${demo.key}" ${url}${restPrefix}/me`,
  '',
];

const hints = [
  `  Another key: npm run -s cli -- key issue --email ${demoEmail} --name mine --scopes read:catalog,read:account`,
  '  Quieter: LOG_LEVEL=warn npm start omits the line per request.',
  '',
];
