/** Reads files: the beginning as the panel has it, and what the panel does not give, or not unchanged, at the node by a link. */
import { badRequest } from '../../routers/errors.ts';
import type { PanelFileContent } from '../../routers/panel-port.ts';
import type { Place } from './directory.ts';
import { PanelFailure } from './failures.ts';
import { FileContent } from './file-content.ts';
import { type FindFile, isRefused, mayBeMissing, requireFile } from './find-file.ts';
import { createDownload } from './node-download.ts';
import type { PanelSettings } from './options.ts';
import { expecting } from './panel-api.ts';
import type { ServerApi } from './server-api.ts';
import { parseSignedLink } from './signed-link.ts';

export type ReadFile = ReturnType<typeof createReadFile>;

export function createReadFile(api: ServerApi, find: FindFile, settings: PanelSettings) {
  const download = createDownload(settings);

  async function requestLink({ server, path, requestId }: Place) {
    // This call alone decodes its path once more.
    const rest = `files/download?file=${encodeURIComponent(path.replaceAll('%', '%25'))}`;
    api.requireReads();
    return api.send(
      { server, rest, requestId, needsNode: false },
      expecting([200], 'Server', (body) => parseSignedLink(body, settings.clock())),
    );
  }

  /** @throws what the file is, or is not, where that is why it could not be read */
  const explain = (place: Place) => async (failure: unknown) => {
    if (mayBeMissing(failure) || isRefused(failure)) requireFile(await find(place));
    throw isRefused(failure) ? badRequest('file is no file that can be read', failure) : failure;
  };

  async function readAtPanel({ server, path, requestId }: Place, content: FileContent) {
    const rest = `files/contents?file=${encodeURIComponent(path)}`;
    api.requireReads();
    await api.send(
      { server, rest, requestId, sink: content },
      expecting([200], 'Server', () => true),
    );
    return content;
  }

  async function readAtNode(place: Place, content: FileContent) {
    const { url } = await requestLink(place);
    await download(place.server, url, content).catch(explain(place));
    return content;
  }

  /** Pelican changes what is no UTF-8: then the size is another one, and the node has the true bytes. */
  async function read(place: Place, isWhole: boolean): Promise<{ content: FileContent; bytes: number }> {
    const wanted = { isWhole, contentType: 'text/plain' };
    const content = await readAtPanel(place, new FileContent(wanted)).catch(explain(place));
    const { isReadWhole, announcedBytes } = content;
    const isPelican = place.server.acceptsCommandsWhenOff;
    if (!isPelican && isReadWhole) return { content, bytes: content.bytes };
    if (!isPelican && announcedBytes !== null) return { content, bytes: announcedBytes };
    const { bytes } = requireFile(await find(place));
    if (!isPelican || (isReadWhole && content.bytes === bytes)) return { content, bytes };
    const trueContent = await readAtNode(place, new FileContent({ isWhole }));
    return { content: trueContent, bytes: sizeOf(trueContent, bytes) };
  }

  return {
    async beginning(place: Place): Promise<PanelFileContent> {
      const { content, bytes } = await read(place, false).catch(adviseTail);
      return present(content, bytes);
    },
    async end(place: Place, tail: number): Promise<PanelFileContent> {
      const content = await readAtNode(place, new FileContent({ tail }));
      return present(content, content.bytes);
    },
    /** Of the whole file, which may be larger than the panel reads. */
    async hash(place: Place): Promise<string> {
      const { content } = await read(place, true).catch(async (failure: unknown) => {
        if (!isTooLargeForPanel(failure)) throw failure;
        return { content: await readAtNode(place, new FileContent({ isWhole: true })) };
      });
      return content.sha256();
    },
    async link(place: Place) {
      requireFile(await find(place));
      return requestLink(place);
    },
  };
}

/** The file may have grown since it was listed. */
const sizeOf = (content: FileContent, listedBytes: number) =>
  content.isReadWhole ? content.bytes : (content.announcedBytes ?? listedBytes);

const present = (content: FileContent, bytes: number): PanelFileContent => ({
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
