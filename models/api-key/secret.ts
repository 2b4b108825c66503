/** The secrets of API keys: how they are made, recognized and stored. */
import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

export const defaultKeyPrefix = 'gamehost';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomLength = 36;
const checksumLength = 6;
const shownLength = 6;
/** Any prefix matches, because keys issued before a change of KEY_PREFIX stay valid. */
const pattern = /^[a-z][a-z0-9]{1,19}_live_[0-9A-Za-z]{42}$/;

const base62 = (value: number): string =>
  value < 62 ? alphabet.charAt(value) : base62(Math.floor(value / 62)) + alphabet.charAt(value % 62);

const checksum = (body: string): string => base62(crc32(body)).padStart(checksumLength, '0');

/**
 * The format of an API key: KEY_PREFIX, `_live_`, 36 random base62 characters (214 bits), 6 characters of CRC32.
 * The checksum lets secret scanners and the service reject a mistyped key without a database query.
 */
export function generateSecret(prefix = defaultKeyPrefix): string {
  const random = Array.from({ length: randomLength }, () => alphabet.charAt(randomInt(62))).join('');
  const body = `${prefix}_live_${random}`;
  return body + checksum(body);
}

export const isWellFormedSecret = (secret: string): boolean =>
  pattern.test(secret) && checksum(secret.slice(0, -checksumLength)) === secret.slice(-checksumLength);

export const isKeyLike = (secret: string): boolean => /^[a-z][a-z0-9]{1,19}_live_/.test(secret);

export const mayContainKey = (text: string): boolean => /[a-z0-9]_live_/.test(text);

/** The hash is stored in place of the secret. One round of SHA-256 suffices, because a key is long and random. */
export const hashSecret = (secret: string): string => hash('sha256', secret, 'hex');

export const prefixOf = (secret: string): string =>
  secret.slice(0, secret.indexOf('_live_') + '_live_'.length + shownLength);
