/** JSON Schemas for the specifications of documents for programs, limited to the parts in use. */
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';

const text = { type: 'string', minLength: 1 };
const url = { type: 'string', pattern: '^https?://\\S+$' };
const httpsUrl = { type: 'string', format: 'uri', pattern: '^https:' };
const closed = (properties: Record<string, object>, required: string[]) => ({
  ...{ type: 'object', additionalProperties: false },
  ...{ properties, required },
});
/** The parts that server cards and the registry have in common. */
const serverFields = {
  name: { type: 'string', minLength: 3, maxLength: 200, pattern: '^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$' },
  version: { type: 'string', maxLength: 255 },
  description: { ...text, maxLength: 100 },
  title: { ...text, maxLength: 100 },
  websiteUrl: { type: 'string', format: 'uri' },
};
const listOf = (items: object) => ({ type: 'array', minItems: 1, items });

const targets = listOf({
  ...{ type: 'object', required: ['href'] },
  properties: { href: url, type: { type: 'string', pattern: '^[a-z]+/[a-z+-]+$' } },
});

const schemas = {
  /** RFC 9264, section 4.2: an anchor, and target objects by relation type. */
  linkset: closed(
    {
      linkset: listOf({
        ...{ type: 'object', required: ['anchor'], properties: { anchor: url } },
        additionalProperties: targets,
      }),
    },
    ['linkset'],
  ),
  /** SEP-2127, docs/discovery.md of its extension. */
  mcpCatalog: closed(
    {
      specVersion: { const: 'draft' },
      entries: listOf(
        closed(
          {
            identifier: { type: 'string', pattern: '^urn:air:[a-z\\d.-]+(:[\\w.-]+)+$' },
            displayName: text,
            type: { const: 'application/mcp-server-card+json' },
            url,
          },
          ['identifier', 'displayName', 'type', 'url'],
        ),
      ),
    },
    ['specVersion', 'entries'],
  ),
  /** SEP-2127, schema.json of its extension. */
  serverCard: closed(
    {
      $schema: { const: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json' },
      ...serverFields,
      icons: listOf(
        closed({ src: { type: 'string', format: 'uri' }, mimeType: text, sizes: listOf(text) }, ['src']),
      ),
      remotes: listOf(
        closed(
          {
            type: { enum: ['streamable-http', 'sse'] },
            url,
            supportedProtocolVersions: listOf(text),
            headers: listOf(
              closed(
                {
                  ...{ name: text, description: text, value: text, variables: { type: 'object' } },
                  ...{ isRequired: { type: 'boolean' }, isSecret: { type: 'boolean' } },
                },
                ['name'],
              ),
            ),
          },
          ['type', 'url'],
        ),
      ),
    },
    ['$schema', 'name', 'version', 'description'],
  ),
  /** server.json of the MCP registry, 2025-12-11, whose API accepts only https. */
  serverJson: closed(
    {
      $schema: { const: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json' },
      ...serverFields,
      websiteUrl: httpsUrl,
      icons: listOf(
        closed(
          {
            src: { ...httpsUrl, maxLength: 255 },
            mimeType: { enum: ['image/png', 'image/jpeg', 'image/jpg', 'image/svg+xml', 'image/webp'] },
          },
          ['src'],
        ),
      ),
      remotes: listOf(closed({ type: { enum: ['streamable-http', 'sse'] }, url: httpsUrl }, ['type', 'url'])),
    },
    ['$schema', 'name', 'version', 'description', 'remotes'],
  ),
  /** Agent Skills Discovery 0.2.0. */
  skills: closed(
    {
      $schema: { const: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json' },
      skills: listOf(
        closed(
          {
            name: { type: 'string', maxLength: 64, pattern: '^[a-z\\d]+(-[a-z\\d]+)*$' },
            type: { enum: ['skill-md', 'archive'] },
            description: { ...text, maxLength: 1024 },
            url: text,
            digest: { type: 'string', pattern: '^sha256:[\\da-f]{64}$' },
          },
          ['name', 'type', 'description', 'url', 'digest'],
        ),
      ),
    },
    ['$schema', 'skills'],
  ),
};

/** @returns the errors, or null */
export function findSchemaErrors(name: keyof typeof schemas, value: unknown): string | null {
  const ajv = new Ajv({ strict: false });
  addFormats.default(ajv);
  return ajv.validate(schemas[name], value) ? null : ajv.errorsText();
}
