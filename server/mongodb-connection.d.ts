/** Types for the part of the driver that patch-mongodb-driver.ts uses: its inner modules have none. */
declare module 'mongodb/lib/cmap/connection.js' {
  import type { Socket } from 'node:net';

  export class Connection {
    readonly socket: Socket;
    cleanup(reason: Error): void;
  }
}
