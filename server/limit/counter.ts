/** How calls are counted: per id, in windows of a minute that start with the first call. */

export const windowMs = 60_000;

/** The state of a window after a call. */
export interface Count {
  /** Whether the calls were taken: all of them, or none if they do not fit. */
  fits: boolean;
  /** How many calls the window has left. */
  left: number;
  /** The end of the window, in whole seconds since the epoch. */
  resetSeconds: number;
  /** Whole seconds until the end, at least 1; a caller that waits this long finds a new window. */
  secondsLeft: number;
}

export interface Counter {
  /**
   * Takes all of the calls or none; 0 calls only read the window, and fewer give calls back.
   * @param max how many calls a window holds
   */
  take(id: string, calls: number, max: number): Count | Promise<Count>;
}
