/** The driver's inner modules have no types: these are the ones that patch-mongodb-driver.ts needs. */
declare module 'mongodb/lib/cmap/connection.js' {
  import type { Socket } from 'node:net';

  export class Connection {
    readonly socket: Socket;
    cleanup(reason: Error): void;
  }
}
