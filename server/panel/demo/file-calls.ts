/** How a panel answers the calls of its client API about a server's files, all of which but links ask the server's node. */
import { posix } from 'node:path';
import { Readable } from 'node:stream';
import { invalidBody, type PanelAnswer, type PanelCall, readField, refusal } from './answers.ts';
import {
  type AnswerServerCall,
  type EmulatedPanel,
  findEmulatedServer,
  noAnswerOfNode,
  onNode,
} from './emulated-panel.ts';
import type { EmulatedFile, FileTree } from './file-tree.ts';

type Operation = 'reading' | 'writing';

/** Refusals that Pelican tells apart; all others are a RequestException. */
const pelicanCodes: Partial<Record<string, string>> = {
  'reading 404': 'FileNotFoundException',
  'reading 400': 'FileNotEditableException',
  'writing 400': 'FileExistsException',
};

/** How a panel tells that a server's node has refused a call with this status. */
const refusedByNode = (status: number, { dialect }: EmulatedPanel, operation?: Operation): PanelAnswer =>
  dialect === 'pelican'
    ? refusal(500, pelicanCodes[`${operation} ${status}`] ?? 'RequestException')
    : refusal(status, 'DaemonConnectionException');

/** Pterodactyl alone passes on what its node says. */
const refusedPull = (detail: string, panel: EmulatedPanel): PanelAnswer =>
  panel.dialect === 'pelican'
    ? refusedByNode(400, panel)
    : refusal(400, 'DaemonConnectionException', `An error occurred on the remote host: ${detail}`);

const isNewer = ({ dialect, conditions }: EmulatedPanel) => dialect === 'pelican' || conditions.hasNewerNodes;

/** The panel trims what it is sent; a node takes the rest as it stands, below its root. */
const resolve = (...parts: unknown[]) =>
  posix.resolve('/', ...parts.map((part) => `./${String(part ?? '').trim()}`));

const leavesRoot = (path: string) => /^\.\.(\/|$)/.test(posix.join('.', `./${path}`));

/** Asks no node, so there is one of what does not exist, too. */
const answerLink: AnswerServerCall = ({ query, server, headers }, { downloads }) => {
  // This call alone decodes its path once more.
  const path = resolve(decodeURIComponent(query.get('file') ?? ''));
  const token = downloads.admit(JSON.stringify([server.uuid, path]));
  const url = `http://${headers.host}/download/file?token=${token}`;
  return { body: { object: 'signed_url', attributes: { url } } };
};

/** What a node answers to such a link; null for any other call. */
export function answerDownload(
  { method, path: target }: PanelCall,
  panel: EmulatedPanel,
): PanelAnswer | null {
  const { pathname, searchParams } = new URL(target, 'http://node');
  if (method !== 'GET' || pathname !== '/download/file') return null;
  const [uuid = '', path = ''] = JSON.parse(panel.downloads.use(searchParams.get('token') ?? '') ?? '[]');
  const server = findEmulatedServer(uuid, panel);
  const tree = server && panel.filesOf(server);
  const entry = tree?.get(path);
  // Whether it is there or not.
  if (tree?.isDenied(path) && isNewer(panel)) return { status: 403, body: { error: 'denied' } };
  if (!entry?.content || entry.kind === 'link') return { status: 404, body: { error: 'not found' } };
  const headers = {
    'Content-Type': 'application/octet-stream',
    'Content-Disposition': `attachment; filename="${encodeURIComponent(posix.basename(path))}"`,
    'Content-Length': String(sizeOf(entry)),
  };
  return { headers, body: entry.size === undefined ? entry.content : Readable.from(zeros(entry.size)) };
}

function* zeros(bytes: number) {
  for (let left = bytes; left > 0; left -= 65_536) yield Buffer.alloc(Math.min(left, 65_536));
}

const sizeOf = ({ content, size }: EmulatedFile) => size ?? content?.length ?? 4096;

