/** Adds the type of the tRPC router to the client's package, from tsc's declarations. */
import { writeFile } from 'node:fs/promises';

export const writeTrpcTypes = (client: URL, declarations: string): Promise<void> =>
  writeFile(new URL('lib/trpc.d.ts', client), typesOf(declarations));

/** Drops the value `appRouter`, which the package does not contain. */
const typesOf = (declarations: string) => `/**
 * The type of gamehost's tRPC API. Import \`AppRouter\` and give it to @trpc/client.
 * Requires @trpc/server 11, and contains no code.
 */
${declarations.replace('export declare const', 'declare const')}export {};
`;
