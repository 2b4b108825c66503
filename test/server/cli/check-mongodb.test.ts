/** `check` explains why a MongoDB with users and TLS cannot be used. */
import { createServer } from 'node:tls';
import { expect } from 'chai';
import { connectMongoose } from '../../../server/database.ts';
import { createCli } from '../../support/cli.ts';
import { useSharedEmbedded } from '../../support/embedded.ts';
import { listenLocally } from '../../support/local-server.ts';
import { selfSigned } from '../../support/self-signed.ts';
import { useStarted } from '../../support/use-started.ts';

describe('npm run cli: check with MongoDB', () => {
  const embedded = useSharedEmbedded();
  const tls = useStarted(() => listenLocally(createServer(selfSigned).on('tlsClientError', () => {})));
  let uri: string;

  before(async () => {
    ({ uri } = await embedded.open());
    const connection = await connectMongoose(uri);
    const roles = { reader: ['read'], writer: ['readWrite'], owner: ['readWrite', 'dbAdmin'], other: [] };
    for (const [createUser, names] of Object.entries(roles)) {
      const granted = names.map((role) => ({ role, db: 'gamehost' }));
      await connection.useDb('admin').db?.command({ createUser, pwd: 'hunter2', roles: granted });
    }
    await connection.close();
  });

  const uriOf = (user: string) => uri.replace(/\/\/.*@/, `//${user}`).replace('=local', '=admin');
  const uriOfTls = (options: string) =>
    `mongodb://127.0.0.1:${tls.port}/?serverSelectionTimeoutMS=2000${options}`;

  async function check(mongodbUri: string) {
    const { stdout } = await createCli({ MONGODB_URI: mongodbUri }).run('check --json');
    const { checks }: { checks: { part: string; state: string; message: string }[] } = JSON.parse(stdout);
    return checks.find(({ part }) => part === 'MongoDB');
  }

  it('finds nothing missing if the user has readWrite and dbAdmin', async () => {
    expect(await check(uriOf('owner:hunter2@'))).to.include({ state: 'note' });
    expect(await check(uri)).to.include({ state: 'note' });
  });

  const refused: [what: string, uri: () => string, message: RegExp][] = [
    [
      'the rights that a read-only user lacks',
      () => uriOf('reader:hunter2@'),
      /^The user in MONGODB_URI lacks rights on the database gamehost \(insert, update, .*\): give it readWrite and dbAdmin/,
    ],
    [
      'the right that a user lacks to change indexes',
      () => uriOf('writer:hunter2@'),
      /^The user in MONGODB_URI lacks rights on the database gamehost \(collMod\)/,
    ],
    [
      'the rights that a user without any lacks',
      () => uriOf('other:hunter2@'),
      /^The user in MONGODB_URI lacks rights on the database gamehost \(find, insert, /,
    ],
    [
      'that MongoDB requires a user',
      () => uriOf('').replace('&authSource=admin', ''),
      /requires authentication/,
    ],
    [
      'that the password is wrong',
      () => uriOf('owner:hunter3@'),
      /MONGODB_URI: it refuses the user or the password \(Authentication failed\.\)$/,
    ],
    [
      'that MongoDB does not use TLS',
      () => `${uriOf('owner:hunter2@')}&tls=true&serverSelectionTimeoutMS=2000`,
      /MONGODB_URI: it does not accept TLS, which the URI requires$/,
    ],
    [
      'that the certificate is not trusted',
      () => uriOfTls('&tls=true'),
      /MONGODB_URI: its certificate is not trusted \(self-signed certificate\): .*tlsCAFile=/,
    ],
    [
      'that MongoDB may require TLS',
      () => uriOfTls(''),
      /MONGODB_URI: connection .* closed; .* tls=true to the URI$/,
    ],
  ];
  for (const [what, from, message] of refused)
    it(`reports ${what}`, async () => {
      const found = await check(from());
      expect(found?.message).to.match(message);
      expect(found?.state).to.equal('failed');
      expect(found?.message).not.to.match(/hunter\d/);
    });
});
