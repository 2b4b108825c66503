/** Writes the package of the router's type, ready to publish: what tsc declares, with the API's own texts as JSDoc on every procedure. */
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import ts from 'typescript-5';
import { createOpenApiDocument } from '../../bridge/openapi/document.ts';
import { readOperations } from '../../bridge/operations.ts';
import { restPrefix } from '../../bridge/rest/rest.ts';
import { appRouter } from '../../routers/index.ts';

const projectFile = (name: string) => new URL(`../../${name}`, import.meta.url);

/** @param declarations of routers/index.ts, as tsc emits them */
export async function writeTypes(folder: URL, declarations: string): Promise<void> {
  const { version, license } = JSON.parse(await readFile(projectFile('package.json'), 'utf8'));
  await mkdir(folder, { recursive: true });
  await writeFile(new URL('index.d.ts', folder), documentTypes(declarations, version));
  await writeFile(
    new URL('package.json', folder),
    `${JSON.stringify(manifest(version, license), null, 2)}\n`,
  );
  await writeFile(new URL('README.md', folder), readme);
  await copyFile(projectFile('LICENSE'), new URL('LICENSE', folder));
}

const manifest = (version: string, license: string) => ({
  name: 'gamehost-types',
  version,
  description: 'The type of the gamehost tRPC API, for typed clients. No code.',
  license,
  type: 'module',
  types: './index.d.ts',
  exports: { '.': { types: './index.d.ts' } },
  files: ['index.d.ts'],
  peerDependencies: { '@trpc/server': '^11' },
});

const readme = `# gamehost-types

The type of the gamehost tRPC API. With it, [@trpc/client](https://trpc.io/docs/client/vanilla) knows every procedure, its
input, its output and its errors, and editors show what it does. It contains no code.

\`\`\`sh
npm install @trpc/client@11 @trpc/server@11
npm install --save-dev gamehost-types
\`\`\`

\`\`\`ts
import { createTRPCClient, httpBatchLink } from '@trpc/client';
import type { AppRouter } from 'gamehost-types';

const headers = { Authorization: \`Bearer \${process.env.GAMEHOST_KEY}\` };
const api = createTRPCClient<AppRouter>({
  links: [httpBatchLink({ url: 'https://games.example/trpc', headers, maxItems: 50 })],
});

const { servers } = await api.servers.list.query();
\`\`\`

The same file is at \`/trpc/types.d.ts\` of every running service.
`;

/**
 * @param declarations of routers/index.ts, as tsc emits them
 * @throws {Error} when they and the router disagree on the procedures
 */
function documentTypes(declarations: string, version: string): string {
  const comments = createComments();
  const source = ts.createSourceFile('index.d.ts', declarations, ts.ScriptTarget.Latest, true);
  const members = membersOf(routerTypeOf(source));
  const missing = [...comments.keys()].filter((name) => !members.has(name));
  if (missing.length > 0) throw new Error(`The declarations lack ${missing.join(', ')}`);
  let documented = declarations;
  for (const [name, member] of [...members].reverse()) {
    const start = member.getStart();
    const lines = comments.get(name);
    if (!lines) throw new Error(`${name} is declared, but is no operation`);
    documented = `${documented.slice(0, start)}${writeComment(lines, indentOf(member))}${documented.slice(start)}`;
  }
  return `${writeComment(heading(version), '')}${hideValue(documented)}`;
}

const heading = (version: string) => [
  `The type of gamehost's tRPC API, version ${version}. Import \`AppRouter\` and give it to @trpc/client.`,
  'Requires @trpc/server 11, and contains no code.',
];

/** There is no value `appRouter` to import. */
const hideValue = (declarations: string) =>
  `${declarations.replace('export declare const', 'declare const')}export {};\n`;

/** The lines of each procedure's comment, by its name. */
function createComments(): Map<string, string[]> {
  const operations = readOperations(appRouter);
  const { paths } = createOpenApiDocument(appRouter);
  return new Map(
    operations.map(({ name, method, path }) => {
      const { summary = '', description = '' } = paths[path]?.[method.toLowerCase()] ?? {};
      const rest = `REST: \`${method} ${restPrefix}${path}\``;
      return [name, [`${summary}.`, '', ...description.split('\n'), '', rest]];
    }),
  );
}

function writeComment(lines: readonly string[], indent: string): string {
  const body = lines.map((line) => ` * ${line.replaceAll('*/', '*\\/')}`.trimEnd());
  return ['/**', ...body, ' */', ''].join(`\n${indent}`);
}

function indentOf(node: ts.Node): string {
  const { text } = node.getSourceFile();
  return text.slice(text.lastIndexOf('\n', node.getStart()) + 1, node.getStart());
}

function routerTypeOf(source: ts.SourceFile): ts.TypeNode | undefined {
  const declared = source.statements.filter(ts.isVariableStatement);
  return declared.flatMap(({ declarationList }) => declarationList.declarations)[0]?.type;
}

/** The procedures of a router's type, by name, in the order of their declarations. */
function membersOf(type: ts.TypeNode | undefined, prefix = ''): Map<string, ts.TypeElement> {
  const [, record] = argumentsOf(type);
  const [literal] = argumentsOf(record);
  if (!literal || !ts.isTypeLiteralNode(literal))
    throw new Error('The declarations are not those of a router');
  const found = new Map<string, ts.TypeElement>();
  for (const member of literal.members.filter(ts.isPropertySignature)) {
    const name = prefix + member.name.getText();
    if (!isRouter(member.type)) found.set(name, member);
    else for (const [inner, node] of membersOf(member.type, `${name}.`)) found.set(inner, node);
  }
  return found;
}

const argumentsOf = (type: ts.TypeNode | undefined): readonly ts.TypeNode[] =>
  type && ts.isImportTypeNode(type) ? (type.typeArguments ?? []) : [];

const isRouter = (type: ts.TypeNode | undefined) =>
  type !== undefined && ts.isImportTypeNode(type) && type.qualifier?.getText() === 'TRPCBuiltRouter';
