/** What a check finds: one line for the operator, who can do something about it. */
export interface Finding {
  /** `off`: not configured. `note`: works, or cannot be known yet, and there is something to know. */
  state: 'ok' | 'note' | 'off' | 'failed';
  /** What was found, and what to do. */
  message: string;
}
