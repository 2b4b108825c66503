/** Hashes and verifies passwords with argon2id. */
import { hash, verify } from '@node-rs/argon2';

/** Returns PHC format, with the library's defaults (OWASP's first recommendation). */
export const hashPassword = (password: string): Promise<string> => hash(password);

export const verifyPassword = (passwordHash: string, password: string): Promise<boolean> =>
  verify(passwordHash, password);

/** As expensive to verify as a real hash and matched by no password: the hashed bytes were random and discarded. */
export const decoyHash =
  '$argon2id$v=19$m=19456,t=2,p=1$hizfdqCoeMmzi3wl23UdIA$29cm1R/hNQSrkVpsom+f6egvEegXyDAGnoukqk/CAuk';
