/** The closed list of scopes (contract, section 5), a sentence each. */
import { z } from 'zod';

export const scopeSentences = {
  'read:catalog': 'Read the public game and product catalog and announcements.',
  'read:account': "Read the owner's profile, servers, tickets with their conversations, and subscriptions.",
  'write:tickets': 'Create tickets, and reply to, close and reopen own tickets.',
  'write:servers': 'Send power signals to own servers.',
  'write:backups': 'Create backups of own servers.',
  'read:backups': 'Download backups of own servers. A backup holds every secret on the server.',
  'write:console': 'Send console commands to own servers, with all the rights of their consoles.',
  'admin:announcements':
    'List, create, edit, publish, schedule and delete announcements. Counts only while the owner is an administrator.',
  'admin:tickets': "Read and answer all customers' tickets. Counts only while the owner is an administrator.",
  'admin:users':
    'Create, change and suspend users, and manage subscriptions. Counts only while the owner is an administrator.',
  'admin:catalog': 'Add, change and remove games. Counts only while the owner is an administrator.',
} as const;

export type Scope = keyof typeof scopeSentences;

export const scopes = Object.keys(scopeSentences) as [Scope, ...Scope[]]; // Object.keys forgets its own keys

export const Scope = z.enum(scopes);

/** What an operator may turn on. */
interface Features {
  hasConsoleCommands?: boolean;
}

/** The scopes that keys can have here; an operation of any other is not served. */
export const offeredScopes = ({ hasConsoleCommands = false }: Features): readonly Scope[] =>
  scopes.filter((scope) => scope !== 'write:console' || hasConsoleCommands);

/** Scopes that count only while the key's owner is an administrator. */
export const isAdminScope = (scope: string): boolean => scope.startsWith('admin:');

/** The scopes that a user may grant an app. */
export const grantableScopes = (offered: readonly Scope[]): Scope[] =>
  offered.filter((scope) => !isAdminScope(scope));

/** The scopes that apps are told of; those who know another may ask for it. */
export const advertisedScopes: readonly Scope[] = [
  'read:catalog',
  'read:account',
  'write:tickets',
  'write:servers',
];

/** What an app asks for that names no scope. */
export const defaultScopes: readonly Scope[] = ['read:catalog', 'read:account'];
