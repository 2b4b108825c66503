/** How a panel answers the calls of its client API about a server's files, all of which but links ask the server's node. */
import { posix } from 'node:path';
import { Readable } from 'node:stream';
import { invalidField, type PanelAnswer, type PanelCall, refusal } from './answers.ts';
import { type EmulatedPanel, findEmulatedServer } from './emulated-panel.ts';
import type { EmulatedFile, FileTree } from './file-tree.ts';
import { type NodeRefusal, refusedByNode } from './node-refusals.ts';
import { noAnswerOfNode } from './server-call.ts';

interface FileCall {
  /** What follows `files/` in the path, after the method, such as "GET list". */
  route: string;
  query: URLSearchParams;
  body: string;
  bytes: Buffer;
  tree: FileTree;
  /** The server's uuid, and where its node is. */
  uuid: string;
  host: string;
}

type FilesPanel = Pick<EmulatedPanel, 'dialect' | 'clock' | 'fileEditBytesMax' | 'downloads' | 'conditions'>;

/** Null: no such call. */
export function answerFileCall(call: FileCall, panel: FilesPanel): PanelAnswer | null {
  switch (call.route) {
    case 'GET list':
      return answerList(call, panel);
    case 'GET contents':
      return answerContents(call, panel);
    case 'POST write':
      return answerWrite(call, panel);
    case 'PUT rename':
      return answerRename(call, panel);
    case 'POST delete':
      return answerDelete(call, panel);
    case 'POST create-folder':
      return answerCreateFolder(call, panel);
    default:
      return null;
  }
}

/** Asks no node, so there is one of what does not exist, too. */
export function answerFileLink({ query, uuid, host }: FileCall, { downloads }: FilesPanel): PanelAnswer {
  // This call alone decodes its path once more.
  const path = resolve(decodeURIComponent(query.get('file') ?? ''));
  const url = `http://${host}/download/file?token=${downloads.admit(JSON.stringify([uuid, path]))}`;
  return { body: { object: 'signed_url', attributes: { url } } };
}

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
  if (tree?.isDenied(path) && isNewer(panel)) return notDownloaded(403, deniedByEgg.detail);
  if (!entry?.content || entry.kind === 'link')
    return notDownloaded(404, 'The requested resource was not found on this server.');
  const headers = {
    'Content-Type': 'application/octet-stream',
    'Content-Disposition': `attachment; filename="${encodeURIComponent(posix.basename(path))}"`,
    'Content-Length': String(sizeOf(entry)),
  };
  return { headers, body: entry.size === undefined ? entry.content : zeros(entry.size) };
}

const notDownloaded = (status: number, error: string): PanelAnswer => ({
  status,
  headers: { 'Content-Type': 'application/json; charset=utf-8' },
  body: JSON.stringify({ error }),
});

const zeros = (bytes: number) =>
  Readable.from(
    (function* () {
      for (let left = bytes; left > 0; left -= 65_536) yield Buffer.alloc(Math.min(left, 65_536));
    })(),
  );

const isNewer = ({ dialect, conditions }: FilesPanel) => dialect === 'pelican' || conditions.hasNewerNodes;

/** The panel trims what it is sent; a node takes the rest as it stands, below its root. */
const resolve = (...parts: unknown[]) =>
  posix.resolve('/', ...parts.map((part) => `./${String(part ?? '').trim()}`));

const leavesRoot = (path: string | null) => /^\.\.(\/|$)/.test(posix.join('.', `./${path ?? ''}`));

/** What tells little of itself. */
const failed: NodeRefusal = { status: 500 };
const deniedByEgg = {
  status: 403,
  detail: 'This file cannot be modified: present in egg denylist.',
};
const missing: NodeRefusal = {
  status: 404,
  detail: 'The requested resources was not found on the system.',
};

function answerList({ query, tree }: FileCall, panel: FilesPanel): PanelAnswer {
  const asked = query.get('directory');
  const directory = resolve(asked);
  const entry = tree.get(directory);
  const isFile = tree.isBelowFile(directory) || (entry && entry.content !== null);
  if (isFile || leavesRoot(asked)) return refusedByNode(failed, panel);
  if (!entry)
    return refusedByNode(
      isNewer(panel)
        ? { status: 404, detail: 'The requested directory was not found on the server.' }
        : failed,
      panel,
    );
  const data = tree.list(directory).map(([name, file]) => ({
    object: 'file_object',
    attributes: presentEntry(name, file, panel),
  }));
  return { body: { object: 'list', data } };
}

const sizeOf = ({ content, size }: EmulatedFile) => size ?? content?.length ?? 4096;

