/** Of the driver's inner modules, which have no types, what patch-mongodb-driver.ts needs. */
declare module 'mongodb/lib/cmap/connection.js' {
  import type { Socket } from 'node:net';

  export class Connection {
    readonly socket: Socket;
    cleanup(reason: Error): void;
  }
}
