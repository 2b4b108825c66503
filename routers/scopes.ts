/** The closed list of scopes (contract, section 5), a sentence each. */
import { z } from 'zod';

export const scopeSentences = {
  'read:catalog': 'Read the public game and product catalog and announcements.',
  'read:account': "Read the owner's profile, servers, tickets and subscriptions.",
  'write:tickets': 'Create tickets and reply to own tickets.',
  'write:servers': 'Send power signals to own servers.',
  'admin:announcements':
    'List all announcements, drafts too, and create them. Only for keys of administrators; void when the owner is no longer one.',
} as const;

export type Scope = keyof typeof scopeSentences;

export const scopes = Object.keys(scopeSentences) as [Scope, ...Scope[]]; // Object.keys forgets its own keys

export const Scope = z.enum(scopes);

const allScopes: ReadonlySet<string> = new Set(scopes);

export const isScope = (text: string): text is Scope => allScopes.has(text);

/** Scopes that count only while the key's owner is an administrator. */
export const isAdminScope = (scope: string): boolean => scope.startsWith('admin:');
