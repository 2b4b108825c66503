/** oapi-codegen: a Go client generated from the 3.0 form of the document compiles and makes the calls. */
import { expect } from 'chai';
import { type ClientFolder, installFromGo, requireTool } from '../support/client-tools.ts';
import { useService } from '../support/service.ts';

const program = `package main

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

describe('oapi-codegen', () => {
  const service = useService();
  let folder: ClientFolder;

  before(async function () {
    await requireTool(this, 'go', ['version']);
    folder = await installFromGo(
      'oapi-codegen',
      'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.5.0',
    );
  });
  after(() => service?.stop());

  it('generates a Go client that compiles and calls the service', async () => {
    const { secret } = await service.addKey();
    const { body } = await service.call('GET', '/openapi.json?version=3.0');
    await folder.write('openapi.json', JSON.stringify(body));
    await folder.run('oapi-codegen', [
      '-generate',
      'models,client',
      '-package',
      'main',
      '-o',
      'api.go',
      'openapi.json',
    ]);
    await folder.write('main.go', program);
    await folder.write('go.mod', 'module example.com/generated\n\ngo 1.22\n');
    await folder.run('go', ['mod', 'tidy']);
    const printed = await folder.run('go', ['run', '.'], { BASE_URL: body.servers[0].url, KEY: secret });
    expect(JSON.parse(printed)).to.deep.equal(['New', 'Generated', 'not_found']);
  });
});
