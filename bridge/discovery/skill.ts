/** The skill that agents can install (agentskills.io), and the index in which they find it with the digest of its text. */
import { hash } from 'node:crypto';
import { agentGuide } from '../../routers/agent-guide.ts';
import type { Docs } from '../docs/sections.ts';

interface SkillOptions {
  docs: Docs;
  /** Of the service, as a name. */
  name: string;
  /** Absolute addresses. */
  urls: { docs: string; markdown: string; api: string; mcp: string; openApi: string; llms: string };
}

const needed = ['authentication', 'errors', 'idempotency', 'pagination', 'limits'];

const descriptionOf = ({ docs }: SkillOptions) =>
  `Use the ${docs.title} to look after a customer's game servers: see their state, console, files and backups, start, stop ` +
  'and restart them, back them up, and open and follow support tickets. Use it when the user speaks of their game server, ' +
  'or of support from its host.';

/** Its front matter is what the index says. */
export function writeSkill(options: SkillOptions): string {
  const { docs, name, urls } = options;
  const sections = docs.guide.filter((section) => needed.includes(section.name));
  return `---
name: ${name}
description: ${JSON.stringify(descriptionOf(options))}
---

# ${docs.title}

${docs.introduction}

## How to call it

As MCP tools at ${urls.mcp}, or by HTTP at ${urls.api} with the key in the environment variable GAMEHOST_KEY, as
\`Authorization: Bearer $GAMEHOST_KEY\`. Never show a key, and never write it into a file.

## How to work

${agentGuide}

Before a restart or a stop, create a backup and wait until it is complete. Where the description of a write says that it cannot
be undone, ask the user first.

${sections.map(({ markdown }) => markdown).join('\n')}
## More

- [All sections and endpoints](${urls.llms})
- [The whole docs in Markdown](${urls.markdown})
- [OpenAPI](${urls.openApi})
`;
}

export const describeSkills = (options: SkillOptions, { url, text }: { url: string; text: string }) => ({
  $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json',
  skills: [
    {
      name: options.name,
      type: 'skill-md',
      description: descriptionOf(options),
      url,
      digest: `sha256:${hash('sha256', text)}`,
    },
  ],
});
