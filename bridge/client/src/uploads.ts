/** Uploads a file straight to the machine of the server, by a link that the API signs. */
import { GamehostError } from './errors.ts';
import type { CallOptions, Connection } from './send.ts';

/** The link of `createFileUploadLink`. */
interface UploadLink {
  url: string;
  method: string;
  field: string;
}

export interface UploadedFile {
  name: string;
  data: Blob | Uint8Array<ArrayBuffer> | ArrayBuffer | string;
}

export async function uploadTo(
  { url, method, field }: UploadLink,
  { name, data }: UploadedFile,
  { fetch, signal }: Pick<Connection, 'fetch'> & Pick<CallOptions, 'signal'>,
): Promise<void> {
  const form = new FormData();
  form.set(field, data instanceof Blob ? data : new Blob([data]), name);
  const response = await fetch(url, { method, body: form, redirect: 'error', signal: signal ?? null });
  if (response.ok) return;
  const message = `The server's machine refused ${name} with status ${response.status}`;
  throw new GamehostError({ status: response.status, code: 'upload_refused', message });
}
