/** A right request for every row of the catalogue, made from its shape alone, and the things such requests ask for. */
import { z } from 'zod';
import { type Row, readCatalogue } from '../../bridge/catalogue.ts';
import { appRouter } from '../../routers/index.ts';
import { panelServer } from './proper-panel.ts';
import type { TestService } from './service.ts';

export interface Sample {
  method: Row['method'];
  path: string;
  /** For methods that take one. */
  body?: Record<string, unknown>;
}

/** The operations of the service itself, known before any service is started. */
export const rows = readCatalogue(appRouter);
export const keyedRows = rows.filter(({ scope }) => scope !== null);

/** An input that the row's shape accepts: each text is "sample", each number 1, each choice its first, each time far. */
export function sampleInputOf({ input }: Pick<Row, 'input'>): Record<string, unknown> {
  const { properties = {} } = z.toJSONSchema(input, { io: 'input' });
  return Object.fromEntries(
    Object.entries(properties).map(([field, schema]) => [field, sampleValue(schema as JsonSchema)]),
  );
}

/** The same as a REST request, without a query. */
export const sampleOf = (row: Row): Sample => {
  const { path, ...request } = restRequestOf(row, sampleInputOf(row));
  return { ...request, path: path.replace(/\?.*/, '') };
};

/** An input as the REST request that says it: path, and body or query. */
export function restRequestOf(row: Row, input: Record<string, unknown>): Sample {
  const path = row.path.replace(/\{(\w+)\}/g, (_, field) => encodeURIComponent(textOf(input[field])));
  const rest = Object.entries(input).filter(([field]) => !row.pathParameters.includes(field));
  if (row.method === 'POST') return { method: row.method, path, body: Object.fromEntries(rest) };
  const query = new URLSearchParams(Object.fromEntries(rest.map(([field, value]) => [field, textOf(value)])));
  return { method: row.method, path: query.size > 0 ? `${path}?${query}` : path };
}

const textOf = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value));

interface JsonSchema {
  type?: string;
  format?: string;
  items?: JsonSchema;
  enum?: unknown[];
  anyOf?: JsonSchema[];
}

function sampleValue({ type, format, items, enum: choices, anyOf }: JsonSchema): unknown {
  if (anyOf?.[0]) return sampleValue(anyOf[0]);
  if (items) return [sampleValue(items)];
  if (format === 'date-time') return '2100-01-01T00:00:00Z';
  if (choices) return choices[0];
  return { integer: 1, number: 1, boolean: true, string: 'sample' }[type ?? ''];
}

/** An administrator, and all that samples name: the game "sample", the ticket 1, the server "sample". */
export async function addSampled(service: TestService) {
  const user = await service.addUser({ isAdmin: true, panelUserId: 7 });
  const { secret } = await service.addKey({ user });
  await service.models.games.import([sampleGame]);
  service.panel.servers.set(7, [panelServer({ identifier: 'sample' })]);
  await service.call('POST', '/tickets', { key: secret, body: { title: 'Sample', message: 'Sample' } });
  return { user, key: secret };
}

export const sampleGame = {
  _id: 'sample',
  title: 'Sample',
  description: 'A game to test with.',
  shortDesc: 'To test with.',
  category: 'Survival',
  icon: 'icon.svg',
  cover: 'cover.webp',
  banner: 'banner.webp',
  pricingBackground: 'pricing.webp',
  priceFrom: '4.99',
  plans: [
    {
      title: 'Small',
      subtitle: 'For friends',
      price: '4.99',
      period: 'month',
      popular: true,
      features: ['2 GB memory', '10 slots'],
      billingId: 'price_1',
    },
  ],
  isActive: true,
};
