/** Adds the type of the tRPC router to the client's package, from tsc's declarations. */
import { readFile, writeFile } from 'node:fs/promises';

/** @param dist with routers/index.d.ts, and the package in client/ */
export async function writeTrpcTypes(dist: URL): Promise<void> {
  const declarations = await readFile(new URL('routers/index.d.ts', dist), 'utf8');
  await writeFile(new URL('client/lib/trpc.d.ts', dist), typesOf(declarations));
}

/** Drops the value `appRouter`, which the package does not contain. */
const typesOf = (declarations: string) => `/**
 * The type of gamehost's tRPC API. Import \`AppRouter\` and give it to @trpc/client.
 * Requires @trpc/server 11, and contains no code.
 */
${declarations.replace('export declare const', 'declare const')}export {};
`;
