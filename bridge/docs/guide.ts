/** What there is to read on the docs page: the document's own introduction, a first call before it, MCP after it. */
import type { Row } from '../catalogue.ts';
import type { OpenApiDocument } from '../openapi.ts';
import { introduce } from '../openapi-introduction.ts';
import { restPrefix } from '../rest.ts';
import { writeErrors } from './error-guide.ts';
import { writeMcp } from './mcp-guide.ts';
import { operationsOf } from './operations.ts';
import { writeScopes } from './scope-guide.ts';

export interface GuideParts {
  rows: readonly Row[];
  document: OpenApiDocument;
  /** The address users see; "{base_url}" where only their browser knows it, which then fills it in. */
  baseUrl: string;
  /** Where people manage their keys. */
  keysPath: string;
  /** The path of an operation that any valid key may call, for trying one out. */
  probePath: string;
}

/** Markdown; its first paragraph says what the API is. */
export function writeGuide({ rows, document, ...places }: GuideParts): string {
  const scopes = writeScopes(operationsOf(document));
  const introduction = introduce({ scopes, errors: writeErrors() });
  const firstSection = introduction.indexOf('\n## ');
  return [
    introduction.slice(0, firstSection),
    writeFirstCall(places),
    introduction.slice(firstSection),
    writeMcp(rows, places.baseUrl),
  ].join('\n');
}

const writeFirstCall = ({
  baseUrl,
  keysPath,
  probePath,
}: Pick<GuideParts, 'baseUrl' | 'keysPath' | 'probePath'>) => `## First call

Create a key on the [API keys page](${keysPath}), put it where your shell finds it, and ask:

\`\`\`sh
export GAMEHOST_KEY=gamehost_live_...
curl -H "Authorization: Bearer $GAMEHOST_KEY" \\
  ${baseUrl}${probePath}
\`\`\`

All paths are below \`${baseUrl}${restPrefix}\`. You can try every one of them [further down](#endpoints).
`;
