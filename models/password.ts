/** Passwords are kept as argon2id hashes only. */
import { hash, verify } from '@node-rs/argon2';

/** An argon2id hash in PHC form, with the library's defaults (OWASP's first choice). */
export const hashPassword = (password: string): Promise<string> => hash(password);

export const verifyPassword = (passwordHash: string, password: string): Promise<boolean> =>
  verify(passwordHash, password);
