/** Agent frameworks list the tools, call them with every argument given, and read why a key is refused. */
import { expect } from 'chai';
import { type ClientFolder, installFromNpm, installFromPyPi, requireTool } from '../support/client-tools.ts';
import { useService } from '../support/service.ts';

const aiSdkProgram = `
import { createMCPClient } from '@ai-sdk/mcp';

const { BASE_URL, KEY } = process.env;
const connect = (key) =>
  createMCPClient({ transport: { type: 'http', url: BASE_URL + '/mcp', headers: { Authorization: 'Bearer ' + key } } });
const client = await connect(KEY);
const { create_ticket, list_my_tickets } = await client.tools();
const context = { toolCallId: '1', messages: [] };
await create_ticket.execute({ title: 'Agent', message: 'Hello.', service_name: null, idempotency_key: null }, context);
const list = await list_my_tickets.execute({ status: null }, context);
await client.close();
const refusal = await connect('wrong').catch((error) => error.message);
console.log(JSON.stringify([list.structuredContent.tickets.map(({ subject }) => subject), refusal]));
`;

const fastMcpProgram = `
import asyncio, json, os
from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport

def connect(key):
    return Client(StreamableHttpTransport(os.environ["BASE_URL"] + "/mcp", headers={"Authorization": "Bearer " + key}))

async def main():
    async with connect(os.environ["KEY"]) as client:
        await client.call_tool("create_ticket", {"title": "Agent", "message": "Hello.", "service_name": None})
        result = await client.call_tool("list_my_tickets", {})
    refusal = ""
    try:
        async with connect("wrong") as client:
            await client.list_tools()
    except Exception as error:
        refusal = str(error)
    print(json.dumps([[ticket["subject"] for ticket in result.structured_content["tickets"]], refusal]))

asyncio.run(main())
`;

/** Strict conversion makes every argument required, so a model sends null for those it leaves out. */
const agentsProgram = `
import asyncio, json, os
from agents.mcp import MCPServerStreamableHttp, MCPUtil
from agents.tool_context import ToolContext

async def main():
    params = {"url": os.environ["BASE_URL"] + "/mcp", "headers": {"Authorization": "Bearer " + os.environ["KEY"]}}
    async with MCPServerStreamableHttp(params=params) as server:
        tools = [MCPUtil.to_function_tool(tool, server, True) for tool in await server.list_tools()]
        create = next(tool for tool in tools if tool.name == "create_ticket")
        given = {**dict.fromkeys(create.params_json_schema["properties"]), "title": "Agent", "message": "Hello."}
        arguments = json.dumps(given)
        context = ToolContext(context=None, tool_name=create.name, tool_call_id="1", tool_arguments=arguments)
        result = await create.on_invoke_tool(context, arguments)
        print(json.dumps([[tool.name for tool in tools if not tool.strict_json_schema], json.loads(result["text"])]))

asyncio.run(main())
`;

describe('supported agent frameworks', () => {
  const service = useService();

  async function runIn(folder: ClientFolder, command: string, program: string) {
    const { secret: KEY } = await service.addKey();
    const [tool = '', file = ''] = command.split(' ');
    await folder.write(file, program);
    return JSON.parse(await folder.run(tool, [file], { BASE_URL: service.url, KEY }));
  }

  const installPython = async (context: Mocha.Context) => {
    await requireTool(context, 'python3', ['-c', 'import ensurepip, venv']);
    return installFromPyPi('python-agents', ['fastmcp~=4.1', 'openai-agents~=0.24.0']);
  };

  it('include @ai-sdk/mcp, which calls tools with null for optional arguments and reads why a key is refused', async () => {
    const folder = await installFromNpm('ai-sdk', ['@ai-sdk/mcp@2', 'zod@4']);
    const [subjects, refusal] = await runIn(folder, 'node main.js', aiSdkProgram);
    expect(subjects).to.deep.equal(['Agent']);
    expect(refusal).to.include('API key malformed');
  });

  it('include FastMCP, which calls tools and reads why a key is refused', async function () {
    const [subjects, refusal] = await runIn(
      await installPython(this),
      'python run_fastmcp.py',
      fastMcpProgram,
    );
    expect(subjects).to.deep.equal(['Agent']);
    expect(refusal).to.include('API key malformed');
  });

  it('include the OpenAI Agents SDK, which converts every tool to a strict schema and calls one with null for the rest', async function () {
    const folder = await installPython(this);
    const [notStrict, result] = await runIn(folder, 'python run_openai_agents.py', agentsProgram);
    expect(notStrict).to.deep.equal([]);
    expect(result.ticket).to.include({ subject: 'Agent', status: 'New' });
  });
});
