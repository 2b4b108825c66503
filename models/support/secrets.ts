/** Random tokens and passwords, which are stored only as hashes. */
import { hash, randomBytes } from 'node:crypto';
import { hash as hashSlowly, verify } from '@node-rs/argon2';

/** A token has 256 random bits and is stored only as its hash, for which one round of SHA-256 suffices. */
export const generateToken = (): string => randomBytes(32).toString('base64url');

export const hashToken = (token: string): string => hash('sha256', token, 'hex');

/** Argon2id in PHC format, with the library's defaults (OWASP's first recommendation). Too slow for use in a transaction. */
export const hashPassword = (password: string): Promise<string> => hashSlowly(password);

export const verifyPassword = (passwordHash: string, password: string): Promise<boolean> =>
  verify(passwordHash, password);

/** Verifying it costs as much as verifying a real hash. No password matches: the hashed bytes were random and discarded. */
export const decoyHash =
  '$argon2id$v=19$m=19456,t=2,p=1$hizfdqCoeMmzi3wl23UdIA$29cm1R/hNQSrkVpsom+f6egvEegXyDAGnoukqk/CAuk';
