/** A panel's refusals of calls about a server's files; all except links need the server's node. */
import { posix } from 'node:path';
import { Readable } from 'node:stream';
import { linkTo, type PanelAnswer, readField, refusal } from '../../../server/panel/demo/answers.ts';
import { pathOf, presentFile, sendFile } from '../../../server/panel/demo/file-calls.ts';
import { invalidBody } from './answers.ts';
import {
  type EmulatedPanel,
  noAnswerOfNode,
  type Override,
  type Overrides,
  refuseForNode,
} from './emulated-panel.ts';
import type { EmulatedFile, FileTree } from './file-tree.ts';

type Operation = 'reading' | 'writing';

/** Refusals that Pelican distinguishes; all others are a RequestException. */
const pelicanCodes: Partial<Record<string, string>> = {
  'reading 404': 'FileNotFoundException',
  'reading 400': 'FileNotEditableException',
  'writing 400': 'FileExistsException',
};

/** A panel's error for a call that the server's node has refused with this status. */
const refusedByNode = (status: number, { dialect }: EmulatedPanel, operation?: Operation): PanelAnswer =>
  dialect === 'pelican'
    ? refusal(500, pelicanCodes[`${operation} ${status}`] ?? 'RequestException')
    : refusal(status, 'DaemonConnectionException');

/** Only Pterodactyl passes on its node's message. */
const refusedPull = (detail: string, panel: EmulatedPanel): PanelAnswer =>
  panel.dialect === 'pelican'
    ? refusedByNode(400, panel)
    : refusal(400, 'DaemonConnectionException', `An error occurred on the remote host: ${detail}`);

const isNewer = ({ dialect, conditions }: EmulatedPanel) => dialect === 'pelican' || conditions.hasNewerNodes;

const leavesRoot = (path: string) => /^\.\.(\/|$)/.test(posix.join('.', `./${path}`));

/** Needs no node, so a missing file gets a link, too. */
const link: Override = (call, panel) => {
  // Only this call decodes its path a second time.
  const path = pathOf(decodeURIComponent(call.query.get('file') ?? ''));
  const what = JSON.stringify([call.attributes.uuid, path]);
  return linkTo(
    call,
    'download/file',
    panel.issueToken(what, () => open(path, panel.filesOf(call.attributes), panel)),
  );
};

function open(path: string, tree: FileTree, panel: EmulatedPanel): PanelAnswer {
  const entry = tree.get(path);
  // Even when the file does not exist.
  if (tree.isDenied(path) && isNewer(panel)) return { status: 403, body: { error: 'denied' } };
  if (!entry?.content || entry.kind === 'link') return { status: 404, body: { error: 'not found' } };
  const whole = sendFile(path, entry.content);
  if (entry.size === undefined) return whole;
  return {
    headers: { ...whole.headers, 'Content-Length': String(entry.size) },
    body: Readable.from(zeros(entry.size)),
  };
}

function* zeros(bytes: number) {
  for (let left = bytes; left > 0; left -= 65_536) yield Buffer.alloc(Math.min(left, 65_536));
}

const sizeOf = ({ content, size }: EmulatedFile) => size ?? content?.length ?? 0;

const list: Override = ({ query, attributes }, panel) => {
  const tree = panel.filesOf(attributes);
  const asked = query.get('directory') ?? '';
  const directory = pathOf(asked);
  const entry = tree.get(directory);
  const isFile = tree.isBelowFile(directory) || (entry && entry.content !== null);
  if (isFile || leavesRoot(asked)) return refusedByNode(500, panel);
  if (!entry) return refusedByNode(isNewer(panel) ? 404 : 500, panel);
  const data = tree.list(directory).map((named) => presentEntry(named, panel));
  return { body: { object: 'list', data } };
};

function presentEntry(named: [string, EmulatedFile], { dialect }: EmulatedPanel) {
  const { object, attributes } = presentFile(named);
  const [, file] = named;
  if (file.content === null) return { object, attributes };
  const [mode, mode_bits] = modes[file.kind ?? 'file'];
  const mimetype = `text/plain; charset=${charsetOf(file)}`;
  // A node of 2024 marks no link as one.
  const is_symlink = file.kind === 'link' && dialect === 'pelican';
  return { object, attributes: { ...attributes, mode, mode_bits, mimetype, is_symlink, size: sizeOf(file) } };
}

function charsetOf({ content, size }: EmulatedFile) {
  const [one, two] = size === undefined ? (content ?? []) : [];
  if (one === 0xff && two === 0xfe) return 'utf-16le';
  return one === 0xfe && two === 0xff ? 'utf-16be' : 'utf-8';
}

const modes = {
  file: ['-rw-r--r--', '644'],
  link: ['Lrwxrwxrwx', '777'],
  pipe: ['prw-r--r--', '644'],
} as const;

const contents: Override = ({ query, attributes }, panel) => {
  const asked = query.get('file');
  if (!asked) return invalidBody();
  const tree = panel.filesOf(attributes);
  const path = pathOf(asked);
  const entry = tree.get(path);
  const refused = leavesRoot(asked) ? 500 : statusOfReading(path, tree, isNewer(panel));
  if (refused) return refusedByNode(refused, panel, 'reading');
  if (!entry?.content || entry.kind === 'pipe') return noAnswerOfNode(panel);
  if (sizeOf(entry) > panel.fileEditBytesMax) return refusal(400, 'FileSizeTooLargeException');
  if (panel.dialect === 'pterodactyl') return null;
  return { headers: { 'Content-Type': 'text/plain; charset=utf-8' }, body: asPelican(entry.content) };
};

