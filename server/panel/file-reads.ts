/** Reads files: the beginning as the panel has it, and what the panel does not give, or not unchanged, at the node by a link. */
import { badRequest } from '../../routers/errors.ts';
import type { PanelFileContent } from '../../routers/panel-port.ts';
import type { Place } from './directory.ts';
import { PanelFailure } from './failures.ts';
import { FileContent } from './file-content.ts';
import { type FindFile, isRefused, mayBeMissing, requireFile } from './find-file.ts';
import { createDownload, type Download } from './node-download.ts';
import type { PanelSettings } from './options.ts';
import { expecting } from './panel-api.ts';
import type { ServerApi } from './server-api.ts';
import { parseSignedLink } from './signed-link.ts';

interface Deps {
  api: ServerApi;
  find: FindFile;
  settings: PanelSettings;
}

interface Read {
  content: FileContent;
  /** Of the whole file. */
  bytes: number;
}

export class FileReads {
  readonly #deps: Deps;
  readonly #download: Download;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#download = createDownload(deps.settings);
  }

  async beginning(place: Place): Promise<PanelFileContent> {
    return present(await this.#read(place, false).catch(adviseTail));
  }

  async end(place: Place, tail: number): Promise<PanelFileContent> {
    const content = await this.#readAtNode(place, new FileContent({ tail }));
    return present({ content, bytes: content.bytes });
  }

  /** Of the whole file, which may be larger than the panel reads. */
  async hash(place: Place): Promise<string> {
    const { content } = await this.#read(place, true).catch(async (failure: unknown) => {
      if (!isTooLargeForPanel(failure)) throw failure;
      return { content: await this.#readAtNode(place, new FileContent({ isWhole: true })) };
    });
    return content.sha256();
  }

  async link(place: Place) {
    requireFile(await this.#deps.find(place));
    return this.#requestLink(place);
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

  /** Pelican changes what is no UTF-8: then the size is another one, and the node has the true bytes. */
  async #read(place: Place, isWhole: boolean): Promise<Read> {
    const content = await this.#readAtPanel(place, isWhole);
    const isPelican = place.server.acceptsCommandsWhenOff;
    const known = content.isReadWhole ? content.bytes : content.announcedBytes;
    if (!isPelican && known !== null) return { content, bytes: known };
    const { bytes } = requireFile(await this.#deps.find(place));
    if (!isPelican || (content.isReadWhole && content.bytes === bytes)) return { content, bytes };
    const trueContent = await this.#readAtNode(place, new FileContent({ isWhole }));
    return { content: trueContent, bytes: sizeOf(trueContent, bytes) };
  }

  async #readAtPanel(place: Place, isWhole: boolean): Promise<FileContent> {
    const { api } = this.#deps;
    const { server, path, requestId } = place;
    const content = new FileContent({ isWhole, contentType: 'text/plain' });
    const rest = `files/contents?file=${encodeURIComponent(path)}`;
    api.requireReads();
    const read = api.send(
      { server, rest, requestId, sink: content },
      expecting([200], 'Server', () => true),
    );
    await read.catch((failure: unknown) => this.#explain(place, failure));
    return content;
  }

  async #readAtNode(place: Place, content: FileContent): Promise<FileContent> {
    const { url } = await this.#requestLink(place);
    const read = this.#download(place.server, url, content);
    await read.catch((failure: unknown) => this.#explain(place, failure));
    return content;
  }

  /** @throws what the file is, or is not, where that is why it could not be read */
  async #explain(place: Place, failure: unknown): Promise<never> {
    if (mayBeMissing(failure) || isRefused(failure)) requireFile(await this.#deps.find(place));
    throw isRefused(failure) ? badRequest('file is no file that can be read', failure) : failure;
  }
}

/** The file may have grown since it was listed. */
const sizeOf = (content: FileContent, listedBytes: number) =>
  content.isReadWhole ? content.bytes : (content.announcedBytes ?? listedBytes);

const present = ({ content, bytes }: Read): PanelFileContent => ({
  bytes,
  sha256: content.isReadWhole ? content.sha256() : null,
  ...content.text(),
});

const isTooLargeForPanel = (failure: unknown): failure is PanelFailure =>
  failure instanceof PanelFailure && failure.details.upstreamCode === 'FileSizeTooLargeException';

function adviseTail(failure: unknown): never {
  if (!isTooLargeForPanel(failure)) throw failure;
  const advice = 'read its end with tail, or get a download link for it';
  throw badRequest(`file is larger than the panel reads: ${advice}`, failure);
}
