/** Uploads a file straight to the machine of the server, by a link that the API signs. */
import { GamehostError } from './errors.ts';
import { exchange, type Limits, readable } from './exchange.ts';

/** The link of `createFileUploadLink`. */
export interface UploadLink {
  url: string;
  method: string;
  field: string;
}

export interface UploadedFile {
  name: string;
  /** In Node, `await openAsBlob(path)` of `node:fs` reads a file while it is sent. */
  data: Blob | ArrayBuffer | Uint8Array | string;
}

/** @param transport `timeoutMs` is for the whole upload */
export async function uploadTo(
  { url, method, field }: UploadLink,
  { name, data }: UploadedFile,
  { fetch, ...limits }: Limits & { fetch: typeof globalThis.fetch },
): Promise<void> {
  const body = new FormData();
  // A Blob copies the bytes, so that shared memory is safe, which its type leaves out.
  body.set(field, data instanceof Blob ? data : new Blob([data as string]), name);
  const { response, text } = await exchange(fetch, { url, method, body }, limits);
  if (response.ok) return;
  const { status } = response;
  const refusal = `The server's machine refused ${name} with status ${status}`;
  const message = [refusal, readable(text)].filter(Boolean).join(': ');
  throw new GamehostError({ status: status || null, code: 'upload_refused', message });
}
