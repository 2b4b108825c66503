/** @hey-api/openapi-ts: a client generated from the service's address compiles strictly and needs no base URL. */
import { expect } from 'chai';
import { type ClientFolder, installFromNpm } from '../support/client-tools.ts';
import { useService } from '../support/service.ts';

const program = `
import { client } from './api/client.gen.js';
import { createTicket, getGame, listMyTickets } from './api/sdk.gen.js';

client.setConfig({ auth: process.env.KEY ?? '' });
const { data } = await createTicket({ body: { title: 'Generated', message: 'Hello.' } });
const list = await listMyTickets();
const { error } = await getGame({ path: { slug: 'none' } });
console.log(JSON.stringify([data?.ticket.status, list.data?.tickets.map(({ subject }) => subject), error?.error.code]));
`;

describe('@hey-api/openapi-ts', () => {
  const service = useService();
  let folder: ClientFolder;

  before(async () => {
    folder = await installFromNpm('hey-api', [
      '@hey-api/openapi-ts@0.95',
      'typescript@5.9',
      '@types/node@20',
    ]);
  });

  it('generates a client that compiles strictly and calls the address in the document', async () => {
    const { secret } = await service.addKey();
    await folder.run('openapi-ts', ['-i', `${service.url}/api/v1/openapi.json`, '-o', 'api', '--silent']);
    await folder.write('main.ts', program);
    await folder.run('tsc', []);
    const printed = await folder.run('node', ['main.js'], { KEY: secret });
    expect(JSON.parse(printed)).to.deep.equal(['New', ['Generated'], 'not_found']);
  });
});
