/** openapi-typescript and openapi-fetch: types generated from the service compile strictly, and the calls they type work. */
import { expect } from 'chai';
import { type ClientFolder, installFromNpm } from '../support/client-tools.ts';
import { useService } from '../support/service.ts';

const program = `
import createClient from 'openapi-fetch';
import type { components, paths } from './api.js';

const { BASE_URL: baseUrl = '', KEY: key = '' } = process.env;
const client = createClient<paths>({ baseUrl, headers: { Authorization: 'Bearer ' + key } });
const { data } = await client.POST('/tickets', { body: { title: 'Generated', message: 'Hello.' } });
const list: components['schemas']['TicketList'] | undefined = (await client.GET('/tickets')).data;
const { error } = await client.GET('/catalog/games/{slug}', { params: { path: { slug: 'none' } } });
console.log(JSON.stringify([data?.ticket.status, list?.tickets.map(({ subject }) => subject), error?.error.code]));
`;

describe('openapi-typescript and openapi-fetch', () => {
  const service = useService();
  let folder: ClientFolder;

  before(async () => {
    const packages = ['openapi-typescript@7', 'openapi-fetch@0', 'typescript@5.9', '@types/node@20'];
    folder = await installFromNpm('openapi-typescript', packages);
  });

  it('generate a client that compiles strictly and calls the address in the document', async () => {
    const { secret } = await service.addKey();
    const { body } = await service.call('GET', '/openapi.json');
    await folder.run('openapi-typescript', [`${service.url}/api/v1/openapi.json`, '-o', 'api.d.ts']);
    await folder.write('main.ts', program);
    await folder.run('tsc', []);
    const printed = await folder.run('node', ['main.js'], { BASE_URL: body.servers[0].url, KEY: secret });
    expect(JSON.parse(printed)).to.deep.equal(['New', ['Generated'], 'not_found']);
  });
});
