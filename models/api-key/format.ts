/**
 * The format of an API key: `gamehost_live_`, 36 random base62 characters (214 bits), 6 characters of CRC32.
 * The checksum lets secret scanners and the service reject a mistyped key without a database query.
 */
import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** How every key begins. */
export const keyMarker = 'gamehost_live_';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomLength = 36;
const checksumLength = 6;
const prefixLength = keyMarker.length + 6;
const pattern = new RegExp(`^${keyMarker}[0-9A-Za-z]{${randomLength + checksumLength}}$`);

const base62 = (value: number): string =>
  value < 62 ? alphabet.charAt(value) : base62(Math.floor(value / 62)) + alphabet.charAt(value % 62);

const checksum = (body: string): string => base62(crc32(body)).padStart(checksumLength, '0');

export function generateSecret(): string {
  const random = Array.from({ length: randomLength }, () => alphabet.charAt(randomInt(62))).join('');
  const body = keyMarker + random;
  return body + checksum(body);
}

/** Whether a string has a key's prefix, length, alphabet and checksum. */
export const isWellFormedSecret = (secret: string): boolean =>
  pattern.test(secret) && checksum(secret.slice(0, -checksumLength)) === secret.slice(-checksumLength);

/** Stored in place of the secret. One round of SHA-256 suffices, as a key is long and random. */
export const hashSecret = (secret: string): string => hash('sha256', secret, 'hex');

/** The part shown to tell keys apart. */
export const prefixOf = (secret: string): string => secret.slice(0, prefixLength);
