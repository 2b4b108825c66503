/** How a panel answers the calls of its client API about a server's files, all of which but links ask the server's node. */
import { posix } from 'node:path';
import { notFound, type PanelAnswer, type PanelCall, refusal } from './answers.ts';
import { type EmulatedPanel, findEmulatedServer } from './emulated-panel.ts';
import type { EmulatedFile, FileTree } from './file-tree.ts';

interface FileCall {
  /** What follows `files/` in the path, after the method, such as "GET list". */
  route: string;
  query: URLSearchParams;
  body: string;
  tree: FileTree;
  /** The server's uuid, and where its node is. */
  uuid: string;
  host: string;
}

type FilesPanel = Pick<EmulatedPanel, 'dialect' | 'clock' | 'fileEditBytesMax' | 'downloads'>;

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
      return answerDelete(call);
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
  const entry = server && panel.filesOf(server).get(path);
  if (!entry?.content || entry.isLink) return notFound();
  const headers = {
    'Content-Type': 'application/octet-stream',
    'Content-Length': String(entry.content.length),
  };
  return { headers, body: entry.content };
}

/** As a node resolves them: it stays in the root. The panel has trimmed them. */
const resolve = (...parts: unknown[]) =>
  posix.resolve('/', ...parts.map((part) => `./${String(part ?? '').trim()}`));

/** What a node's refusal looks like; Pelican tells its status of reads only. */
function refusedByNode(
  status: number,
  { dialect }: FilesPanel,
  pelicanCode = 'RequestException',
): PanelAnswer {
  if (dialect === 'pelican') return refusal(500, pelicanCode, 'The request to the node failed.');
  return refusal(
    status,
    'DaemonConnectionException',
    'An error was encountered while processing this request.',
  );
}

function answerList({ query, tree }: FileCall, panel: FilesPanel): PanelAnswer {
  const directory = resolve(query.get('directory'));
  const entry = tree.get(directory);
  if (!entry || tree.isBelowFile(directory)) return refusedByNode(500, panel);
  if (entry.content !== null || entry.isLink) return refusedByNode(500, panel);
  const data = tree.list(directory).map(([name, file]) => ({
    object: 'file_object',
    attributes: presentEntry(name, file),
  }));
  return { body: { object: 'list', data } };
}

function presentEntry(name: string, { content, modifiedAt, isLink = false }: EmulatedFile) {
  const isDirectory = content === null;
  const time = new Date(modifiedAt).toISOString().replace(/\.\d+Z$/, '+00:00');
  const letter = isLink ? 'L' : isDirectory ? 'd' : '-';
  return {
    ...{ name, mode: `${letter}rw-r--r--`, mode_bits: '644' },
    size: content?.length ?? 4096,
    ...{ is_file: !isDirectory, is_symlink: false },
    mimetype: isDirectory ? 'inode/directory' : 'text/plain; charset=utf-8',
    ...{ created_at: time, modified_at: time },
  };
}

const plainText = { 'Content-Type': 'text/plain; charset=UTF-8' };

function answerContents({ query, tree }: FileCall, panel: FilesPanel): PanelAnswer {
  const path = resolve(query.get('file'));
  const entry = tree.get(path);
  if (!entry || entry.isLink) return refusedByNode(404, panel, 'FileNotFoundException');
  // The node announces a length, then fails.
  if (entry.content === null)
    return panel.dialect === 'pelican'
      ? refusal(500, 'ConnectionException', 'cURL error 18')
      : refusal(504, 'DaemonConnectionException', 'Could not establish a connection.');
  if (entry.content.length > panel.fileEditBytesMax)
    return refusal(400, 'FileSizeTooLargeException', 'The file you are attempting to open is too large.');
  const body = panel.dialect === 'pelican' ? asPelican(entry.content) : entry.content;
  return { headers: plainText, body };
}

/** Pelican makes UTF-8 of what is none. */
function asPelican(content: Buffer): Buffer {
  if (content[0] === 0xff && content[1] === 0xfe) return Buffer.from(content.subarray(2).toString('utf16le'));
  const isUtf8 = Buffer.from(content.toString()).equals(content);
  return isUtf8 ? content : Buffer.from(content.toString('latin1'));
}

function answerWrite({ query, body, tree }: FileCall, panel: FilesPanel): PanelAnswer {
  const path = resolve(query.get('file'));
  if (tree.isBelowFile(path)) return refusedByNode(500, panel);
  const entry = tree.get(path);
  if (entry && (entry.content === null || entry.isLink))
    return refusedByNode(400, panel, 'FileExistsException');
  tree.write(path, body, panel.clock());
  return { status: 204 };
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
    const target = resolve(root, to);
    if (tree.get(target)) return refusedByNode(400, panel);
    const source = resolve(root, from);
    if (source === '/') return refusedByNode(500, panel);
    // Of what is not there nothing is said.
    if (tree.get(source)) tree.move(source, target, panel.clock());
  }
  return { status: 204 };
}

function answerDelete(call: FileCall): PanelAnswer {
  const { root, files = [] } = readBody(call);
  for (const path of files) call.tree.delete(resolve(root, path));
  return { status: 204 };
}

function answerCreateFolder(call: FileCall, panel: FilesPanel): PanelAnswer {
  const { root, name } = readBody(call);
  const path = resolve(root, name);
  const entry = call.tree.get(path);
  if (entry && entry.content !== null) return refusedByNode(400, panel, 'FileExistsException');
  call.tree.makeDirectory(path, panel.clock());
  return { status: 204 };
}
