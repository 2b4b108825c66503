/** What a panel's answer is made of. */

export interface RawAnswer {
  status?: number;
  headers?: Record<string, string>;
  /** An object is sent as JSON. */
  body?: string | Buffer | object;
}

/** A panel's error body. */
export const errorEnvelope = (status: number, code: string, detail = 'No detail.') => ({
  errors: [{ code, status: String(status), detail }],
});
