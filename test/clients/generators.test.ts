/** Clients generated from the service's document compile as strictly as their language can, and make the calls. */
import { expect } from 'chai';
import {
  type ClientFolder,
  installFromGo,
  installFromNpm,
  installFromPyPi,
  requireTool,
} from '../support/client-tools.ts';
import { connectApp } from '../support/oauth-app.ts';
import { useService } from '../support/service.ts';

const heyApi = `
import { client } from './api/client.gen.js';
import { createTicket, getGame, listMyTickets } from './api/sdk.gen.js';

client.setConfig({ auth: process.env.KEY ?? '' });
const { data } = await createTicket({ body: { title: 'Generated', message: 'Hello.' } });
const list = await listMyTickets();
const { error } = await getGame({ path: { slug: 'none' } });
console.log(JSON.stringify([data?.ticket.status, list.data?.tickets.map(({ subject }) => subject), error?.error.code]));
`;

const openapiFetch = `
import createClient from 'openapi-fetch';
import type { components, paths } from './api.js';

const { BASE_URL: baseUrl = '', KEY: key = '' } = process.env;
const client = createClient<paths>({ baseUrl, headers: { Authorization: 'Bearer ' + key } });
const { data } = await client.POST('/tickets', { body: { title: 'Generated', message: 'Hello.' } });
const list: components['schemas']['ListedTicketList'] | undefined = (await client.GET('/tickets')).data;
const { error } = await client.GET('/catalog/games/{slug}', { params: { path: { slug: 'none' } } });
console.log(JSON.stringify([data?.ticket.status, list?.tickets.map(({ subject }) => subject), error?.error.code]));
`;

const python = `
import json
import os

from gamehost_api_client import AuthenticatedClient
from gamehost_api_client.api.catalog import get_game
from gamehost_api_client.api.tickets import create_ticket, list_my_tickets
from gamehost_api_client.models import ErrorResponse, ListedTicketList, TicketCreateRequestWithTitle, TicketCreateResult

client = AuthenticatedClient(base_url=os.environ["BASE_URL"], token=os.environ["KEY"])
created = create_ticket.sync(client=client, body=TicketCreateRequestWithTitle(title="Generated", message="Hello."))
tickets = list_my_tickets.sync(client=client)
missing = get_game.sync("none", client=client)
assert isinstance(created, TicketCreateResult)
assert isinstance(tickets, ListedTicketList)
assert isinstance(missing, ErrorResponse)
print(json.dumps([created.ticket.status, [ticket.subject for ticket in tickets.tickets], missing.error.code]))
`;

const go = `package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
)

func main() {
	ctx := context.Background()
	sendKey := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("KEY"))
		return nil
	}
	client, err := NewClientWithResponses(os.Getenv("BASE_URL"), WithRequestEditorFn(sendKey))
	check(err)
	var ticket TicketCreateRequest
	check(ticket.FromTicketCreateRequestWithTitle(TicketCreateRequestWithTitle{Title: "Generated", Message: "Hello."}))
	created, err := client.CreateTicketWithResponse(ctx, nil, ticket)
	check(err)
	tickets, err := client.ListMyTicketsWithResponse(ctx, nil)
	check(err)
	missing, err := client.GetGameWithResponse(ctx, "none")
	check(err)
	check(json.NewEncoder(os.Stdout).Encode([]string{
		string(created.JSON201.Ticket.Status), tickets.JSON200.Tickets[0].Subject, string(missing.JSON404.Error.Code),
	}))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
`;

interface Generator {
  /** The tools that the generator and its client need on the machine. */
  needs?: [tool: string, args: string[]];
  install(): Promise<ClientFolder>;
  file: string;
  program: string;
  /** Generates the client from the document at an address, and checks its caller. */
  commands(document: string): string[];
  /** Runs the caller. */
  start: string;
}

const typescript = ['typescript@5.9', '@types/node@20'];

const generators: Record<string, Generator> = {
  '@hey-api/openapi-ts': {
    install: () => installFromNpm('hey-api', ['@hey-api/openapi-ts@0.95', ...typescript]),
    ...{ file: 'main.ts', program: heyApi },
    commands: (document) => [`openapi-ts -i ${document} -o api --silent`, 'tsc'],
    start: 'node main.js',
  },
  'openapi-typescript and openapi-fetch': {
    install: () =>
      installFromNpm('openapi-typescript', ['openapi-typescript@7', 'openapi-fetch@0', ...typescript]),
    ...{ file: 'main.ts', program: openapiFetch },
    commands: (document) => [`openapi-typescript ${document} -o api.d.ts`, 'tsc'],
    start: 'node main.js',
  },
  'openapi-python-client and mypy --strict': {
    needs: ['python3', ['-c', 'import ensurepip, venv']],
    install: () => installFromPyPi('openapi-python-client', ['openapi-python-client~=0.29.0', 'mypy~=2.4']),
    ...{ file: 'main.py', program: python },
    commands: (document) => [
      `openapi-python-client generate --overwrite --output-path gamehost_api_client --meta none --url ${document}`,
      'mypy --strict --follow-imports=silent main.py',
    ],
    start: 'python main.py',
  },
  'oapi-codegen, from the 3.0 form of the document,': {
    needs: ['go', ['version']],
    async install() {
      const module = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.5.0';
      const folder = await installFromGo('oapi-codegen', module);
      await folder.write('go.mod', 'module example.com/generated\n\ngo 1.22\n');
      return folder;
    },
    ...{ file: 'main.go', program: go },
    commands: (document) => [
      `curl -sS --fail -o openapi.json ${document}?version=3.0`,
      'oapi-codegen -generate models,client -package main -o api.go openapi.json',
      'go mod tidy',
    ],
    start: 'go run .',
  },
};

describe('a client generated by', () => {
  const service = useService({ hasApps: true });

  for (const [name, { needs, install, file, program, ...steps }] of Object.entries(generators))
    it(`${name} compiles strictly, and calls the address in the document with a key or an app's token`, async function () {
      if (needs) await requireTool(this, ...needs);
      const folder = await install();
      await folder.write(file, program);
      const { body } = await service.call('GET', '/openapi.json');
      const run = (command: string, KEY = '') => {
        const [tool = '', ...args] = command.split(' ');
        return folder.run(tool, args, { BASE_URL: body.servers[0].url, KEY });
      };
      for (const command of steps.commands(`${service.url}/api/v1/openapi.json`)) await run(command);
      for (const credential of await credentials()) {
        const printed = JSON.parse(await run(steps.start, credential));
        expect(printed.flat()).to.deep.equal(['New', 'Generated', 'not_found']);
      }
    });

  /** A key and an app's access token, of two users. */
  async function credentials() {
    const { secret } = await service.addKey();
    const { email } = await service.addUser();
    const { tokens } = await connectApp(service, { email });
    return [secret, tokens.access_token];
  }
});
