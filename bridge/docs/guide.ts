/** The guide in Markdown: the introduction of the OpenAPI document, plus a first call and MCP set-up. */
import type { OpenApiDocument } from '../openapi/document.ts';
import { introduce } from '../openapi/introduction.ts';
import type { Operation } from '../operations.ts';
import { restPrefix } from '../rest/rest.ts';
import { writeErrors, writeScopes } from './guide-tables.ts';
import { writeMcp } from './mcp-guide.ts';
import { operationsOf } from './operations.ts';

export interface GuideParts {
  rows: readonly Operation[];
  document: OpenApiDocument;
  /** The absolute URL at which the client reaches the service. */
  baseUrl: string;
  /** Where people manage their keys. */
  keysPath: string;
  /** Whether agents may sign their users in by themselves. */
  hasApps: boolean;
  /** An operation that any valid key may call, to test a key with. */
  probePath: string;
}

/** The first paragraph says what the API is. */
export function writeGuide({ rows, document, ...urls }: GuideParts): string {
  const scopes = writeScopes(operationsOf(document));
  const introduction = introduce({ scopes, errors: writeErrors() });
  const firstSection = introduction.indexOf('\n## ');
  return [
    introduction.slice(0, firstSection),
    writeFirstCall(urls),
    introduction.slice(firstSection),
    writeMcp(rows, urls),
  ].join('\n');
}

const writeFirstCall = ({
  baseUrl,
  keysPath,
  probePath,
}: Pick<GuideParts, 'baseUrl' | 'keysPath' | 'probePath'>) => `## First call

Create a key on the [API keys page](${keysPath}), export it in your shell, and call:

\`\`\`sh
export GAMEHOST_KEY=gamehost_live_...
curl -H "Authorization: Bearer $GAMEHOST_KEY" \\
  ${baseUrl}${probePath}
\`\`\`

All paths are relative to \`${baseUrl}${restPrefix}\`. You can try each of them [below](#endpoints).
`;
