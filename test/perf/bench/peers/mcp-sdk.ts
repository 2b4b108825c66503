/** Peer: MCP as the SDK's own stateless example does it, a server for each request, each tool a fetch to the REST API. */
import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';
import { type Operation, readOperations } from '../../../../bridge/operations.ts';
import { appRouter } from '../../../../routers/index.ts';
import { readConfig } from '../../../../server/config.ts';

const { port, host, publicUrl } = readConfig();
const rows = readOperations(appRouter).filter(({ tool }) => tool);

function createMcpServer(authorization: string): McpServer {
  const server = new McpServer({ name: 'bench', version: '1.0.0' });
  for (const row of rows) register(server, row, authorization);
  return server;
}

function register(server: McpServer, row: Operation, authorization: string): void {
  const { tool, openapi, input, output } = row;
  const described = { title: tool?.title ?? '', description: openapi.description };
  const shapes = {
    inputSchema: input.shape,
    outputSchema: output instanceof z.ZodObject ? output.shape : {},
  };
  server.registerTool(tool?.name ?? '', { ...described, ...shapes }, async (args) => {
    const response = await callRest(row, args, authorization);
    const text = await response.text();
    const content = [{ type: 'text' as const, text }];
    return response.ok ? { content, structuredContent: JSON.parse(text) } : { content, isError: true };
  });
}

function callRest(row: Operation, args: Record<string, unknown>, authorization: string): Promise<Response> {
  const path = row.path.replace(/\{(\w+)\}/g, (_, field) => encodeURIComponent(String(args[field])));
  const body = Object.fromEntries(
    Object.entries(args).filter(([field]) => !row.pathParameters.includes(field)),
  );
  return fetch(`${publicUrl}/api/v1${path}`, {
    method: row.method,
    headers: { authorization, 'content-type': 'application/json' },
    ...(row.method === 'POST' && { body: JSON.stringify(body) }),
  });
}

createServer(async (req, res) => {
  const server = createMcpServer(req.headers.authorization ?? '');
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  res.on('close', () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(req, res);
}).listen(port, host);
