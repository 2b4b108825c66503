/** The words of activity: every operation has some, for what it did and for what was refused. */
import { expect } from 'chai';
import { createActivityWords } from '../../bridge/activity-words.ts';
import { readOperations, readSessionOperations } from '../../bridge/operations.ts';
import { accountPageRouter } from '../../routers/account/index.ts';
import { appRouter } from '../../routers/index.ts';

describe('activity in words', () => {
  const groups = {
    'of the API': readOperations(appRouter),
    'of the account page': readSessionOperations(accountPageRouter),
  };
  for (const [group, operations] of Object.entries(groups)) {
    const words = createActivityWords(operations);
    for (const { name } of operations)
      it(`has words for ${name} ${group}, done and refused`, () => {
        const { done, tried, resource } = words.get(name) ?? expect.fail();
        expect(done, 'a verb in the past comes first').to.match(/^(\w+ed|Read|Sent|Set|Wrote)\b/);
        expect(tried).to.match(/^Tried to [a-z]+/);
        expect(`${done} ${tried} ${resource}`).not.to.match(/ {2}\w|[A-Z]\w*[A-Z]|_|\.|\bmy\b/);
      });
  }

  const examples: [name: string, done: string, tried: string, resource: string][] = [
    ['servers.backups.list', 'Listed the backups of', 'Tried to list the backups of', 'server'],
    ['servers.power', 'Started, stopped or restarted', 'Tried to start, stop or restart', 'server'],
    ['tickets.reply', 'Replied to', 'Tried to reply to', 'ticket'],
    ['admin.putUser', 'Created or changed', 'Tried to create or change', 'user'],
    ['servers.list', 'Listed your servers', 'Tried to list your servers', ''],
    ['session.signInByLink', 'Signed in by link', 'Tried to sign in by link', ''],
    ['sessions.endOthers', 'Ended other sessions', 'Tried to end other sessions', ''],
    ['keys.revoke', 'Revoked', 'Tried to revoke', 'key'],
    ['admin.noteTicket', 'Added a note to', 'Tried to add a note to', 'ticket'],
    ['servers.files.write', 'Wrote a file of', 'Tried to write a file of', 'server'],
    ['servers.backups.create', 'Backed up', 'Tried to back up', 'server'],
  ];
  const all = createActivityWords(Object.values(groups).flat());
  for (const [name, done, tried, resource] of examples)
    it(`says "${done}" and "${tried}" for ${name}`, () => {
      expect(all.get(name)).to.deep.equal({ done, tried, resource });
    });
});
