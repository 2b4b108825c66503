/** A migration as one would be written: every user gets a `greeting`, made of what is there; nothing is taken away. */
import { type Migration, migrations } from '../../models/migrations/index.ts';

/** The program's own migrations, then this one; `onChange` is called for each user before the next one is changed. */
export function createGreetings(
  onChange: (id: number) => Promise<void> = async () => {},
): readonly Migration[] {
  const version = migrations.length + 1;
  return [
    ...migrations,
    {
      version,
      name: 'Greet each user',
      async up(connection) {
        const users = connection.collection<{ _id: number; nickname: string | null }>('users');
        for await (const { _id, nickname } of users.find({ greeting: { $exists: false } }).sort({ _id: 1 })) {
          // `times` tells how often a user was changed; a real migration would not count.
          const change = { $set: { greeting: `Hello ${nickname}` }, $inc: { times: 1 } };
          await users.updateOne({ _id, greeting: { $exists: false } }, change);
          await onChange(_id);
        }
      },
    },
  ];
}