function presentEntry(name: string, file: EmulatedFile, { dialect }: FilesPanel) {
  const isDirectory = file.content === null;
  const time = new Date(file.modifiedAt).toISOString().replace(/\.\d+Z$/, '+00:00');
  const [mode, mode_bits] = isDirectory ? modes.directory : modes[file.kind ?? 'file'];
  return {
    ...{ name, mode, mode_bits, size: sizeOf(file), is_file: !isDirectory },
    // A node of 2024 says so of no link.
    is_symlink: file.kind === 'link' && dialect === 'pelican',
    mimetype: isDirectory ? 'inode/directory' : `text/plain; charset=${charsetOf(file)}`,
    ...{ created_at: time, modified_at: time },
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

function answerContents({ query, tree }: FileCall, panel: FilesPanel): PanelAnswer {
  const asked = query.get('file');
  if (!asked) return required('file');
  const path = resolve(asked);
  const entry = tree.get(path);
  const refused = refuseReading(path, { tree, isOutside: leavesRoot(asked), isNewer: isNewer(panel) });
  if (refused) return refusedByNode({ ...refused, of: 'reading' }, panel);
  if (!entry?.content || entry.kind === 'pipe') return noAnswerOfNode(panel.dialect);
  if (sizeOf(entry) > panel.fileEditBytesMax)
    return refusal(
      400,
      'FileSizeTooLargeException',
      'The file you are attempting to open is too large to view in the file editor.',
    );
  const body = panel.dialect === 'pelican' ? asPelican(entry.content) : entry.content;
  const charset = panel.dialect === 'pelican' ? 'utf-8' : 'UTF-8';
  return { headers: { 'Content-Type': `text/plain; charset=${charset}` }, body };
}

interface Reading {
  tree: FileTree;
  isOutside: boolean;
  isNewer: boolean;
}

function refuseReading(path: string, { tree, isOutside, isNewer }: Reading): NodeRefusal | null {
  const entry = tree.get(path);
  if (isOutside || tree.isBelowFile(path) || entry?.kind === 'link') return failed;
  if (!entry) return isNewer ? missing : failed;
  if (entry.content === null)
    return isNewer
      ? { status: 400, detail: 'Cannot perform that action: file is a directory.' }
      : { status: 502 };
  return isNewer && tree.isDenied(path) ? deniedByEgg : null;
}

const required = (field: string) => invalidField(field, 'required', `The ${field} field is required.`);

/** Pelican makes UTF-8 of what is none. */
function asPelican(content: Buffer): Buffer {
  if (content[0] === 0xff && content[1] === 0xfe) return Buffer.from(content.subarray(2).toString('utf16le'));
  const isUtf8 = Buffer.from(content.toString()).equals(content);
  return isUtf8 ? content : Buffer.from(content.toString('latin1'));
}

const nameBytesMax = 255;

function answerWrite({ query, bytes, tree }: FileCall, panel: FilesPanel): PanelAnswer {
  const path = resolve(query.get('file'));
  const entry = tree.get(path);
  if (entry?.kind === 'pipe') return noAnswerOfNode(panel.dialect);
  const refused = refuseWriting(path, tree);
  if (refused) return refusedByNode({ ...refused, of: 'writing' }, panel);
  tree.write(path, bytes, panel.clock());
  return { status: 204 };
}

function refuseWriting(path: string, tree: FileTree): NodeRefusal | null {
  const entry = tree.get(path);
  if (tree.isDenied(path)) return deniedByEgg;
  if (tree.isBelowFile(path) || entry?.kind === 'link') return failed;
  if (entry?.content === null)
    return {
      status: 400,
      detail: 'Cannot write file, name conflicts with an existing directory by the same name.',
    };
  return Buffer.byteLength(posix.basename(path)) > nameBytesMax
    ? { status: 400, detail: 'Cannot perform that action: file name is too long.' }
    : null;
}

interface FileBody {
  root?: unknown;
  name?: unknown;
  files?: unknown[];
}

const readBody = ({ body }: FileCall): FileBody => JSON.parse(body);

function answerRename(call: FileCall, panel: FilesPanel): PanelAnswer {
  const { root, files = [] } = readBody(call);
  const { tree } = call;
  for (const { from, to } of files as { from: unknown; to: unknown }[]) {
    const [source, target] = [resolve(root, from), resolve(root, to)];
    if (tree.isDenied(source) || tree.isDenied(target)) return refusedByNode(deniedByEgg, panel);
    if (source === '/' || target.startsWith(`${source}/`)) return refusedByNode(failed, panel);
    if (tree.get(target)) return refusedByNode(taken, panel);
    // Of what is not there nothing is said.
    if (tree.get(source)) tree.move(source, target, panel.clock());
  }
  return { status: 204 };
}

const taken: NodeRefusal = {
  status: 400,
  detail: 'Cannot move or rename file, destination already exists.',
};

/** What can be deleted is, whatever is said of the others; of a file of the egg's list nothing is said. */
function answerDelete(call: FileCall, panel: FilesPanel): PanelAnswer {
  const { root, files = [] } = readBody(call);
  if (files.length === 0) return required('files');
  const empty = files.findIndex((path) => String(path).trim() === '');
  if (empty >= 0) return invalidField(`files.${empty}`, 'string', `The files.${empty} must be a string.`);
  const paths = files.map((path) => resolve(root, path));
  const isMissing = paths.some((path) => !call.tree.get(path));
  for (const path of paths) if (!call.tree.isDenied(path)) call.tree.delete(path);
  if (paths.includes('/')) return refusedByNode(failed, panel);
  return isMissing && isNewer(panel) ? refusedByNode(missing, panel) : { status: 204 };
}

function answerCreateFolder(call: FileCall, panel: FilesPanel): PanelAnswer {
  const { root, name } = readBody(call);
  const path = resolve(root, name);
  const entry = call.tree.get(path);
  if (call.tree.isBelowFile(path) || (entry && entry.content !== null))
    return refusedByNode({ ...(isNewer(panel) ? noDirectory : failed), of: 'writing' }, panel);
  call.tree.makeDirectory(path, panel.clock());
  return { status: 204 };
}

const noDirectory: NodeRefusal = {
  status: 400,
  detail: 'Part of the path being created is not a directory (ENOTDIR).',
};
