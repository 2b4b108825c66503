/** Parses a mail: its headers and its decoded texts. */

export interface ReadMail {
  headers: Map<string, string>;
  subject: string;
  text: string;
  html: string;
}

export function readMail(raw: string): ReadMail {
  const { headers, body } = split(raw);
  const boundary = boundaryOf(headers);
  const parts = boundary === null ? [{ headers, body }] : partsOf(body, boundary);
  const textOf = (type: string) => {
    const part = parts.find((each) => each.headers.get('content-type')?.startsWith(type));
    return part ? decode(part.headers.get('content-transfer-encoding'), part.body) : '';
  };
  const subject = decodeWords(headers.get('subject') ?? '');
  return { headers, subject, text: textOf('text/plain'), html: textOf('text/html') };
}

interface Part {
  headers: Map<string, string>;
  body: string;
}

function split(raw: string): Part {
  const end = raw.indexOf('\r\n\r\n');
  const lines = raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { headers: new Map(headers), body: raw.slice(end + 4) };
}

const boundaryOf = (headers: Map<string, string>): string | null =>
  /boundary="([^"]+)"/.exec(headers.get('content-type') ?? '')?.[1] ?? null;

/** Includes the parts of nested parts. */
const partsOf = (body: string, boundary: string): Part[] =>
  body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => split(part.replace(/^\r\n/, '').replace(/\r\n$/, '')))
    .flatMap((part) => {
      const inner = boundaryOf(part.headers);
      return inner === null ? [part] : partsOf(part.body, inner);
    });

const bytesOf = (hex: string) => Buffer.from(hex.replaceAll('=', ''), 'hex').toString('utf8');

const unquote = (text: string) => text.replace(/(?:=[\dA-F]{2})+/g, bytesOf);

function decode(encoding: string | undefined, body: string): string {
  const text =
    encoding === 'base64'
      ? Buffer.from(body, 'base64').toString('utf8')
      : encoding === 'quoted-printable'
        ? unquote(body.replaceAll('=\r\n', ''))
        : body;
  return text.replaceAll('\r\n', '\n').trim();
}

const decodeWords = (subject: string): string =>
  subject
    .replace(/\?= =\?/g, '?==?')
    .replace(/=\?utf-8\?([QB])\?([^?]*)\?=/gi, (_, encoding, text) =>
      encoding.toUpperCase() === 'B'
        ? Buffer.from(text, 'base64').toString('utf8')
        : unquote(text.replaceAll('_', ' ')),
    );
