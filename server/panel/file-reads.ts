/** Reads files: from the panel if it can send them complete and unchanged, otherwise at the node by a link. */
import { limitByKey } from '../../models/support/queue.ts';
import { ApiError, badRequest, notFound } from '../../routers/errors.ts';
import { fileTextBytesMax, type ShownEncoding } from '../../routers/files/text.ts';
import type { PanelFile, PanelFileContent } from '../../routers/panel-port.ts';
import { withTimeout } from '../limit/with-timeout.ts';
import { PanelFailure } from './failures.ts';
import { FileContent, markOfType } from './file-text.ts';
import {
  deniedError,
  type FilePath,
  find,
  refusalOf,
  requireFile,
  requireNothingButDirectory,
} from './find-file.ts';
import {
  type BodySink,
  createDownload,
  type Download,
  firstByteSink,
  parseSignedLink,
  requireNodeAddress,
} from './node-download.ts';
import { expecting } from './panel-api.ts';
import type { PanelSettings } from './settings.ts';

/** How long a request for a link waits for a refusal by the node; after that, the link is returned. */
const probeMs = 2_000;

export class FileReads {
  readonly #settings: PanelSettings;
  readonly #download: Download;
  readonly #limitByOwner;

  constructor(settings: PanelSettings) {
    this.#settings = settings;
    this.#download = createDownload(settings);
    this.#limitByOwner = limitByKey<number>({
      runningMax: 1,
      waitMsMax: settings.fileWaitMs,
      createError: () => new PanelFailure('busy', { reason: 'other files of the owner took too long' }),
    });
  }

  async read(filePath: FilePath, tail?: number): Promise<PanelFileContent> {
    const file = requireFile(await find(filePath));
    const content = await this.#read(filePath, file, { tail });
    return { ...content.text(), bytes: content.fileBytes, sha256: content.sha256() };
  }

  /** `encoding` is null for a file that is not text, or too large to be shown as text. */
  async readFingerprint(filePath: FilePath, file: PanelFile) {
    const content = await this.#read(filePath, file, { isWhole: true });
    return { sha256: content.sha256(), encoding: encodingOf(content) };
  }

  readBytes = (filePath: FilePath, sink: BodySink): Promise<void> => this.#readAtNode(filePath, sink);

  async link(filePath: FilePath) {
    requireFile(await find(filePath));
    if (await this.isDenied(filePath)) throw deniedError('read');
    return this.#requestFileLink(filePath);
  }

  async uploadLink(directory: FilePath) {
    requireNothingButDirectory(await find(directory));
    const { url, expiresAt } = await this.#requestLink(directory, 'files/upload');
    const address = requireNodeAddress(url, this.#settings);
    // The panel signs the link for the whole server, and the node reads the directory from the address.
    address.search += `&directory=${encodeURIComponent(directory.path)}`;
    return { url: address.href, expiresAt };
  }

  /** Asks the node, which checks this first. The panel gives links to denied files too. */
  async isDenied(filePath: FilePath): Promise<boolean> {
    const probe = this.#readAtNode(filePath, firstByteSink);
    const [result] = await Promise.allSettled([withTimeout(probeMs, probe)]);
    return result.status === 'rejected' && refusalOf(result.reason) === 'denied';
  }

  /** Like `isDenied`, for a path where nothing exists. A newer node refuses to read a denied path even then. */
  async isDeniedWhereMissing(filePath: FilePath): Promise<boolean> {
    const [result] = await Promise.allSettled([withTimeout(probeMs, requestContents(filePath))]);
    const refusal = result.status === 'rejected' ? refusalOf(result.reason) : null;
    return refusal === 'denied' || (refusal === 'unexplained' && (await this.isDenied(filePath)));
  }

  #requestFileLink(filePath: FilePath) {
    // In this call alone, the path is decoded twice.
    const file = encodeURIComponent(filePath.path.replaceAll('%', '%25'));
    return this.#requestLink(filePath, `files/download?file=${file}`);
  }

  #requestLink({ api, server, requestId }: FilePath, rest: string) {
    const parse = (body: unknown) => parseSignedLink(body, this.#settings.clock());
    return api.send({ server, rest, requestId, needsNode: false }, expecting([200], 'Server', parse));
  }

  async #read(filePath: FilePath, file: PanelFile, wanted: { tail?: number | undefined; isWhole?: boolean }) {
    const create = () => new FileContent({ ...wanted, bytes: file.bytes });
    const isPelican = filePath.server.acceptsCommandsWhenOff;
    // Pelican converts other encodings to UTF-8. A different size shows that, except perhaps for UTF-16, which the MIME type shows.
    const isChanged = isPelican && markOfType(file.mimeType) !== null;
    if (file.bytes <= fileTextBytesMax && !isChanged) {
      const content = await readAtPanel(filePath, create());
      if (content && !(isPelican && content.bytes !== file.bytes)) return content;
    }
    const content = create();
    await this.#readAtNode(filePath, content).catch(rethrowReadFailure);
    return content;
  }

  /** Each customer gets one read at a time, because a file may be large. */
  #readAtNode(filePath: FilePath, sink: BodySink): Promise<void> {
    return this.#limitByOwner(filePath.server.ownerId, async () => {
      const { url } = await this.#requestFileLink(filePath);
      await this.#download(filePath.server, url, sink);
    });
  }
}

async function requestContents({ api, server, path, requestId }: FilePath): Promise<Buffer> {
  const rest = `files/contents?file=${encodeURIComponent(path)}`;
  return api.send({ server, rest, requestId, isFile: true }, expecting([200], 'Server', requireBytes));
}

/** Null if the file is too large for the panel, or the panel does not report why the node refused. */
async function readAtPanel(filePath: FilePath, content: FileContent) {
  try {
    content.write(await requestContents(filePath));
    return content;
  } catch (failure) {
    if (refusalOf(failure) === 'unexplained' || isTooLargeForPanel(failure)) return null;
    return rethrowReadFailure(failure);
  }
}

const isTooLargeForPanel = (failure: unknown) =>
  failure instanceof PanelFailure && failure.details.upstreamCode === 'FileSizeTooLargeException';

function rethrowReadFailure(failure: unknown): never {
  const refusal = refusalOf(failure);
  if (refusal === 'denied') throw deniedError('read', failure);
  // The file's name is not UTF-8, or the file has just been deleted.
  if (refusal === 'missing') throw notFound('File');
  throw refusal === 'refused' ? badRequest('file cannot be read', failure) : failure;
}

function requireBytes(body: unknown): Buffer {
  if (Buffer.isBuffer(body)) return body;
  throw new PanelFailure('malformed', { reason: 'not the bytes of a file' });
}

function encodingOf(content: FileContent): ShownEncoding | null {
  if (content.bytes > fileTextBytesMax) return null;
  try {
    return content.text().encoding;
  } catch (failure) {
    if (failure instanceof ApiError) return null;
    throw failure;
  }
}
