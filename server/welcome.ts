/** The few lines a start prints: where everything is, and how to get in; the demo key is in them once and never again. */
import { docsPath } from '../bridge/docs.ts';
import { mcpPath } from '../bridge/mcp.ts';
import { restPrefix } from '../bridge/rest.ts';
import { accountPrefix } from './account/account.ts';
import { demoEmail } from './seed.ts';
import type { Service } from './service.ts';

export function welcome({ url, metricsUrl, isEmbedded, hasDemoPanel, demo, hasDemoData }: Service): string {
  const places = [
    'gamehost is up.',
    '',
    `  API          ${url}${restPrefix}`,
    `  Docs         ${url}${docsPath}`,
    `  Account      ${url}${accountPrefix}`,
    `  Description  ${url}${restPrefix}/openapi.json`,
    `  MCP          ${url}${mcpPath}`,
    `  Database     ${isEmbedded ? 'embedded MongoDB' : 'MONGODB_URI'}`,
    `  Panel        ${hasDemoPanel ? 'demo panel' : 'PANEL_URL'}`,
    ...(metricsUrl ? [`  Metrics      ${metricsUrl}`] : []),
    '',
  ];
  return [...places, ...(demo ? credentials(demo, url) : []), ...(hasDemoData ? hints : [])].join('\n');
}

const credentials = (demo: NonNullable<Service['demo']>, url: string) => [
  '  Demo user and key, shown this once:',
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
  '  Fewer lines: LOG_LEVEL=warn npm start leaves out the one for each request.',
  '',
];
