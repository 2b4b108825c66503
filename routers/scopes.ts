/** All scopes, each with a sentence for the owner of the key. */
import { z } from 'zod';

export const scopeSentences = {
  'read:catalog': 'Read the public game and product catalog and announcements.',
  'read:account': 'Read your profile, servers, tickets with their conversations, and subscriptions.',
  'write:tickets': 'Ask support: open tickets, and reply to, close and reopen yours.',
  'write:servers': 'Start, stop and restart your servers.',
  'write:backups': 'Create backups of your servers.',
  'read:backups': 'Download backups of your servers. A backup holds every secret on the server.',
  'manage:backups': 'Delete backups of your servers, and restore them over the files of your servers.',
  'read:console':
    "Read what the consoles of your servers show. A console may show players' addresses, and secrets.",
  'write:console': 'Send console commands to your servers, with all the rights of their consoles.',
  'read:files': 'Read the files of your servers. They may hold passwords.',
  'write:files': 'Write, upload, fetch, move and delete files of your servers.',
  'read:startup': 'Read how your servers start: version, variables and command. Values may hold passwords.',
  'write:startup': 'Change how your servers start, and reinstall them.',
  'manage:schedules': 'Change the schedules of your servers. Each task also needs the scope for its action.',
  'write:webhooks':
    'Manage your webhooks, which send your events, including whole tickets, to addresses chosen with the key.',
  'admin:announcements':
    'List, create, edit, publish, schedule and delete announcements. Works only while you are an administrator.',
  'admin:tickets':
    "Read and answer all customers' tickets. Works only while you are an administrator or support.",
  'admin:users':
    'Create, change, suspend and delete users, and manage subscriptions. Works only while you are an administrator.',
  'admin:catalog': 'Add, change and remove games. Works only while you are an administrator.',
  'admin:webhooks':
    "Manage the host's webhooks, which send all customers' events to addresses chosen with the key. Works only while you are an administrator.",
} as const;

export type Scope = keyof typeof scopeSentences;

export const scopes = Object.keys(scopeSentences) as [Scope, ...Scope[]]; // Object.keys returns string[]

export const Scope = z.enum(scopes);

interface Features {
  hasConsoleCommands?: boolean;
  hasWebhooks?: boolean;
}

/** An operation whose scope is not offered is not served. */
export const selectOfferedScopes = ({
  hasConsoleCommands = false,
  hasWebhooks = false,
}: Features): readonly Scope[] =>
  scopes.filter(
    (scope) =>
      (scope !== 'write:console' || hasConsoleCommands) && (!scope.endsWith(':webhooks') || hasWebhooks),
  );

/** Scopes that count only while the key's owner has the role for them. */
export const isAdminScope = (scope: string): boolean => scope.startsWith('admin:');

interface UserRoles {
  isAdmin: boolean;
  isSupport: boolean;
}

/** Staff may work on the tickets of all customers. */
export const isStaff = ({ isAdmin, isSupport }: UserRoles): boolean => isAdmin || isSupport;

export const isScopeFor = (owner: UserRoles, scope: string): boolean =>
  !isAdminScope(scope) || owner.isAdmin || (scope === 'admin:tickets' && isStaff(owner));

/** Why a key that holds the scope cannot use it now, for the key's owner; null: it can. */
export function inactiveReason(scope: string, offered: readonly Scope[], owner: UserRoles): string | null {
  if (!scopes.some((known) => known === scope)) return 'This service no longer has it';
  if (!offered.some((each) => each === scope))
    return `${scope === 'write:console' ? 'Console commands' : 'Webhooks'} are turned off here`;
  return isScopeFor(owner, scope) ? null : 'Your account lacks the role for it';
}

export const appGrantableScopes = (offered: readonly Scope[]): Scope[] =>
  offered.filter((scope) => !isAdminScope(scope));

/** An app that requests no scopes gets these, and the API's document recommends them: they cover what agents do most. */
export const defaultScopes: readonly Scope[] = [
  'read:catalog',
  'read:account',
  'read:console',
  'write:tickets',
  'write:servers',
  'write:backups',
];
