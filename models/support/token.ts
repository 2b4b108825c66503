/** Random tokens of 256 bits, which are stored as their hash only; one round of SHA-256 suffices for them. */
import { hash, randomBytes } from 'node:crypto';

export const generateToken = (): string => randomBytes(32).toString('base64url');

export const hashToken = (token: string): string => hash('sha256', token, 'hex');
