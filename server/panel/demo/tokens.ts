/** Tokens for a download or a console. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../../routers/ports.ts';

const tokensMax = 100;
const lifetimeSeconds = 900;

export class Tokens<Value> {
  readonly #clock: Clock;
  readonly #values = new Map<string, Value>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** In the form of a JSON Web Token, whose claims the service reads. */
  issue(claims: object, value: Value): string {
    const exp = Math.floor(this.#clock() / 1000) + lifetimeSeconds;
    const parts = [{ alg: 'HS256' }, { ...claims, exp }].map((part) => base64url(JSON.stringify(part)));
    const token = [...parts, base64url(randomBytes(32))].join('.');
    this.#values.set(token, value);
    for (const oldest of this.#values.keys()) if (this.#values.size > tokensMax) this.#values.delete(oldest);
    return token;
  }

  get(token: string): Value | undefined {
    return this.#values.get(token);
  }

  take(token: string): Value | undefined {
    const value = this.get(token);
    this.#values.delete(token);
    return value;
  }
}

const base64url = (data: string | Buffer) => Buffer.from(data as string).toString('base64url');
