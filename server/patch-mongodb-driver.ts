/**
 * Works around a fault of MongoDB's driver (7.8 and 7.9): a command that is written to a connection which MongoDB has just closed
 * waits for a `drain` that a closed socket never emits, and all who wait for the command wait with it.
 */
import { Connection } from 'mongodb/lib/cmap/connection.js';

const { cleanup } = Connection.prototype;

Connection.prototype.cleanup = function cleanUpAndGoOn(reason) {
  cleanup.call(this, reason); // keeps the reason, with which the command then fails
  this.socket.emit('drain');
};
