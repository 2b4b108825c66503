/** Agents write arguments in other types than the schema's, or "null" for none: every tool accepts what they mean. */
import { expect } from 'chai';
import { describeTool, readTools } from '../../bridge/mcp/tools.ts';
import { createSendMessage, toolCall, toolErrorOf } from '../support/mcp.ts';
import { sampleInputOf } from '../support/sample-inputs.ts';
import { apiOperations } from '../support/samples.ts';
import { useSamples } from '../support/use-key.ts';

describe('the arguments of tools', () => {
  const service = useSamples({ rateLimitPerMinute: 1_000_000 });

  const call = async (name: string, args: unknown) =>
    createSendMessage(service.url)(toolCall(name, args), { key: service.key });

  for (const nothing of [null, '', 'null'])
    it(`count as absent when they are optional and ${JSON.stringify(nothing)}, for every tool`, async () => {
      for (const row of readTools(apiOperations)) {
        await service.restore();
        const { name, inputSchema } = describeTool(row);
        // One of two hashes and one of two changes are required, and the sample of a file is there.
        const required = [...(inputSchema.required ?? []), 'sha256', 'replace', 'variables'];
        const optional = Object.keys(inputSchema.properties ?? {}).filter(
          (field) => !required.includes(field),
        );
        const left = Object.fromEntries(optional.map((field) => [field, nothing]));
        const { result } = (await call(name, { ...sampleInputOf(row), ...left })).body;
        expect(result, `${name} ${JSON.stringify(result)}`).to.not.have.property('isError');
      }
    });

  it('are accepted as JSON text, for a list or for all of them', async () => {
    const files = ['/server.properties'];
    for (const args of [
      { server_identifier: 'sample', files: JSON.stringify(files) },
      JSON.stringify({ server_identifier: 'sample', files }),
      JSON.stringify({ server_identifier: 'sample', files: JSON.stringify(files) }),
    ]) {
      await service.restore();
      expect((await call('delete_server_files', args)).body.result.structuredContent).to.deep.equal({
        deleted: true,
      });
    }
    for (const none of ['', 'null', '{}'])
      expect((await call('list_games', none)).body.result.structuredContent.games).to.have.length(1);
  });

  it('count as absent or as text within a task of a schedule, too', async () => {
    const cleared = { signal: '', command: 'null', ignored_files: null, continue_on_failure: 'null' };
    const task = { ...cleared, action: 'backup', delay_seconds: '60' };
    const schedule = { server_identifier: 'sample', name: 'Nightly', cron: '30 4 * * *' };
    for (const tasks of [[task], JSON.stringify([task])]) {
      await service.restore();
      const { body } = await call('create_server_schedule', { ...schedule, tasks });
      const none = { signal: null, command: null, continue_on_failure: false };
      expect(body.result.structuredContent.schedule.tasks).to.deep.equal([
        { action: 'backup', ...none, ignored_files: '', delay_seconds: 60 },
      ]);
    }
  });

  it('stay unchanged when required text reads "null" or like a number', async () => {
    for (const message of ['null', '12', 'true', '[1]']) {
      const { body } = await call('create_ticket', { title: '12', message, service_type: '7' });
      const { ticket } = body.result.structuredContent;
      const read = (await call('get_ticket', { ticket_id: ticket.id })).body.result.structuredContent;
      expect([ticket.subject, read.messages[0].message]).to.deep.equal(['12', message]);
      expect(read.ticket.service_type).to.equal('7');
    }
  });

  it('may hold variables as an object, a list or JSON text, with integers but not fractions, which lose zeros', async () => {
    const change = async (variables: unknown) =>
      call('change_server_startup', { server_identifier: 'sample', variables });
    for (const variables of [
      { MAX_PLAYERS: 10 },
      '{"MAX_PLAYERS": "10"}',
      [{ name: 'MAX_PLAYERS', value: 10 }],
    ]) {
      await service.restore();
      const { startup } = (await change(variables)).body.result.structuredContent;
      const values = startup.variables.map(({ name, value }: Record<string, string>) => `${name}=${value}`);
      expect(values).to.include('MAX_PLAYERS=10');
    }
    const listRule =
      'variables must be an object of names and values (over MCP: a list of objects with name and value)';
    for (const [variables, message] of [
      [{ MINECRAFT_VERSION: 1.2 }, 'variables.MINECRAFT_VERSION must be a string'],
      [[{ MAX_PLAYERS: '10' }], listRule],
      ['MAX_PLAYERS=10', listRule],
    ] as const)
      expect(toolErrorOf(await change(variables)).error.message).to.equal(message);
  });

  it('leave the service out of a ticket when its text is empty', async () => {
    const service_name = '';
    const { body } = await call('create_ticket', { title: 'Lag', message: 'Since noon.', service_name });
    const { ticket } = body.result.structuredContent;
    const read = (await call('get_ticket', { ticket_id: ticket.id })).body.result.structuredContent;
    expect(read.ticket.service_name).to.equal(null);
  });

  it('accept "none" where REST takes null: if_sha256 none writes only a new file', async () => {
    const server_identifier = 'sample';
    const write = (more: object) =>
      call('write_server_file', { server_identifier, file: '/new.txt', content: 'a', ...more });
    expect((await write({ if_sha256: 'none' })).body.result).to.not.have.property('isError');
    expect(toolErrorOf(await write({ if_sha256: 'none' })).error.code).to.equal('conflict');
    expect((await write({ if_sha256: null })).body.result).to.not.have.property('isError');
  });

  it('are refused with 400 bad_request when their text is not JSON or has more fields than a body may have', async () => {
    const many = JSON.stringify(Array.from({ length: 5000 }, () => 0));
    for (const files of ['/a', '{}', '[', many]) {
      const refusal = toolErrorOf(await call('delete_server_files', { server_identifier: 'sample', files }));
      expect(refusal.error.message).to.match(/^files must be an array/);
    }
    for (const args of ['all', '[]', '5', many])
      expect(toolErrorOf(await call('list_games', args)).error.message).to.equal('input must be an object');
  });
});
