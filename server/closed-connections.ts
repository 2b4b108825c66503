/**
 * Mends a wait without end in MongoDB's driver (7.8 and 7.9): where the other side has just closed a connection, the next
 * command written to it waits for a `drain` that a closed socket never emits, and whoever waits for the command waits with it.
 */
import { Connection } from 'mongodb/lib/cmap/connection.js';

const { cleanup } = Connection.prototype;

/** Keeps the reason, with which the command fails once it goes on. */
Connection.prototype.cleanup = function cleanUpAndGoOn(reason) {
  cleanup.call(this, reason);
  this.socket.emit('drain');
};
