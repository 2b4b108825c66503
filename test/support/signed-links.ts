/** Links that the tests' panel signs, and the files that its servers have. */
import { type ReceivedRequest, refuseToken } from '../../server/panel/demo/answers.ts';
import type { OpenLink } from '../../server/panel/demo/panel.ts';

const token = (claims: object) =>
  [{ alg: 'HS256' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');

/** The secret part of a download link, which the tests' watch over secrets detects. */
export const linkSignature = 'the-signature-of-a-node';

/** As a node signs it, good until `signedUntil`. */
export const signedUntil = '2100-01-01T00:15:00.000Z';
export const signedUrl = `https://node.panel.example:8080/download/backup?token=${token({
  exp: Date.parse(signedUntil) / 1000,
})}.${linkSignature}`;

/** The files in the examples of the OpenAPI document. */
export const exampleFiles = {
  '/server.properties': 'server-port=25565\nmax-players=20\n',
  '/plugins/RaidTimer.jar': 'a plugin',
  '/logs/latest.log': 'Starting\nDone\n',
};

/** Links that work once. A file always gets the same link, as tests compare answers. */
export function createLinks() {
  const unused = new Map<string, OpenLink>();
  return {
    admit(what: string, open: OpenLink): string {
      const admitted = `${token({ exp: Date.parse(signedUntil) / 1000, what })}.${linkSignature}`;
      unused.set(admitted, open);
      return admitted;
    },
    /** Null if no link leads there. */
    find(call: ReceivedRequest): (() => ReturnType<OpenLink>) | null {
      const { pathname, searchParams } = new URL(call.path, 'http://node');
      if (!['GET /download/file', 'POST /upload/file'].includes(`${call.method} ${pathname}`)) return null;
      const asked = searchParams.get('token') ?? '';
      return () => {
        const open = unused.get(asked);
        unused.delete(asked);
        return open?.(call) ?? refuseToken(call);
      };
    },
  };
}
