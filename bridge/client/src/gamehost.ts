/** The client: a method for each operation of the description, and methods that take several calls. */
import { waitForBackup } from './backups.ts';
import { connectTo, type GamehostOptions } from './connection.ts';
import { type Operations, operations } from './generated/operations.ts';
import type { Backup } from './generated/types.gen.ts';
import type { Paged } from './methods.ts';
import { readPages } from './pages.ts';
import type { Input } from './request.ts';
import { type CallOptions, type Connection, send } from './send.ts';
import { type UploadedFile, uploadTo } from './uploads.ts';

class Client {
  readonly #connection: Connection;

  constructor(options: GamehostOptions = {}) {
    const connection = connectTo(options);
    this.#connection = connection;
    const groups = this as unknown as Record<string, Record<string, unknown>>;
    for (const operation of operations) {
      const method = (input?: Input, options?: CallOptions) =>
        send(connection, { operation, input, options });
      const group = operation.group.toLowerCase();
      groups[group] = {
        ...groups[group],
        [operation.name]: Object.assign(method, { pagination: operation.pagination }),
      };
    }
  }

  /** Reads all items of a list, page by page: `for await (const ticket of gamehost.paginate(gamehost.tickets.listMyTickets))`. */
  paginate<Given, Item>(
    method: Paged<Given, Item>,
    ...[input, options]: [input?: Given, options?: CallOptions]
  ): AsyncGenerator<Item, void> {
    return readPages(method, input, options);
  }

  /** Resolves to the backup once it is completed: look at its `is_successful`. */
  waitForBackup(
    backup: { server_identifier: string; backup_uuid: string },
    options?: CallOptions,
  ): Promise<Backup> {
    return waitForBackup(this.#operations.servers.getServerBackup, backup, options);
  }

  /** Uploads one file into a directory of a server, over a file that has its name. */
  async uploadFile(
    {
      server_identifier,
      directory,
      ...file
    }: { server_identifier: string; directory: string } & UploadedFile,
    options?: CallOptions,
  ): Promise<void> {
    const { upload } = await this.#operations.files.createFileUploadLink(
      { server_identifier, directory },
      options,
    );
    await uploadTo(upload, file, { fetch: this.#connection.fetch, signal: options?.signal });
  }

  get #operations(): Operations {
    return this as unknown as Operations;
  }
}

export type Gamehost = Client & Operations;
export const Gamehost = Client as new (options?: GamehostOptions) => Gamehost;
