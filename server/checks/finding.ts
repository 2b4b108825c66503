/** The result of a check: one line for the operator. */
export interface Finding {
  /** `off`: not configured. `note`: works or cannot be checked yet, and the operator should know why. */
  state: 'ok' | 'note' | 'off' | 'failed';
  message: string;
}
