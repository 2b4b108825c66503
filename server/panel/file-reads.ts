/**
 * Reads files: what the panel can give unchanged and whole from it, all else at the node by a link. What a file is, and how
 * large, is looked at first: a panel loads all of it, and waits for a pipe, before it refuses.
 */
import { limitByKey } from '../../models/support/limit-by-key.ts';
import { ApiError, badRequest, notFound } from '../../routers/errors.ts';
import { fileTextBytesMax, type ShownEncoding } from '../../routers/file-text.ts';
import type { PanelFile, PanelFileContent } from '../../routers/panel-port.ts';
import { withTimeout } from '../limit/with-timeout.ts';
import type { Place } from './directory.ts';
import { PanelFailure } from './failures.ts';
import { FileContent, hashedBytesMax, tooLargeToCompare } from './file-content.ts';
import { markOfType } from './file-text.ts';
import {
  denied,
  type FindFile,
  isDenied,
  isMissing,
  isRefused,
  isUnexplained,
  requireFile,
} from './find-file.ts';
import { type BodySink, beginningOnly, createDownload, type Download } from './node-download.ts';
import type { PanelSettings } from './options.ts';
import { expecting } from './panel-api.ts';
import type { ServerApi } from './server-api.ts';
import { parseSignedLink } from './signed-link.ts';

interface Deps {
  api: ServerApi;
  find: FindFile;
  settings: PanelSettings;
}

/** How long a caller of a link waits for what the node says; a link is given where that takes longer. */
const probeMs = 2_000;

interface Wanted {
  tail?: number | undefined;
  isWhole?: boolean;
}

export class FileReads {
  readonly #deps: Deps;
  readonly #download: Download;
  readonly #oneOfEachOwner = limitByKey<number>(1);

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#download = createDownload(deps.settings);
  }

  async read(place: Place, tail?: number): Promise<PanelFileContent> {
    const file = requireFile(await this.#deps.find(place));
    const content = await this.#read(place, file, { tail });
    return { ...content.text(), bytes: content.fileBytes, sha256: content.sha256() };
  }

  /**
   * What a file holds, to compare it: its hash, and how it is shown; null where it is not read as text.
   * @throws bad_request for one that is too large
   */
  async compare(place: Place, file: PanelFile) {
    if (file.bytes > hashedBytesMax) throw tooLargeToCompare();
    const content = await this.#read(place, file, { isWhole: true });
    return { sha256: content.sha256(), encoding: encodingOf(content) };
  }

  async link(place: Place) {
    requireFile(await this.#deps.find(place));
    if (await this.isDenied(place)) throw denied('read');
    return this.#requestLink(place);
  }

  /** As far as the node says so, which looks at nothing else before; the panel gives links to denied files, too. */
  async isDenied(place: Place): Promise<boolean> {
    const probe = this.#readAtNode(place, beginningOnly);
    const [result] = await Promise.allSettled([withTimeout(probeMs, probe)]);
    return result.status === 'rejected' && isDenied(result.reason);
  }

  async #requestLink({ server, path, requestId }: Place) {
    const { api, settings } = this.#deps;
    // This call alone decodes its path once more.
    const rest = `files/download?file=${encodeURIComponent(path.replaceAll('%', '%25'))}`;
    api.requireReads();
    return api.send(
      { server, rest, requestId, needsNode: false },
      expecting([200], 'Server', (body) => parseSignedLink(body, settings.clock())),
    );
  }

  async #read(place: Place, file: PanelFile, wanted: Wanted): Promise<FileContent> {
    const create = () => new FileContent({ ...wanted, bytes: file.bytes });
    const isPelican = place.server.acceptsCommandsWhenOff;
    // Pelican makes UTF-8 of what is none: of UTF-16 perhaps in as many bytes, of all else in more.
    const isChanged = isPelican && markOfType(file.mimeType) !== null;
    if (file.bytes <= fileTextBytesMax && !isChanged) {
      const content = await this.#readAtPanel(place, create());
      if (content && !(isPelican && content.bytes !== file.bytes)) return content;
    }
    const content = create();
    await this.#readAtNode(place, content).catch(explain);
    return content;
  }

  /** Null where the panel does not give it, or does not say why the node refused. */
  async #readAtPanel(place: Place, content: FileContent): Promise<FileContent | null> {
    const { server, path, requestId } = place;
    const rest = `files/contents?file=${encodeURIComponent(path)}`;
    const { api } = this.#deps;
    api.requireReads();
    try {
      await api.send(
        { server, rest, requestId, isFile: true },
        expecting([200], 'Server', (body) => content.write(requireBytes(body))),
      );
      return content;
    } catch (failure) {
      if (isUnexplained(failure) || isTooLargeForPanel(failure)) return null;
      return explain(failure);
    }
  }

  /** One of a customer at a time, as each may be large. */
  #readAtNode(place: Place, sink: BodySink): Promise<void> {
    const startedAt = performance.now();
    return this.#oneOfEachOwner(place.server.ownerId, async () => {
      if (performance.now() - startedAt >= this.#deps.settings.fileWaitMs)
        throw new PanelFailure('busy', { reason: 'other files of the owner took too long' });
      const { url } = await this.#requestLink(place);
      await this.#download(place.server, url, sink);
    });
  }
}

const isTooLargeForPanel = (failure: unknown) =>
  failure instanceof PanelFailure && failure.details.upstreamCode === 'FileSizeTooLargeException';

/** What a node says of a file that was listed a moment ago. */
function explain(failure: unknown): never {
  if (isDenied(failure)) throw denied('read', failure);
  // Its name is no UTF-8, or it has just been deleted.
  if (isMissing(failure)) throw notFound('File');
  throw isRefused(failure) ? badRequest('file is no file that can be read', failure) : failure;
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
