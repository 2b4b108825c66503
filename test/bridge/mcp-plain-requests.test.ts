/** Plain requests are told at sight instead of classified; what is told must be what the SDK's classification says. */
import { classifyInboundRequest } from '@modelcontextprotocol/server';
import { expect } from 'chai';
import { isPlainRequest, type StandardHeaders } from '../../bridge/mcp/dispatch.ts';
import { legacyVersions, supportedVersions } from '../../bridge/mcp/messages.ts';

const [modernVersion] = supportedVersions;
const envelope = { 'io.modelcontextprotocol/protocolVersion': modernVersion };

/** What each member may hold; undefined leaves it out. */
const members = {
  jsonrpc: ['2.0', '1.0', 2, undefined],
  id: [1, 'one', '', -1, 1.5, 2 ** 53, null, {}, undefined],
  method: ['tools/call', 'initialize', 'notifications/initialized', '', 7, undefined],
  params: [
    { name: 'list_games' },
    { _meta: {} },
    { _meta: envelope },
    { _meta: null },
    [],
    null,
    'a',
    undefined,
  ],
  result: [{}, undefined],
  more: [1, undefined],
};

const versions = [undefined, legacyVersions[0], legacyVersions.at(-1), modernVersion, '1999-01-01', ' ', ''];

describe('a plain request to /mcp', () => {
  it('is only what the SDK classifies as a request of the older version that claims nothing', () => {
    let plain = 0;
    for (const { version, ...message } of combinations({ ...members, version: versions })) {
      const headers = headersOf(version);
      if (!isPlainRequest(message, headers)) continue;
      plain += 1;
      const { kind, ...outcome } = classifyInboundRequest({ httpMethod: 'POST', ...headers, body: message });
      const requested = version === undefined ? {} : { requestedVersion: version };
      expect({ kind, ...outcome }, JSON.stringify(message)).to.deep.equal({
        ...{ kind: 'legacy', reason: 'no-claim' },
        ...requested,
      });
    }
    expect(plain).to.be.greaterThan(0);
  });
});

const headersOf = (version: unknown): StandardHeaders =>
  typeof version === 'string' ? { protocolVersionHeader: version } : {};

/** Every choice of one value for each name. */
const combinations = (choices: Record<string, readonly unknown[]>): Record<string, unknown>[] =>
  Object.entries(choices).reduce<Record<string, unknown>[]>(
    (chosen, [name, values]) =>
      chosen.flatMap((one) => values.map((value) => (value === undefined ? one : { ...one, [name]: value }))),
    [{}],
  );
