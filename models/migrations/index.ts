/**
 * Every change of the documents' shape since the first, in order. One that is released is never edited: the next corrects it.
 * The program reads both shapes before a migration writes the new one, and gives up the old one a release later.
 */
import type { Migration } from './migration.ts';

export const migrations: readonly Migration[] = [{ version: 1, name: 'The first shape' }];