const answerList: AnswerServerCall = ({ query, server }, panel) => {
  const tree = panel.filesOf(server);
  const asked = query.get('directory') ?? '';
  const directory = resolve(asked);
  const entry = tree.get(directory);
  const isFile = tree.isBelowFile(directory) || (entry && entry.content !== null);
  if (isFile || leavesRoot(asked)) return refusedByNode(500, panel);
  if (!entry) return refusedByNode(isNewer(panel) ? 404 : 500, panel);
  const data = tree.list(directory).map(([name, file]) => ({
    object: 'file_object',
    attributes: presentEntry(name, file, panel),
  }));
  return { body: { object: 'list', data } };
};

function presentEntry(name: string, file: EmulatedFile, { dialect }: EmulatedPanel) {
  const isDirectory = file.content === null;
  const [mode, mode_bits] = isDirectory ? modes.directory : modes[file.kind ?? 'file'];
  return {
    ...{ name, mode, mode_bits, size: sizeOf(file), is_file: !isDirectory },
    // A node of 2024 says so of no link.
    is_symlink: file.kind === 'link' && dialect === 'pelican',
    mimetype: isDirectory ? 'inode/directory' : `text/plain; charset=${charsetOf(file)}`,
    modified_at: new Date(file.modifiedAt).toISOString().replace(/\.\d+Z$/, '+00:00'),
  };
}

function charsetOf({ content, size }: EmulatedFile) {
  const [one, two] = size === undefined ? (content ?? []) : [];
  if (one === 0xff && two === 0xfe) return 'utf-16le';
  return one === 0xfe && two === 0xff ? 'utf-16be' : 'utf-8';
}

const modes = {
  directory: ['drwxr-xr-x', '755'],
  file: ['-rw-r--r--', '644'],
  link: ['Lrwxrwxrwx', '777'],
  pipe: ['prw-r--r--', '644'],
} as const;

const answerContents: AnswerServerCall = ({ query, server }, panel) => {
  const asked = query.get('file');
  if (!asked) return invalidBody();
  const tree = panel.filesOf(server);
  const path = resolve(asked);
  const entry = tree.get(path);
  const refused = leavesRoot(asked) ? 500 : statusOfReading(path, tree, isNewer(panel));
  if (refused) return refusedByNode(refused, panel, 'reading');
  if (!entry?.content || entry.kind === 'pipe') return noAnswerOfNode(panel);
  if (sizeOf(entry) > panel.fileEditBytesMax) return refusal(400, 'FileSizeTooLargeException');
  const isPelican = panel.dialect === 'pelican';
  return {
    headers: { 'Content-Type': `text/plain; charset=${isPelican ? 'utf-8' : 'UTF-8'}` },
    body: isPelican ? asPelican(entry.content) : entry.content,
  };
};

/** With which a node refuses it; null: it does not. */
function statusOfReading(path: string, tree: FileTree, isNewerNode: boolean): number | null {
  const entry = tree.get(path);
  if (tree.isBelowFile(path) || entry?.kind === 'link') return 500;
  if (isNewerNode && tree.isDenied(path)) return 403;
  if (!entry) return isNewerNode ? 404 : 500;
  if (entry.content === null) return isNewerNode ? 400 : 502;
  return null;
}

/** Pelican makes UTF-8 of what is none. */
function asPelican(content: Buffer): Buffer {
  if (content[0] === 0xff && content[1] === 0xfe) return Buffer.from(content.subarray(2).toString('utf16le'));
  const isUtf8 = Buffer.from(content.toString()).equals(content);
  return isUtf8 ? content : Buffer.from(content.toString('latin1'));
}

const nameBytesMax = 255;

const answerWrite: AnswerServerCall = ({ query, bytes, server }, panel) => {
  const tree = panel.filesOf(server);
  const path = resolve(query.get('file'));
  if (tree.get(path)?.kind === 'pipe') return noAnswerOfNode(panel);
  const refused = statusOfWriting(path, tree);
  if (refused) return refusedByNode(refused, panel, 'writing');
  tree.write(path, bytes, panel.clock());
  return { status: 204 };
};

function statusOfWriting(path: string, tree: FileTree): number | null {
  const entry = tree.get(path);
  if (tree.isDenied(path)) return 403;
  if (tree.isBelowFile(path) || entry?.kind === 'link') return 500;
  return entry?.content === null || isTooLong(path) ? 400 : null;
}

