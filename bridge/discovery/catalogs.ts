/** Where programs look first for what a host offers: the API catalog (RFC 9727), and the MCP catalog and server card (SEP-2127). */
import { supportedVersions } from '../mcp/messages.ts';
import { type Brand, logoOf } from '../pages/brand.ts';
import { version } from '../version.ts';

/** Absolute addresses. */
export interface Urls {
  catalog: string;
  api: string;
  openApi: string;
  docs: string;
  markdown: string;
  llms: string;
  status: string;
  mcp: string;
  mcpCard: string;
  mcpDocs: string;
  icon: string;
  /** Null where agents cannot sign their users in by themselves. */
  signIn: string | null;
}

const json = 'application/json';
const markdown = 'text/markdown';

/** Its media type names the profile of the RFC. */
export const apiCatalogType = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

export const describeApis = (urls: Urls, title: string) => ({
  linkset: [
    {
      anchor: urls.catalog,
      item: [
        { href: urls.api, title },
        { href: urls.mcp, title: `${title} as MCP tools` },
      ],
    },
    {
      anchor: urls.api,
      'service-desc': [{ href: urls.openApi, type: json }],
      'service-doc': [
        { href: urls.docs, type: 'text/html' },
        { href: urls.markdown, type: markdown },
        { href: urls.llms, type: 'text/plain' },
      ],
      status: [{ href: urls.status, type: json }],
    },
    {
      anchor: urls.mcp,
      'service-desc': [{ href: urls.mcpCard, type: serverCardType }],
      'service-doc': [{ href: urls.mcpDocs, type: markdown }],
      ...(urls.signIn && { 'service-meta': [{ href: urls.signIn, type: json }] }),
    },
  ],
});

export const serverCardType = 'application/mcp-server-card+json';

/** The name is the host's in reverse, and the service's own in settings of programs. */
export const describeServer = (urls: Urls, brand: Brand) => ({
  $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
  name: `${publisherOf(urls).split('.').reverse().join('.')}/${brand.keyPrefix}`,
  version,
  title: brand.name,
  description: `${brand.name} API: the caller's game servers, their backups, files and consoles, and tickets.`,
  websiteUrl: urls.docs,
  icons: [{ src: urls.icon, mimeType: logoOf(brand).contentType }],
  remotes: [
    {
      type: 'streamable-http',
      url: urls.mcp,
      supportedProtocolVersions: supportedVersions,
      headers: [
        {
          name: 'Authorization',
          description: 'An API key, created on the account page.',
          value: 'Bearer {key}',
          variables: { key: { description: 'An API key.', isRequired: true, isSecret: true } },
          isRequired: urls.signIn === null,
          isSecret: true,
        },
      ],
    },
  ],
});

export const describeServers = (urls: Urls, brand: Brand) => ({
  specVersion: 'draft',
  entries: [
    {
      identifier: `urn:air:${publisherOf(urls)}:${brand.keyPrefix}`,
      displayName: brand.name,
      type: serverCardType,
      url: urls.mcpCard,
    },
  ],
});

/** The host, as a name: what may be in it and not in a name is an address's own punctuation. */
const publisherOf = ({ mcp }: Urls): string => new URL(mcp).hostname.replaceAll(/[^a-z\d.-]/g, '-');
