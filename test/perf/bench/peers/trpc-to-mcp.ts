/** Peer: trpc-to-mcp on our router and store. Its context is fixed, so that each caller needs a server of its own. */
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { AnyProcedure, AnyRouter } from '@trpc/server';
import type { Context } from '../../../../routers/context.ts';
import { appRouter } from '../../../../routers/index.ts';
import type { EndpointMeta } from '../../../../routers/trpc.ts';
import { readConfig } from '../../../../server/config.ts';
import { openOwnModels } from './own-models.ts';
import { createStockApp } from './stock-app.ts';

interface TrpcToMcp {
  createMcpServer(
    implementation: { name: string; version: string },
    router: typeof appRouter,
    context: Context,
  ): { connect(transport: StreamableHTTPServerTransport): Promise<void>; close(): Promise<void> };
}

/** Installed beside the compiled peers: as a dependency it would bring Next.js and more with it. */
const installed = './installed/node_modules/trpc-to-mcp/dist/index.mjs';
const { createMcpServer } = (await import(new URL(installed, import.meta.url).href)) as TrpcToMcp;

const router: AnyRouter = appRouter;
for (const procedure of Object.values<AnyProcedure>(router._def.procedures)) enable(procedure);

/** Adds the meta that the package asks for. */
function enable(procedure: AnyProcedure): void {
  const meta = procedure._def.meta as Partial<EndpointMeta>; // as endpoint() has it
  const { tool, openapi } = meta;
  if (tool)
    Object.assign(meta, { mcp: { enabled: true, name: tool.name, description: openapi?.description } });
}

const config = readConfig();
const app = await createStockApp(config, await openOwnModels(config));
app.use(async (ctx) => {
  ctx.respond = false;
  ctx.res.statusCode = 200;
  const server = createMcpServer({ name: 'bench', version: '1.0.0' }, appRouter, ctx.state.context);
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  ctx.res.on('close', () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(ctx.req, ctx.res);
});
app.listen(config.port, config.host);
