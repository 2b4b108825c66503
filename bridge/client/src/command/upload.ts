/** The command that uploads a file of this machine into a directory of a server. */
import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, posix } from 'node:path';
import type { Command } from 'commander';
import type { Operation } from '../operations.ts';
import { send } from '../send.ts';
import { type UploadLink, uploadTo } from '../uploads.ts';
import { wrongUse } from './failures.ts';
import type { Host } from './host.ts';
import { isForPeople, print } from './terminal.ts';

interface Options {
  directory: string;
  json?: boolean;
}

const description = `Uploads a file of this machine into a directory of a server, over a file that has its name. The directory is created if it does not exist.

Requires a key with the scope \`write:files\`.`;

/** @param createLink the operation `createFileUploadLink` */
export function addUpload(group: Command, { connection }: Host, createLink: Operation): void {
  group
    .command('upload')
    .summary('Upload a file to a server')
    .description(description)
    .argument('<server_identifier>', "The server's identifier or uuid.")
    .argument('<file>', 'The path of the file on this machine.')
    .option('--directory <text>', 'The path of the directory, such as /plugins.', '/')
    .option('--json', 'Print JSON, as when the output is not a terminal.')
    .action(async (server_identifier: string, path: string, options: Options) => {
      const found = await stat(path).catch(() => null);
      if (!found?.isFile()) throw wrongUse(`There is no file ${path}`);
      const file = { name: basename(path), data: await openAsBlob(path) };
      const input = { server_identifier, directory: options.directory };
      const link = (await send(connection, { operation: createLink, input })) as { upload: UploadLink };
      await uploadTo(link.upload, file, { fetch: connection.fetch });
      const uploaded = { file: posix.join(options.directory, file.name), bytes: found.size };
      print(isForPeople(options) ? `Uploaded ${uploaded.file}` : JSON.stringify({ uploaded }));
    });
}
