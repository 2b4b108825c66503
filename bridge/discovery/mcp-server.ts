/**
 * Declares the MCP server to clients that have not connected yet: in its card and the catalog of cards (SEP-2127), and in
 * the `server.json` with which a host publishes it in the MCP registry.
 */
import type { GuideOptions } from '../docs/guide.ts';
import { mcpPath } from '../mcp/mcp.ts';
import { supportedVersions } from '../mcp/messages.ts';
import { logoOf } from '../pages/brand.ts';
import { version } from '../version.ts';
import { discoveryPaths } from './well-known.ts';

export const serverCardType = 'application/mcp-server-card+json';

type Host = Pick<GuideOptions, 'brand' | 'baseUrl' | 'docsPath' | 'accountPath'>;

/** Both schemas allow 100 characters, so the description omits the name of the host, which is the title. */
const describeServer = ({ brand, baseUrl, docsPath, accountPath }: Host) => ({
  version,
  title: brand.name,
  description:
    'See and control your game servers: state, console, files, backups, schedules and support tickets.',
  websiteUrl: baseUrl + docsPath,
  icons: [{ src: `${baseUrl}${accountPath}/logo`, mimeType: logoOf(brand).contentType }],
});

const describeRemote = ({ baseUrl }: Host) => ({ type: 'streamable-http', url: baseUrl + mcpPath });

export const describeServerCard = (host: Host & Pick<GuideOptions, 'hasApps'>) => ({
  $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
  name: `${publisherOf(host).split('.').reverse().join('.')}/${host.brand.keyPrefix}`,
  ...describeServer(host),
  remotes: [
    {
      ...describeRemote(host),
      supportedProtocolVersions: supportedVersions,
      headers: [
        {
          name: 'Authorization',
          description: 'An API key, created on the account page.',
          value: 'Bearer {key}',
          variables: { key: { description: 'An API key.', isRequired: true, isSecret: true } },
          isRequired: !host.hasApps,
          isSecret: true,
        },
      ],
    },
  ],
});

export const describeMcpServers = (host: Host) => ({
  specVersion: 'draft',
  entries: [
    {
      identifier: `urn:air:${publisherOf(host)}:${host.brand.keyPrefix}`,
      displayName: host.brand.name,
      type: serverCardType,
      url: host.baseUrl + discoveryPaths.mcpCard,
    },
  ],
});

/** The remote names no header, because clients would then ask for a key instead of signing their users in. */
export function describeForRegistry(name: string, host: Host) {
  const { icons, ...server } = describeServer(host);
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name,
    ...server,
    // The registry refuses GIF.
    icons: icons.filter(({ mimeType }) => mimeType !== 'image/gif'),
    remotes: [describeRemote(host)],
  };
}

/** The hostname of the service. Only IPv6 addresses have characters that the names in the catalogs must not have. */
const publisherOf = ({ baseUrl }: Host): string => new URL(baseUrl).hostname.replaceAll(/[^a-z\d.-]/g, '-');
