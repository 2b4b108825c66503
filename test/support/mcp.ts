/** MCP as bytes on the wire: messages and answers pass unchanged. */
import type { Answer } from './service.ts';

interface MessageOptions {
  key?: string | undefined;
  headers?: Record<string, string>;
}

export type SendMessage = (message: unknown, options?: MessageOptions) => Promise<Answer>;

/** Posts a message, or any text, to a service's /mcp. */
export const createSendMessage =
  (url: string): SendMessage =>
  async (message, { key, headers = {} } = {}) => {
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        ...(key && { Authorization: `Bearer ${key}` }),
        ...headers,
      },
      body: typeof message === 'string' ? message : JSON.stringify(message),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: text && JSON.parse(text) };
  };

/** A request as clients up to 2025-11-25 send it. */
export const legacyRequest = (method: string, params?: object, id: string | number = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params && { params }),
});

const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A request of 2026-07-28, which names its client and version itself. */
export const modernRequest = (method: string, params: object = {}, id: string | number = 1) =>
  legacyRequest(method, { ...params, _meta: modernMeta }, id);

/** The headers that repeat a request of 2026-07-28. */
export const modernHeaders = (method: string, name?: string): Record<string, string> => ({
  'MCP-Protocol-Version': '2026-07-28',
  'Mcp-Method': method,
  ...(name && { 'Mcp-Name': name }),
});

export const toolCall = (name: string, args?: unknown, id: string | number = 1) =>
  legacyRequest('tools/call', { name, ...(args !== undefined && { arguments: args }) }, id);

/** The REST error body that a refused tool call carries as text. */
// biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape it expects
export const toolErrorOf = ({ body }: Answer): any => JSON.parse(body.result.content[0].text);