const isTooLong = (path: string) => Buffer.byteLength(posix.basename(path)) > nameBytesMax;

const answerRename: AnswerServerCall = (call, panel) => {
  const tree = panel.filesOf(call.server);
  const [root, files] = [readField(call, 'root'), readField(call, 'files')];
  for (const { from, to } of files as { from: unknown; to: unknown }[]) {
    const [source, target] = [resolve(root, from), resolve(root, to)];
    if (tree.isDenied(source) || tree.isDenied(target)) return refusedByNode(403, panel);
    if (source === '/' || target.startsWith(`${source}/`)) return refusedByNode(500, panel);
    if (tree.get(target) || isTooLong(target)) return refusedByNode(400, panel);
    // Of what is not there nothing is said.
    if (tree.get(source)) tree.move(source, target, panel.clock());
  }
  return { status: 204 };
};

/** What can be deleted is, whatever is said of the others; of a file of the egg's list nothing is said. */
const answerDelete: AnswerServerCall = (call, panel) => {
  const tree = panel.filesOf(call.server);
  const files = (readField(call, 'files') ?? []) as unknown[];
  if (files.length === 0 || files.some((path) => String(path).trim() === '')) return invalidBody();
  const paths = files.map((path) => resolve(readField(call, 'root'), path));
  const isMissing = paths.some((path) => !tree.get(path));
  for (const path of paths) if (!tree.isDenied(path)) tree.delete(path);
  if (paths.includes('/')) return refusedByNode(500, panel);
  return isMissing && isNewer(panel) ? refusedByNode(404, panel) : { status: 204 };
};

const answerCreateFolder: AnswerServerCall = (call, panel) => {
  const tree = panel.filesOf(call.server);
  const path = resolve(readField(call, 'root'), readField(call, 'name'));
  const entry = tree.get(path);
  if (tree.isBelowFile(path) || (entry && entry.content !== null))
    return refusedByNode(isNewer(panel) ? 400 : 500, panel, 'writing');
  tree.makeDirectory(path, panel.clock());
  return { status: 204 };
};

/** In one server. */
const pullsMax = 3;

/** In the background, a node accepts a pull before it asks the source. */
const answerPull: AnswerServerCall = (call, panel) => {
  const { identifier } = call.server;
  const { fullDisks, pulls } = panel.conditions;
  if (!URL.canParse(String(readField(call, 'url')))) return invalidBody();
  return onNode(() => {
    if (fullDisks.has(identifier))
      return refusedPull('There is not enough disk space available to perform that action.', panel);
    if ((pulls.get(identifier) ?? 0) >= pullsMax)
      return refusedPull(
        `This server has reached its limit of ${pullsMax} simultaneous remote file downloads at once.`,
        panel,
      );
    return pullNow(call, panel);
  })(call, panel);
};

const pullNow: AnswerServerCall = (call, panel) => {
  const tree = panel.filesOf(call.server);
  const url = String(readField(call, 'url'));
  const name = readField(call, 'filename') ?? posix.basename(new URL(url).pathname);
  const path = resolve(readField(call, 'directory'), name);
  const isForeground = readField(call, 'foreground') === true;
  const accepted = { status: 204 };
  const entry = tree.get(path);
  if (entry && (entry.content === null || entry.kind === 'link'))
    return isForeground ? refusedPull('Cannot perform that action: file is a directory.', panel) : accepted;
  const failure = panel.onPull(tree, path, url);
  if (typeof failure === 'number') return refusedByNode(failure, panel);
  return failure && isForeground ? refusedByNode(500, panel) : accepted;
};

export const fileRoutes = {
  'GET files/download': answerLink,
  'GET files/list': onNode(answerList),
  'GET files/contents': onNode(answerContents),
  'POST files/write': onNode(answerWrite),
  'PUT files/rename': onNode(answerRename),
  'POST files/delete': onNode(answerDelete),
  'POST files/pull': answerPull,
  'POST files/create-folder': onNode(answerCreateFolder),
};
