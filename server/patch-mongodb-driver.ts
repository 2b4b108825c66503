/**
 * Works around a fault of MongoDB's driver (7.8 and 7.9). A command written to a connection that MongoDB has just closed waits
 * forever for `drain`, which a closed socket never emits. Its callers wait with it.
 */
import { Connection } from 'mongodb/lib/cmap/connection.js';

const { cleanup } = Connection.prototype;

Connection.prototype.cleanup = function cleanUpAndGoOn(reason) {
  cleanup.call(this, reason); // first, so that the command fails with this reason
  this.socket.emit('drain');
};
