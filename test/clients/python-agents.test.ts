/** FastMCP and the OpenAI Agents SDK: list the tools, call them with every argument given, and read why a key is refused. */
import { expect } from 'chai';
import { type ClientFolder, installFromPyPi, requireTool } from '../support/client-tools.ts';
import { useService } from '../support/service.ts';

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

describe('agent frameworks in Python', () => {
  const service = useService();
  let folder: ClientFolder;

  before(async function () {
    await requireTool(this, 'python3', ['-c', 'import ensurepip, venv']);
    folder = await installFromPyPi('python-agents', ['fastmcp~=4.1', 'openai-agents~=0.24.0']);
  });
  after(() => service?.stop());

  it('FastMCP calls tools and reads why a key is refused', async () => {
    const [subjects, refusal] = await runAs('fastmcp.py', fastMcpProgram);
    expect(subjects).to.deep.equal(['Agent']);
    expect(refusal).to.include('API key malformed');
  });

  it('the OpenAI Agents SDK converts every tool to a strict schema and calls one with null for the rest', async () => {
    const [notStrict, result] = await runAs('openai_agents.py', agentsProgram);
    expect(notStrict).to.deep.equal([]);
    expect(result.ticket).to.include({ subject: 'Agent', status: 'New' });
  });

  async function runAs(file: string, program: string) {
    const { secret } = await service.addKey();
    await folder.write(`run_${file}`, program);
    return JSON.parse(await folder.run('python', [`run_${file}`], { BASE_URL: service.url, KEY: secret }));
  }
});