/** The status with which a node refuses it, or null. */
function statusOfReading(path: string, tree: FileTree, isNewerNode: boolean): number | null {
  const entry = tree.get(path);
  if (tree.isBelowFile(path) || entry?.kind === 'link') return 500;
  if (isNewerNode && tree.isDenied(path)) return 403;
  if (!entry) return isNewerNode ? 404 : 500;
  if (entry.content === null) return isNewerNode ? 400 : 502;
  return null;
}

/** Pelican converts other bytes to UTF-8. */
function asPelican(content: Buffer): Buffer {
  if (content[0] === 0xff && content[1] === 0xfe) return Buffer.from(content.subarray(2).toString('utf16le'));
  const isUtf8 = Buffer.from(content.toString()).equals(content);
  return isUtf8 ? content : Buffer.from(content.toString('latin1'));
}

const nameBytesMax = 255;

const write: Override = ({ query, attributes }, panel) => {
  const tree = panel.filesOf(attributes);
  const path = pathOf(query.get('file'));
  if (tree.get(path)?.kind === 'pipe') return noAnswerOfNode(panel);
  const refused = statusOfWriting(path, tree);
  return refused ? refusedByNode(refused, panel, 'writing') : null;
};

function statusOfWriting(path: string, tree: FileTree): number | null {
  const entry = tree.get(path);
  if (tree.isDenied(path)) return 403;
  if (tree.isBelowFile(path) || entry?.kind === 'link') return 500;
  return entry?.content === null || isTooLong(path) ? 400 : null;
}

const isTooLong = (path: string) => Buffer.byteLength(posix.basename(path)) > nameBytesMax;

const rename: Override = (call, panel) => {
  const tree = panel.filesOf(call.attributes);
  const [root, files] = [readField(call, 'root'), readField(call, 'files')];
  for (const { from, to } of files as { from: unknown; to: unknown }[]) {
    const [source, target] = [pathOf(root, from), pathOf(root, to)];
    if (tree.isDenied(source) || tree.isDenied(target)) return refusedByNode(403, panel);
    if (source === '/' || target.startsWith(`${source}/`)) return refusedByNode(500, panel);
    if (tree.get(target) || isTooLong(target)) return refusedByNode(400, panel);
  }
  return null;
};

/** Deletes every file that it can, whatever it answers about the others; it ignores a file of the egg's list without an error. */
const remove: Override = (call, panel) => {
  const tree = panel.filesOf(call.attributes);
  const files = (readField(call, 'files') ?? []) as unknown[];
  if (files.length === 0 || files.some((path) => String(path).trim() === '')) return invalidBody();
  const paths = files.map((path) => pathOf(readField(call, 'root'), path));
  const isMissing = paths.some((path) => !tree.get(path));
  for (const path of paths) if (!tree.isDenied(path)) tree.delete(path);
  if (paths.includes('/')) return refusedByNode(500, panel);
  return isMissing && isNewer(panel) ? refusedByNode(404, panel) : { status: 204 };
};

const createFolder: Override = (call, panel) => {
  const tree = panel.filesOf(call.attributes);
  const path = pathOf(readField(call, 'root'), readField(call, 'name'));
  const entry = tree.get(path);
  const isTaken = tree.isBelowFile(path) || (entry && entry.content !== null);
  return isTaken ? refusedByNode(isNewer(panel) ? 400 : 500, panel, 'writing') : null;
};

const pullsMax = 3;

/** In the background, a node accepts a pull before it contacts the source. */
const pull: Override = (call, panel) => {
  const { identifier } = call.attributes;
  const { fullDisks, pulls } = panel.conditions;
  if (!URL.canParse(String(readField(call, 'url')))) return invalidBody();
  const refused = refuseForNode(call, panel);
  if (refused) return refused;
  if (fullDisks.has(identifier))
    return refusedPull('There is not enough disk space available to perform that action.', panel);
  if ((pulls.get(identifier) ?? 0) >= pullsMax)
    return refusedPull(
      `This server has reached its limit of ${pullsMax} simultaneous remote file downloads at once.`,
      panel,
    );
  return pullNow(call, panel);
};

const pullNow: Override = (call, panel) => {
  const tree = panel.filesOf(call.attributes);
  const url = String(readField(call, 'url'));
  const name = readField(call, 'filename') ?? posix.basename(new URL(url).pathname);
  const path = pathOf(readField(call, 'directory'), name);
  const isForeground = readField(call, 'foreground') === true;
  const accepted = { status: 204 };
  const entry = tree.get(path);
  if (entry && (entry.content === null || entry.kind === 'link'))
    return isForeground ? refusedPull('Cannot perform that action: file is a directory.', panel) : accepted;
  const failure = panel.onPull(tree, path, url);
  if (typeof failure === 'number') return refusedByNode(failure, panel);
  return failure && isForeground ? refusedByNode(500, panel) : accepted;
};

const onNode =
  (override: Override): Override =>
  (call, panel) =>
    refuseForNode(call, panel) ?? override(call, panel);

export const fileOverrides: Overrides = {
  'GET files/download': link,
  'GET files/list': onNode(list),
  'GET files/contents': onNode(contents),
  'POST files/write': onNode(write),
  'PUT files/rename': onNode(rename),
  'POST files/delete': onNode(remove),
  'POST files/pull': pull,
  'POST files/create-folder': onNode(createFolder),
};
