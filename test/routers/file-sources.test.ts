/** Allowed source addresses of files, their rate limit, and the accepted hashes. */
import { hash } from 'node:crypto';
import { expect } from 'chai';
import { expectError } from '../support/expect-error.ts';
import { content, file, id, pullExample, server, sha256, url } from '../support/fetched-file.ts';
import { panelServer } from '../support/panel/attributes.ts';
import { resetPanel } from '../support/server-owner.ts';
import { useOwner } from '../support/use-key.ts';

describe('fetching a file from a bad source', () => {
  const config = { fileSources: ['cdn.modrinth.com', 'files.example.com'] };
  const service = useOwner({ rateLimitPerMinute: 1_000_000, config });
  beforeEach(() => resetPanel(service, [server]));

  const fetchFile = (body: object) =>
    service.call('POST', `/servers/${id}/files/fetch`, {
      key: service.key,
      body: { url, file, sha256, ...body },
    });
  const encoded = 'url must be printable ASCII: percent-encode everything else, a space as %20';
  const host = 'url must be on one of cdn.modrinth.com, files.example.com';
  for (const [address, message] of [
    ['http://cdn.modrinth.com/a', 'url must begin with https://'],
    ['HTTPS://cdn.modrinth.com/a', 'url must begin with https://'],
    ['https:/cdn.modrinth.com/a', 'url must begin with https://'],
    ['//cdn.modrinth.com/a', 'url must begin with https://'],
    [' https://cdn.modrinth.com/a', 'url must begin with https://'],
    ['https://cdn.modrinth.com/a b', encoded],
    ['https://cdn.modrinth.com/a\t', encoded],
    ['https://cdn.modrinth.com/ä', encoded],
    ['https://cdn.modrinth.com\\@files.example.com/a', 'url must not contain a backslash'],
    ['https://cdn.modrinth.com/a#', 'url must not have a fragment'],
    ['https://cdn.modrinth.com/a%zz', 'url must have two hexadecimal digits after each %'],
    ['https://user@cdn.modrinth.com/a', 'url must not contain a user name'],
    ['https://@cdn.modrinth.com/a', 'url must not contain a user name'],
    ['https://cdn.modrinth.com:443/a', 'url must not have a port'],
    ['https://cdn.modrinth.com:/a', 'url must not have a port'],
    ['https://cdn.modrinth.com./a', 'url must not have a dot at the end of its host name'],
    ['https://a.cdn.modrinth.com/a', host],
    ['https://cdn.modrinth.com.example.com/a', host],
    ['https://cdn.modrinth%2ecom/a', host],
    ['https:///cdn.modrinth.com/a', host],
    ['https://127.0.0.1/a', host],
    ['https://hangarcdn.papermc.io/a', host],
    [`${url}${'a'.repeat(2_000)}`, 'url must be at most 2000 characters'],
  ])
    it(`rejects ${String(address).slice(0, 60)} (400)`, async () => {
      expectError(await fetchFile({ url: address }), 'bad_request', String(message));
      expect(service.panel.requests).to.deep.equal([]);
    });

  it('rejects a missing hash, two hashes, and a malformed one (400)', async () => {
    const sha512 = hash('sha512', content, 'hex');
    const oneOf = 'sha256 or sha512 is required, but not both';
    for (const [hashes, message] of [
      [{ sha256: undefined }, oneOf],
      [{ sha512 }, oneOf],
      [{ sha256: sha256.slice(1) }, 'sha256 must be a SHA-256 in hexadecimal'],
      [{ sha256: undefined, sha512: sha256 }, 'sha512 must be a SHA-512 in hexadecimal'],
    ] as const)
      expectError(await fetchFile(hashes), 'bad_request', message);
  });

  it('says what to do with the SHA-1 or MD5 that CurseForge provides (400)', async () => {
    const advice = 'a SHA-1 or MD5 is too weak to identify a file: download the file and compute its SHA-256';
    const [sha1, md5] = ['sha1', 'md5'].map((algorithm) => hash(algorithm, content, 'hex'));
    for (const [hashes, message] of [
      [{ sha256: sha1 }, `sha256 must be a SHA-256 in hexadecimal: ${advice}`],
      [{ sha256: md5 }, `sha256 must be a SHA-256 in hexadecimal: ${advice}`],
      [{ sha256: undefined, sha512: sha1 }, `sha512 must be a SHA-512 in hexadecimal: ${advice}`],
      [
        { sha256: undefined, sha1 },
        `sha1 is not a known field: ${advice}; sha256 or sha512 is required, but not both`,
      ],
    ] as const)
      expectError(await fetchFile(hashes), 'bad_request', message);
  });

  const off = useOwner({ config: { fileSources: [] } });

  it('refuses every address when the host has turned fetching off (400)', async () => {
    const request = { key: off.key, body: { url, file, sha256 } };
    const refused = await off.call('POST', `/servers/${id}/files/fetch`, request);
    expectError(refused, 'bad_request', 'Fetching files is turned off on this service');
  });
});

describe('fetching many files', () => {
  const panel = { callsPerCustomer: 60 };
  const service = useOwner({ panel });
  beforeEach(() => {
    resetPanel(service, [server, panelServer({ id: 2, identifier: 'other001', uuid: 'other-1' })]);
    service.panel.nodeScript.pull = pullExample;
    service.panel.files.clear();
  });

  const fetchFile = (body: object = {}, identifier = id) =>
    service.call('POST', `/servers/${identifier}/files/fetch`, {
      key: service.key,
      body: { url, file, sha256, ...body },
    });
  const pulls = () => service.panel.requests.filter(({ path }) => path.endsWith('files/pull'));

  it("is limited to three in five minutes across all of a customer's servers, not counting refused requests (429)", async () => {
    expect((await fetchFile({ file: '/plugins/RaidTimer.jar' })).status).to.equal(409);
    service.panel.nodeScript.pull = () => 500;
    expect((await fetchFile()).status).to.equal(502);
    service.panel.nodeScript.pull = pullExample;
    expect((await fetchFile()).status).to.equal(201);
    expect((await fetchFile({}, 'other001')).status).to.equal(201);
    const refused = await fetchFile({ file: '/plugins/b.jar' });
    expectError(refused, 'rate_limited', 'Too many fetched files; try again in 5 min');
    expect(Number(refused.headers.get('Retry-After'))).to.be.within(290, 301);
    expect(pulls()).to.have.lengthOf(3);
    service.clock.advance(301_000);
    expect((await fetchFile({ file: '/plugins/b.jar' })).status).to.equal(201);
  });

  it('needs capacity only for its first panel call and counts the later ones (201)', async () => {
    const list = async () => (await service.call('GET', `/servers/${id}/files`, { key: service.key })).status;
    for (let count = 0; count < 60; count += 1) expect(await list()).to.equal(200);
    expect((await fetchFile()).status).to.equal(201);
    expect(await list()).to.equal(429);
    service.panel.forget();
    const refused = await fetchFile({ file: '/plugins/b.jar' });
    expectError(
      refused,
      'rate_limited',
      'Your account makes too many requests to the panel; try again later',
    );
    expect(service.panel.requests.filter(({ path }) => path.includes('/files/'))).to.deep.equal([]);
  });
});
