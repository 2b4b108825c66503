/** How calls are counted: by id, in windows of a minute that begin with a first call. Where the count is kept is another matter. */

export const windowMs = 60_000;

/** A window as the call that asked has left it. */
export interface Count {
  /** Whether the calls were taken: all of them, or none because they do not fit. */
  fits: boolean;
  /** How many calls the window still holds. */
  left: number;
  /** Its end, in whole seconds since the epoch. */
  resetSeconds: number;
  /** Whole seconds until its end, at least 1: who waits so long finds a new window. */
  secondsLeft: number;
}

export interface Counter {
  /**
   * Takes calls, all or none; 0 calls only look.
   * @param max how many calls a window holds
   */
  take(id: string, calls: number, max: number): Count | Promise<Count>;
}
