/** Passwords are kept as argon2id hashes only. */
import { hash, verify } from '@node-rs/argon2';

/** An argon2id hash in PHC form, with the library's defaults (OWASP's first choice). */
export const hashPassword = (password: string): Promise<string> => hash(password);

export const verifyPassword = (passwordHash: string, password: string): Promise<boolean> =>
  verify(passwordHash, password);

/** Costs as much to verify as a real hash, and no password fits: it is of random bytes that nobody kept. */
export const decoyHash =
  '$argon2id$v=19$m=19456,t=2,p=1$hizfdqCoeMmzi3wl23UdIA$29cm1R/hNQSrkVpsom+f6egvEegXyDAGnoukqk/CAuk';
