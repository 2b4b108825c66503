/** The command that uploads a file of this machine into a directory of a server. */
import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, posix } from 'node:path';
import type { Command } from 'commander';
import type { Operation } from '../operations.ts';
import { send } from '../send.ts';
import { uploadTo } from '../uploads.ts';
import { UsageError } from './failures.ts';
import type { Host } from './host.ts';
import { isForPeople, print } from './terminal.ts';

interface Options {
  directory: string;
  name?: string;
  json?: boolean;
}

/** @param createLink the operation `createFileUploadLink` */
export function addUpload(group: Command, host: Host, createLink: Operation): void {
  group
    .command('upload')
    .summary('Upload a file to a server')
    .description(
      'Uploads a file of this machine into a directory of a server, over a file that has its name. The directory is created if it does not exist.\n\nRequires a key with the scope `write:files`.',
    )
    .argument('<server_identifier>', "The server's identifier or uuid.")
    .argument('<file>', 'The path of the file on this machine.')
    .option('--directory <text>', 'The path of the directory, such as /plugins.', '/')
    .option('--name <text>', 'The name of the file on the server. By default, it keeps its name.')
    .option('--json', 'Print JSON, as when the output is not a terminal.')
    .action(async (server_identifier: string, path: string, { directory, name, json }: Options) => {
      const file = { name: name ?? basename(path), data: await openFile(path) };
      const input = { server_identifier, directory };
      const { upload } = (await send(host.connection, { operation: createLink, input })) as CreatedLink;
      await uploadTo(upload, file, { fetch: host.connection.fetch });
      const uploaded = { file: posix.join(directory, file.name), bytes: file.data.size };
      print(isForPeople({ json }) ? `Uploaded ${uploaded.file}` : JSON.stringify({ uploaded }));
    });
}

interface CreatedLink {
  upload: Parameters<typeof uploadTo>[0];
}

async function openFile(path: string): Promise<Blob> {
  const found = await stat(path).catch(() => null);
  if (!found) throw new UsageError(`There is no file ${path}`);
  if (!found.isFile()) throw new UsageError(`${path} is not a file`);
  return openAsBlob(path);
}
