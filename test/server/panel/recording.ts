/** Recorded answers of real panels (`recorded/`), and their comparison with those of an emulated one. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { BackupAttributes } from '../../../server/panel/demo/panel.ts';
import { eventually } from '../../support/eventually.ts';
import type { ServerAttributes, UserAttributes } from '../../support/panel/attributes.ts';
import { FileTree } from '../../support/panel/file-tree.ts';
import type { startStandInPanel } from '../../support/stand-in-panel.ts';

export type StandInPanel = Awaited<ReturnType<typeof startStandInPanel>>;

export interface RecordedCall {
  name: string;
  request: { method: string; path: string; body?: unknown; raw?: string; 'content-type'?: string };
  status: number;
  headers: Record<string, string>;
  json?: unknown;
  text?: string;
  base64?: string;
}

/** @param name of the file in `recorded/` */
export const readRecording = (name: string) =>
  readFileSync(new URL(`recorded/${name}.jsonl`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

interface RecordedJson {
  attributes: never;
  data: { attributes: never }[];
}

export const jsonOf = (calls: RecordedCall[], name: string) =>
  calls.find((call) => call.name === name)?.json as RecordedJson;

interface OwnerAttributes extends UserAttributes {
  relationships: { servers: { data: { attributes: ServerAttributes }[] } };
}

export function ownerIn(calls: RecordedCall[]) {
  const { relationships, ...owner }: OwnerAttributes = jsonOf(calls, 'servers of a user').attributes;
  return { owner, servers: relationships.servers.data.map(({ attributes }) => attributes) };
}

/** Every field was recorded with its type; null may replace a value of any type, and an empty list any list. */
export function expectShape(shown: unknown, recorded: unknown, at: string): void {
  if (shown === null || recorded === null) return;
  expect(typeof shown, at).to.equal(typeof recorded);
  if (Array.isArray(recorded)) {
    expect(shown, at).to.be.an('array');
    const [one] = shown as unknown[];
    if (one !== undefined && recorded.length > 0) expectShape(one, recorded[0], `${at}[0]`);
  } else if (recorded instanceof Object) {
    expect(Object.keys(recorded), at).to.include.members(Object.keys(shown as object));
    for (const [key, value] of Object.entries(shown as object))
      expectShape(value, (recorded as Record<string, unknown>)[key], `${at}.${key}`);
  }
}

function keyFor({ name, request }: RecordedCall, panel: StandInPanel): string | null {
  if (name === 'no key') return null;
  if (/bad key|wrong|expired/.test(name)) return 'ptlc_wrong';
  if (/^(a )?client key/.test(name)) return panel.clientKey;
  if (name.startsWith('application key')) return panel.applicationKey;
  return request.path.startsWith('/api/client') ? panel.clientKey : panel.applicationKey;
}

/** Sends what was recorded, in order. @param prepare what happened on the panel before the call of this name */
export function itAnswersAsRecorded(
  calls: readonly RecordedCall[],
  panel: StandInPanel,
  prepare: (name: string) => unknown = () => {},
) {
  /** The recorded uuids of backups, with those that the emulated panel assigned. */
  const uuids = new Map<string, string>();
  for (const recorded of calls)
    it(`answers as recorded: ${recorded.name}`, async () => {
      prepare(recorded.name);
      const [uuid = ''] = /(?<=\/backups\/)[^/]+/.exec(recorded.request.path) ?? [];
      const path = recorded.request.path.replace(uuid, uuids.get(uuid) ?? uuid);
      const call = { ...recorded, request: { ...recorded.request, path } };
      const responding = sendRecorded(call, panel);
      if (call.name === 'read a pipe')
        await eventually(async () => expect(panel.heldCalls()).to.have.length(1));
      panel.giveUpOnNodes();
      const response = await responding;
      if (call.name.startsWith('create') && call.status === 200) {
        const { attributes } = (await response.clone().json()) as { attributes: BackupAttributes };
        uuids.set((call.json as { attributes: BackupAttributes }).attributes.uuid, attributes.uuid);
      }
      await expectAsRecorded(response, call, panel);
    });
}

export const changeBackups = (
  { backups }: StandInPanel,
  identifier: string,
  changes: Partial<BackupAttributes>,
) =>
  backups.set(
    identifier,
    (backups.get(identifier) ?? []).map((backup) => ({ ...backup, ...changes })),
  );

function sendRecorded(call: RecordedCall, panel: StandInPanel) {
  const { method, path, body, raw = body, 'content-type': type } = call.request;
  const key = keyFor(call, panel);
  return fetch(`${panel.url}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      accept: call.name.startsWith('no Accept') ? '*/*' : 'application/json',
      ...(key && { authorization: `Bearer ${key}` }),
      'content-type': type ?? (path.includes('/files/write') ? 'text/plain' : 'application/json'),
    },
    ...(raw !== undefined && { body: bytesOf(call, raw) }),
  });
}

function bytesOf({ name }: RecordedCall, raw: unknown): Buffer | string {
  if (name === 'write latin-1 bytes') return Buffer.from(String(raw), 'latin1');
  return typeof raw === 'string' ? raw : JSON.stringify(raw);
}

interface RecordedErrors {
  errors?: { code: string; status: string; detail: string }[];
}

/** The detail tells apart the conditions of a server, which share one code. */
const refusalsOf = ({ errors = [] }: RecordedErrors) =>
  errors.map(({ code, status, detail }) => [code, status, /Conflict/.test(code) ? detail : null]);

const listed = (json: unknown) =>
  (json as { data: { attributes: Record<string, unknown> }[] }).data.map(
    ({ attributes: { name, mode, mode_bits, size, is_file, is_symlink } }) =>
      [name, mode, mode_bits, size, is_file, is_symlink].join(' '),
  );

async function expectAsRecorded(response: Response, call: RecordedCall, panel: StandInPanel) {
  expect(response.status).to.equal(call.status);
  const { location = null, 'content-type': type = null, 'x-ratelimit-limit': limit = null } = call.headers;
  expect({
    type: response.headers.get('content-type'),
    limit: response.headers.get('x-ratelimit-limit'),
    hasRemaining: response.headers.has('x-ratelimit-remaining'),
    hasRetryAfter: response.headers.has('retry-after'),
    location: response.headers.get('location')?.replace(panel.url, '') ?? null,
  }).to.deep.equal({
    type,
    limit,
    hasRemaining: 'x-ratelimit-remaining' in call.headers,
    hasRetryAfter: 'retry-after' in call.headers,
    location: location?.replace('http://127.0.0.1', '') ?? null,
  });
  await expectBody(Buffer.from(await response.arrayBuffer()), call);
}

async function expectBody(bytes: Buffer, { request, status, json, text, base64 }: RecordedCall) {
  if (base64 !== undefined) return expect(bytes.toString('base64')).to.equal(base64);
  if (text !== undefined) return expect(bytes.toString()).to.equal(text);
  if (json === undefined) return;
  const shown = JSON.parse(bytes.toString());
  if (status >= 400) return expect(refusalsOf(shown)).to.deep.equal(refusalsOf(json as RecordedErrors));
  expectShape(shown, json, 'body');
  if (request.path.includes('/files/list')) expect(listed(shown)).to.have.members(listed(json));
  const { attributes } = json as { attributes?: { current_state?: string } };
  if (attributes?.current_state === 'missing') expect(shown).to.deep.equal(json);
}

interface Listed {
  name: string;
  mode: string;
  size: number;
}

const bytesKeptMax = 10_000_000;

/** The listed files, with their recorded content where there is any. */
export function plantListed(calls: RecordedCall[], names: string[]): FileTree {
  const tree = new FileTree();
  for (const { request, json } of calls.filter(({ name }) => names.includes(name))) {
    const directory = new URLSearchParams(request.path.split('?')[1]).get('directory') ?? '/';
    for (const { attributes } of (json as { data: { attributes: Listed }[] }).data)
      plant(tree, `${directory === '/' ? '' : directory}/${attributes.name}`, { ...attributes, calls });
  }
  return tree;
}

function plant(tree: FileTree, path: string, { mode, size, calls }: Listed & { calls: RecordedCall[] }) {
  if (mode.startsWith('d')) tree.makeDirectory(path, 0);
  else if (mode.startsWith('p')) tree.pipe(path, 0);
  else if (mode.startsWith('L')) tree.link(path, 0, size);
  else if (size > bytesKeptMax) tree.writeZeros(path, size, 0);
  else tree.write(path, contentOf(path, calls) ?? 'x'.repeat(size), 0);
}

function contentOf(path: string, calls: RecordedCall[]): Buffer | null {
  const read = calls.find(
    ({ request, status }) =>
      status === 200 && request.path.endsWith(`/files/contents?file=${encodeURIComponent(path)}`),
  );
  return read ? Buffer.from(read.base64 ?? read.text ?? '', read.base64 ? 'base64' : 'utf8') : null;
}
