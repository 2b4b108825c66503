/** Answers the calls of the client API about the files of a server, as a panel does. */
import { posix } from 'node:path';
import { linkTo, type PanelAnswer, type ReceivedRequest, readField, refusal, toAtom } from './answers.ts';
import type { FileTree, StoredFile } from './file-tree.ts';
import type { ServerRoutes } from './panel.ts';

/** The panel trims paths. A node takes the rest literally, below the server's root. */
export const pathOf = (...parts: unknown[]) =>
  posix.resolve('/', ...parts.map((part) => `./${String(part ?? '').trim()}`));

const missing = () => refusal(404, 'DaemonConnectionException');

export const sendFile = (path: string, content: Buffer): PanelAnswer => ({
  headers: {
    'Content-Type': 'application/octet-stream',
    'Content-Disposition': `attachment; filename="${encodeURIComponent(posix.basename(path))}"`,
    'Content-Length': String(content.length),
  },
  body: content,
});

export function presentFile([name, { content, modifiedAt }]: [string, StoredFile]) {
  const type = content
    ? { mode: '-rw-r--r--', mode_bits: '644', mimetype: 'text/plain; charset=utf-8' }
    : { mode: 'drwxr-xr-x', mode_bits: '755', mimetype: 'inode/directory' };
  const file = { name, size: content?.length ?? 4096, is_file: content !== null, is_symlink: false };
  return { object: 'file_object', attributes: { ...file, ...type, modified_at: toAtom(modifiedAt) } };
}

export const fileRoutes: ServerRoutes = {
  'GET files/list'({ query, server: { files } }) {
    const directory = pathOf(query.get('directory'));
    if (!files.get(directory)) return missing();
    return { body: { object: 'list', data: files.list(directory).map(presentFile) } };
  },
  'GET files/contents'({ query, server: { files } }) {
    const content = files.get(pathOf(query.get('file')))?.content;
    return content ? { headers: { 'Content-Type': 'text/plain; charset=UTF-8' }, body: content } : missing();
  },
  'GET files/download'(call, panel) {
    // In this call alone, the path is decoded twice.
    const path = pathOf(decodeURIComponent(call.query.get('file') ?? ''));
    const token = panel.issueToken(path, () => {
      const content = call.server.files.get(path)?.content;
      return content ? sendFile(path, content) : missing();
    });
    return linkTo(call, 'download/file', token);
  },
  'GET files/upload'(call, panel) {
    const { server } = call;
    const token = panel.issueToken(`upload to ${server.attributes.uuid}`, (upload) =>
      takeUpload(upload, server.files, panel.clock()),
    );
    return linkTo(call, 'upload/file', token);
  },
  'POST files/write'({ query, bytes, server: { files } }, { clock }) {
    files.write(pathOf(query.get('file')), bytes, clock());
    return { status: 204 };
  },
  'PUT files/rename'(call, { clock }) {
    const { files } = call.server;
    const root = readField(call, 'root');
    for (const { from, to } of readField(call, 'files') as { from: unknown; to: unknown }[])
      files.move(pathOf(root, from), pathOf(root, to), clock());
    return { status: 204 };
  },
  'POST files/delete'(call) {
    const root = readField(call, 'root');
    for (const name of readField(call, 'files') as unknown[]) call.server.files.delete(pathOf(root, name));
    return { status: 204 };
  },
  'POST files/create-folder'(call, { clock }) {
    call.server.files.makeDirectory(pathOf(readField(call, 'root'), readField(call, 'name')), clock());
    return { status: 204 };
  },
};

/** The form's files, as a node takes them: into a directory that it makes, over files of the same name. */
async function takeUpload(
  { bytes, headers, path }: ReceivedRequest,
  files: FileTree,
  now: number,
): Promise<PanelAnswer> {
  const form = new Response(bytes, { headers: { 'Content-Type': headers['content-type'] ?? '' } }).formData();
  const parts = await form.then(
    (fields) => fields.getAll('files').filter((part) => part instanceof File),
    () => [],
  );
  if (parts.length === 0) return refuseUpload('No files were found on the request body.');
  const directory = new URL(path, 'http://node').searchParams.get('directory');
  for (const part of parts) {
    const target = pathOf(directory, posix.basename(part.name));
    if (files.get(target)?.content === null)
      return refuseUpload('Cannot perform that action: file is a directory.');
    files.write(target, Buffer.from(await part.arrayBuffer()), now);
  }
  return {};
}

const refuseUpload = (error: string): PanelAnswer => ({ status: 400, body: { error } });
