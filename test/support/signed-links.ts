/** Links that the tests' panel signs, and the files that its servers have. */

const token = (claims: object) =>
  [{ alg: 'HS256' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');

/** What makes a download link work; the tests' watch over secrets looks for it. */
export const linkSignature = 'the-signature-of-a-node';

/** As a node signs it, good until `signedUntil`. */
export const signedUntil = '2100-01-01T00:15:00.000Z';
export const signedUrl = `https://node.panel.example:8080/download/backup?token=${token({
  exp: Date.parse(signedUntil) / 1000,
})}.${linkSignature}`;

/** Those that the description's examples speak of. */
export const exampleFiles = {
  '/server.properties': 'server-port=25565\nmax-players=20\n',
  '/plugins/RaidTimer.jar': 'a plugin',
  '/logs/latest.log': 'Starting\nDone\n',
};

/** Links that work once; each is the same for the same file, as tests compare answers. */
export function createDownloads() {
  const unused = new Set<string>();
  return {
    admit(what: string) {
      const admitted = `${token({ exp: Date.parse(signedUntil) / 1000, what })}.${linkSignature}`;
      unused.add(admitted);
      return admitted;
    },
    use(admitted: string): string | undefined {
      const [, claims = ''] = admitted.split('.');
      return unused.delete(admitted)
        ? JSON.parse(Buffer.from(claims, 'base64url').toString()).what
        : undefined;
    },
  };
}
