/**
 * Reads files: what the panel can give unchanged and whole from it, all else at the node by a link. What a file is, and how
 * large, is looked at first: a panel loads all of it, and waits for a pipe, before it refuses.
 */
import { limitByKey } from '../../models/support/queue.ts';
import { ApiError, badRequest, notFound } from '../../routers/errors.ts';
import { fileTextBytesMax, type ShownEncoding } from '../../routers/files/text.ts';
import type { PanelFile, PanelFileContent } from '../../routers/panel-port.ts';
import { withTimeout } from '../limit/with-timeout.ts';
import { PanelFailure } from './failures.ts';
import { FileContent, markOfType } from './file-text.ts';
import { denied, find, type Place, refusalOf, requireFile } from './find-file.ts';
import {
  type BodySink,
  beginningOnly,
  createDownload,
  type Download,
  parseSignedLink,
} from './node-download.ts';
import { expecting } from './panel-api.ts';
import type { PanelSettings } from './settings.ts';

/** How long a caller of a link waits for what the node says; a link is given where that takes longer. */
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
      refuse: () => new PanelFailure('busy', { reason: 'other files of the owner took too long' }),
    });
  }

  async read(place: Place, tail?: number): Promise<PanelFileContent> {
    const file = requireFile(await find(place));
    const content = await this.#read(place, file, { tail });
    return { ...content.text(), bytes: content.fileBytes, sha256: content.sha256() };
  }

  /**
   * What a file holds, to compare it: its hash, and how it is shown; null where it is not read as text.
   * @throws bad_request for one that is too large
   */
  async compare(place: Place, file: PanelFile) {
    const content = await this.#read(place, file, { isWhole: true });
    return { sha256: content.sha256(), encoding: encodingOf(content) };
  }

  /** Hands all bytes to the sink, as they lie on the node. */
  readBytes = (place: Place, sink: BodySink): Promise<void> => this.#readAtNode(place, sink);

  async link(place: Place) {
    requireFile(await find(place));
    if (await this.isDenied(place)) throw denied('read');
    return this.#requestLink(place);
  }

  /** As far as the node says so, which looks at nothing else before; the panel gives links to denied files, too. */
  async isDenied(place: Place): Promise<boolean> {
    const probe = this.#readAtNode(place, beginningOnly);
    const [result] = await Promise.allSettled([withTimeout(probeMs, probe)]);
    return result.status === 'rejected' && refusalOf(result.reason) === 'denied';
  }

  /** The same of a path where nothing is: a newer node says so when it is read. */
  async isDeniedWhereMissing(place: Place): Promise<boolean> {
    const [result] = await Promise.allSettled([withTimeout(probeMs, requestContents(place))]);
    const refusal = result.status === 'rejected' ? refusalOf(result.reason) : null;
    return refusal === 'denied' || (refusal === 'unexplained' && (await this.isDenied(place)));
  }

  async #requestLink({ api, server, path, requestId }: Place) {
    // This call alone decodes its path once more.
    const rest = `files/download?file=${encodeURIComponent(path.replaceAll('%', '%25'))}`;
    const parse = (body: unknown) => parseSignedLink(body, this.#settings.clock());
    return api.send({ server, rest, requestId, needsNode: false }, expecting([200], 'Server', parse));
  }

  async #read(place: Place, file: PanelFile, wanted: { tail?: number | undefined; isWhole?: boolean }) {
    const create = () => new FileContent({ ...wanted, bytes: file.bytes });
    const isPelican = place.server.acceptsCommandsWhenOff;
    // Pelican makes UTF-8 of what is none: of UTF-16 perhaps in as many bytes, of all else in more.
    const isChanged = isPelican && markOfType(file.mimeType) !== null;
    if (file.bytes <= fileTextBytesMax && !isChanged) {
      const content = await readAtPanel(place, create());
      if (content && !(isPelican && content.bytes !== file.bytes)) return content;
    }
    const content = create();
    await this.#readAtNode(place, content).catch(explain);
    return content;
  }

  /** One of a customer at a time, as each may be large. */
  #readAtNode(place: Place, sink: BodySink): Promise<void> {
    return this.#limitByOwner(place.server.ownerId, async () => {
      const { url } = await this.#requestLink(place);
      await this.#download(place.server, url, sink);
    });
  }
}

async function requestContents({ api, server, path, requestId }: Place): Promise<Buffer> {
  const rest = `files/contents?file=${encodeURIComponent(path)}`;
  return api.send({ server, rest, requestId, isFile: true }, expecting([200], 'Server', requireBytes));
}

/** Null where the panel does not give it, or does not say why the node refused. */
async function readAtPanel(place: Place, content: FileContent) {
  try {
    content.write(await requestContents(place));
    return content;
  } catch (failure) {
    if (refusalOf(failure) === 'unexplained' || isTooLargeForPanel(failure)) return null;
    return explain(failure);
  }
}

const isTooLargeForPanel = (failure: unknown) =>
  failure instanceof PanelFailure && failure.details.upstreamCode === 'FileSizeTooLargeException';

/** What a node says of a file that was listed a moment ago. */
function explain(failure: unknown): never {
  const refusal = refusalOf(failure);
  if (refusal === 'denied') throw denied('read', failure);
  // Its name is no UTF-8, or it has just been deleted.
  if (refusal === 'missing') throw notFound('File');
  throw refusal === 'refused' ? badRequest('file is no file that can be read', failure) : failure;
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
