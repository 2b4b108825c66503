/** Each scope: what it lets a key do, and the endpoints that ask for it. */
import { scopeSentences } from '../../routers/scopes.ts';
import { writeTable } from './markdown.ts';
import type { DocumentedOperation } from './operations.ts';

export const writeScopes = (operations: readonly DocumentedOperation[]): string =>
  writeTable(
    ['Scope', 'Grants', 'Endpoints'],
    Object.entries(scopeSentences).map(([scope, sentence]) => [
      `\`${scope}\``,
      sentence,
      linksTo(operations.filter((operation) => operation['x-required-scope'] === scope)),
    ]),
  );

const linksTo = (operations: readonly DocumentedOperation[]) =>
  operations.map(({ method, path, anchor }) => `[\`${method} ${path}\`](#${anchor})`).join('<br>');
