/** Writes the package that a host's customers install, from the description of the router. */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createClient } from '@hey-api/openapi-ts';
import { type Description, readOperations } from '../../bridge/client/src/operations.ts';
import { mapValues, pascalCase } from '../../bridge/json-schema.ts';
import { createOpenApiDocument } from '../../bridge/openapi/document.ts';
import { appRouter } from '../../routers/index.ts';
import { isAdminScope, scopes } from '../../routers/scopes.ts';

const run = promisify(execFile);
const projectFile = (name: string) => new URL(`../../${name}`, import.meta.url);
const generated = projectFile('bridge/client/src/generated/');

export async function writeClient(folder: URL): Promise<void> {
  await generateClient();
  const tsc = fileURLToPath(projectFile('node_modules/typescript-7/bin/tsc'));
  const project = fileURLToPath(projectFile('bridge/client/tsconfig.json'));
  const outDir = fileURLToPath(new URL('lib/', folder));
  await run(process.execPath, [tsc, '--project', project, '--outDir', outDir]);
  const manifest: Manifest = JSON.parse(await readFile(projectFile('package.json'), 'utf8'));
  await writeFile(new URL('package.json', folder), `${JSON.stringify(manifestOf(manifest), null, 2)}\n`);
  await copyFile(projectFile('bridge/client/README.md'), new URL('README.md', folder));
  await copyFile(projectFile('LICENSE'), new URL('LICENSE', folder));
}

/** Writes the code that is generated from the description of customers' operations. */
async function generateClient(): Promise<void> {
  const description = describeForCustomers();
  await mkdir(generated, { recursive: true });
  await createClient({
    input: description as never, // the generator's own type of a document
    output: { path: fileURLToPath(generated), clean: true, header: [], entryFile: false },
    // A request may have the fields that only a response needs, so that a schedule can be sent back as it was read.
    parser: { transforms: { readWrite: false } },
    plugins: ['@hey-api/typescript'],
    logs: { level: 'silent', file: false },
  });
  await writeFile(new URL('operations.ts', generated), writeOperations(description));
  await writeFile(new URL('schemas.ts', generated), writeSchemas(description));
}

/** Only customers' operations, and no refusals: those are one class of error. */
export function describeForCustomers() {
  const document = createOpenApiDocument(appRouter, {
    offeredScopes: scopes.filter((scope) => !isAdminScope(scope)),
  });
  const paths = mapValues(document.paths, (methods) =>
    mapValues(methods, (operation) => ({ ...operation, responses: successesOf(operation.responses) })),
  );
  return { ...document, paths };
}

const successesOf = (responses: Record<string, object>) =>
  Object.fromEntries(Object.entries(responses).filter(([status]) => status.startsWith('2')));

/** The types that programs name; they get those of a method's input and output from the method. */
const writeSchemas = ({ components }: Description): string =>
  `/** Generated from the description of the API. */
export type { ${Object.keys(components.schemas).join(', ')} } from './types.gen.ts';
`;

/** The table of operations, and the type of its methods by group. */
function writeOperations(description: Description): string {
  const operations = readOperations(description);
  const groups = [...new Set(operations.map(({ group }) => group))];
  const typeOf = (group: string) =>
    operations
      .filter((one) => one.group === group)
      .map(writeMethod)
      .join('');
  const table = operations.map(({ described: _, ...operation }) => JSON.stringify(operation));
  return `/** Generated from the description of the API. */
import type { Method, PagedMethod } from '../methods.ts';
import type { Operation } from '../operations.ts';
import type * as api from './types.gen.ts';

export interface Operations {
${groups.map((group) => `  readonly ${group.toLowerCase()}: {\n${typeOf(group)}  };\n`).join('')}}

export const operations: readonly Operation[] = [
${table.map((row) => `  ${row},\n`).join('')}];
`;
}

function writeMethod({ name, pagination, described }: ReturnType<typeof readOperations>[number]): string {
  const types = `api.${pascalCase(name)}Data, api.${pascalCase(name)}Response`;
  const method = pagination ? `PagedMethod<${types}, '${pagination.list}'>` : `Method<${types}>`;
  const comment = described.description.replaceAll('*/', '*\\/').replaceAll('\n', '\n     * ');
  return `    /**\n     * ${comment}\n     */\n    ${name}: ${method};\n`;
}

interface Manifest {
  [name: string]: unknown;
  dependencies: object;
  devDependencies: object;
}

const manifestOf = (manifest: Manifest) => ({
  name: 'gamehost',
  description: 'The client of the gamehost API: a TypeScript library and a command.',
  ...pick(manifest, ['version', 'license', 'homepage', 'bugs', 'repository']),
  type: 'module',
  bin: { gamehost: './lib/command/main.js' },
  exports: {
    '.': { types: './lib/index.d.ts', default: './lib/index.js' },
    './trpc': { types: './lib/trpc.d.ts' },
  },
  files: ['lib'],
  engines: { node: '>=20' },
  dependencies: pick({ ...manifest.dependencies, ...manifest.devDependencies }, clientDependencies),
  // For the types of gamehost/trpc only.
  peerDependencies: { '@trpc/server': '^11' },
  peerDependenciesMeta: { '@trpc/server': { optional: true } },
});

/** The versions that the service itself or its tests use. */
const clientDependencies = ['commander', 'openid-client', 'standardwebhooks'];

const pick = (all: Record<string, unknown>, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, all[name]]));
