/** Writes the package of the router's type, ready to publish: what tsc declares, with the API's own texts as JSDoc on every procedure. */
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
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

/** Each router and procedure begins a line of tsc's, indented by its depth. */
const memberLine = /^((?: {4})+)(\w+): import\("@trpc\/server"\)\.TRPC(BuiltRouter|\w+Procedure)</;

/**
 * @param declarations of routers/index.ts, as tsc emits them
 * @throws {Error} when they and the router disagree on the procedures
 */
function documentTypes(declarations: string, version: string): string {
  const comments = createComments();
  const path: string[] = [];
  const lines = declarations.split('\n').flatMap((line) => {
    const [, indent = '', member = '', kind = 'BuiltRouter'] = memberLine.exec(line) ?? [];
    if (member) path.splice(indent.length / 4 - 1, path.length, member);
    if (kind === 'BuiltRouter') return [line];
    const name = path.join('.');
    const comment = comments.get(name);
    if (!comment) throw new Error(`${name} is declared, but is no operation`);
    comments.delete(name);
    return [...writeComment(comment, indent), line];
  });
  if (comments.size > 0) throw new Error(`The declarations lack ${[...comments.keys()].join(', ')}`);
  // There is no value `appRouter` to import.
  const documented = lines.join('\n').replace('export declare const', 'declare const');
  return `${writeComment(heading(version)).join('\n')}\n${documented}export {};\n`;
}

const heading = (version: string) => [
  `The type of gamehost's tRPC API, version ${version}. Import \`AppRouter\` and give it to @trpc/client.`,
  'Requires @trpc/server 11, and contains no code.',
];

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

const writeComment = (lines: readonly string[], indent = ''): string[] => [
  `${indent}/**`,
  ...lines.map((line) => `${indent} * ${line.replaceAll('*/', '*\\/')}`.trimEnd()),
  `${indent} */`,
];
