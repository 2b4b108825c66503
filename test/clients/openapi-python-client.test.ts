/** openapi-python-client: a Python package generated from the service lets its caller pass mypy --strict, and makes the calls. */
import { expect } from 'chai';
import { type ClientFolder, installFromPyPi, requireTool } from '../support/client-tools.ts';
import { useService } from '../support/service.ts';

const program = `
import json
import os

from gamehost_api_client import AuthenticatedClient
from gamehost_api_client.api.catalog import get_game
from gamehost_api_client.api.tickets import create_ticket, list_my_tickets
from gamehost_api_client.models import ErrorResponse, TicketCreateRequestWithTitle, TicketCreateResult, TicketList

client = AuthenticatedClient(base_url=os.environ["BASE_URL"], token=os.environ["KEY"])
created = create_ticket.sync(client=client, body=TicketCreateRequestWithTitle(title="Generated", message="Hello."))
tickets = list_my_tickets.sync(client=client)
missing = get_game.sync("none", client=client)
assert isinstance(created, TicketCreateResult)
assert isinstance(tickets, TicketList)
assert isinstance(missing, ErrorResponse)
print(json.dumps([created.ticket.status, [ticket.subject for ticket in tickets.tickets], missing.error.code]))
`;

describe('openapi-python-client', () => {
  const service = useService();
  let folder: ClientFolder;

  before(async function () {
    await requireTool(this, 'python3', ['-c', 'import ensurepip, venv']);
    folder = await installFromPyPi('openapi-python-client', ['openapi-python-client~=0.29.0', 'mypy~=2.4']);
  });
  after(() => service?.stop());

  it('generates a client whose types let a caller pass mypy --strict, and which calls the service', async () => {
    const { secret } = await service.addKey();
    const { body } = await service.call('GET', '/openapi.json');
    const generate = ['generate', '--overwrite', '--output-path', 'gamehost_api_client', '--meta', 'none'];
    await folder.run('openapi-python-client', [...generate, '--url', `${service.url}/api/v1/openapi.json`]);
    await folder.write('main.py', program);
    await folder.run('mypy', ['--strict', '--follow-imports=silent', 'main.py']);
    const printed = await folder.run('python', ['main.py'], { BASE_URL: body.servers[0].url, KEY: secret });
    expect(JSON.parse(printed)).to.deep.equal(['New', ['Generated'], 'not_found']);
  });
});
