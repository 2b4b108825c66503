/** Writes the package of the router's type, ready to publish, from tsc's declarations. */
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';

const projectFile = (name: string) => new URL(`../../${name}`, import.meta.url);

export async function writeTypes(folder: URL, declarations: string): Promise<void> {
  const manifest: Manifest = JSON.parse(await readFile(projectFile('package.json'), 'utf8'));
  await mkdir(folder, { recursive: true });
  await writeFile(new URL('index.d.ts', folder), typesOf(declarations, manifest.version));
  await writeFile(new URL('package.json', folder), `${JSON.stringify(manifestOf(manifest), null, 2)}\n`);
  await writeFile(new URL('README.md', folder), readme);
  await copyFile(projectFile('LICENSE'), new URL('LICENSE', folder));
}

interface Manifest {
  version: string;
  license: string;
  homepage: string;
  bugs: string;
  repository: object;
}

const manifestOf = ({ version, license, homepage, bugs, repository }: Manifest) => ({
  name: 'gamehost-types',
  version,
  description: 'The type of the gamehost tRPC API, for typed clients. No code.',
  ...{ license, homepage, bugs, repository },
  type: 'module',
  types: './index.d.ts',
  exports: { '.': { types: './index.d.ts' } },
  files: ['index.d.ts'],
  peerDependencies: { '@trpc/server': '^11' },
});

const readme = `# gamehost-types

The type of the gamehost tRPC API. With it, [@trpc/client](https://trpc.io/docs/client/vanilla) knows every procedure, its
input, its output and its errors. It contains no code.

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

/** Drops the value `appRouter`, which the package does not contain. */
const typesOf = (declarations: string, version: string) => `/**
 * The type of gamehost's tRPC API, version ${version}. Import \`AppRouter\` and give it to @trpc/client.
 * Requires @trpc/server 11, and contains no code.
 */
${declarations.replace('export declare const', 'declare const')}export {};
`;
