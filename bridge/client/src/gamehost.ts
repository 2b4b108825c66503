/** The client: a method for each operation of the description, and methods that take several calls. */
import { connectTo, type GamehostOptions } from './connection.ts';
import type { Limits } from './exchange.ts';
import { type Operations, operations } from './generated/operations.ts';
import type { Backup } from './generated/types.gen.ts';
import type { Arguments, Paged } from './methods.ts';
import { readPages } from './pages.ts';
import type { Input } from './request.ts';
import { type CallOptions, type Connection, pause, send } from './send.ts';
import { type UploadedFile, uploadTo } from './uploads.ts';

export interface Gamehost extends Operations {}

// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the constructor adds every method of the interface
export class Gamehost {
  readonly #connection: Connection;

  constructor(options: GamehostOptions = {}) {
    this.#connection = connectTo(options);
    Object.assign(this, methodsOf(this.#connection));
  }

  /** Reads all items of a list, page by page: `for await (const ticket of gamehost.paginate(gamehost.tickets.listMyTickets))`. */
  paginate<Given, Item>(
    method: Paged<Given, Item>,
    ...[input, options]: Arguments<Given>
  ): AsyncGenerator<Item, void> {
    return readPages(method, input, options);
  }

  /** Resolves to the backup once it is completed: look at its `is_successful`. */
  async waitForBackup(
    path: { server_identifier: string; backup_uuid: string },
    options: CallOptions = {},
  ): Promise<Backup> {
    const wait = 25; // seconds, the most that the API allows
    const timeoutMs = wait * 1000 + (options.timeoutMs ?? this.#connection.timeoutMs);
    for (;;) {
      const { backup } = await this.servers.getServerBackup({ ...path, wait }, { ...options, timeoutMs });
      if (backup.completed_at !== null) return backup;
      await pause(1, options.signal); // a host that is stopping answers at once
    }
  }

  /** Uploads one file into a directory of a server, over a file that has its name. Without `timeoutMs`, it may take any time. */
  async uploadFile(
    file: UploadedFile & { server_identifier: string; directory: string },
    options: Limits = {},
  ): Promise<void> {
    const { server_identifier, directory } = file;
    const { upload } = await this.files.createFileUploadLink({ server_identifier, directory }, options);
    await uploadTo(upload, file, { ...options, fetch: this.#connection.fetch });
  }
}

function methodsOf(connection: Connection): Operations {
  const groups: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    const method = (input?: Input, options?: CallOptions) => send(connection, { operation, input, options });
    const { name, pagination } = operation;
    const group = operation.group.toLowerCase();
    groups[group] = { ...groups[group], [name]: Object.assign(method, { pagination }) };
  }
  return groups as unknown as Operations; // the build writes the type from the same table
}
