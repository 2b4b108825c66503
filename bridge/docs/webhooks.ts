/** The guide's section on webhooks, with a receiver in two languages. */
import { notifications } from '../../routers/schemas/event.ts';
import { pascalCase } from '../json-schema.ts';
import type { OpenApiDocument } from '../openapi/document.ts';
import type { Section } from '../openapi/introduction.ts';
import { type DocumentedOperation, type Links, linkTo, writeTable } from './markdown.ts';

interface WebhooksContext {
  document: OpenApiDocument;
  documented: readonly DocumentedOperation[];
  accountPath: string;
  descriptionPath: string;
  links: Links;
}

export const describeWebhooks = (context: WebhooksContext): Section[] =>
  context.document.webhooks ? [webhooks(context)] : [];

const webhooks = (context: WebhooksContext): Section => ({
  name: 'webhooks',
  title: 'Webhooks',
  summary: 'How to have events sent to you, with a receiver to copy.',
  text: `Instead of polling, have events sent to you within a second. Enter an https address and the types of events
under Webhooks on the [account page](${context.links.to(`${context.accountPath}#webhooks`)}), or with ${linkToCreate(context)}. The address of a
Discord channel's webhook gets readable messages. Any other address gets a POST with the JSON \`{"type", "timestamp", "data"}\` of
less than 20,000 bytes, signed as in [Standard Webhooks](https://www.standardwebhooks.com) 1.0.

- **Verify the signature** over the received bytes, before you read them, with the secret that is shown once when you create the
  webhook. For 24 hours after a rotation there are two signatures, and one of them must match.
- **Return 2xx at once**, within 15 seconds, and do the work afterward. After any other response, including a redirect, the event is
  sent again after 5 seconds, 5 minutes, 30 minutes and then less and less often, for about three days. A webhook is turned off by a
  410, by five days without a success, by 10,000 waiting events, or when the key or app that last set its address ends. It then
  shows why, and you can turn it on again. A key that is rotated with an overlap passes its webhooks to the new key.
- **Expect events more than once and in any order.** \`webhook-id\` is the same each time: skip ids that you have seen.

${writeTable(['Type', 'When', '`data`'], rowsOf(context.document))}

You can send a test event at any time. Deliveries are kept for 30 days with their attempts, and you can resend each one. The
schema of each type is under \`webhooks\` in the [OpenAPI document](${context.links.to(context.descriptionPath)}). OpenAPI 3.0 has no
webhooks, so that document has them under \`x-webhooks\`.

A receiver in TypeScript, with \`npm install standardwebhooks\`:

\`\`\`ts
${typescriptReceiver}
\`\`\`

The same in Python, with only its standard library:

\`\`\`python
${pythonReceiver}
\`\`\``,
});

/** The operation that creates a webhook is the first POST that needs the scope of the events. */
const linkToCreate = ({ documented, links }: WebhooksContext): string =>
  documented
    .filter((each) => each.method === 'POST' && each['x-required-scope'] === notifications.scope)
    .slice(0, 1)
    .map((operation) => linkTo(operation, links))
    .join('');

/** Leaves out `user`, which only the host's webhooks get, and `truncated`, which only cut messages have. */
function rowsOf({ webhooks = {}, components: { schemas } }: OpenApiDocument): string[][] {
  return Object.entries(webhooks).map(([type, { post }]) => {
    const { properties = {} } = schemas[`${pascalCase(type)}EventData`] ?? {};
    const fields = Object.keys(properties).filter((name) => name !== 'user' && name !== 'truncated');
    return [`\`${type}\``, post.description, fields.map((name) => `\`${name}\``).join(', ')];
  });
}

const typescriptReceiver = `import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.WEBHOOK_SECRET ?? '');
const seen = new Set<string>(); // in production, in your database

createServer(async (request, response) => {
  const { 'content-length': length = Infinity, ...headers } = request.headers;
  if (Number(length) > 20_000) return void response.writeHead(413, { Connection: 'close' }).end();
  const body = await text(request);
  let event: { type: string; timestamp: string; data: unknown };
  try {
    event = webhook.verify(body, headers as Record<string, string>) as typeof event;
  } catch {
    return void response.writeHead(400).end(); // not signed with your secret, or too old
  }
  response.writeHead(204).end();
  const id = String(headers['webhook-id']);
  if (seen.has(id)) return;
  seen.add(id);
  console.log(event.type, JSON.stringify(event.data));
}).listen(Number(process.env.PORT ?? 8080));`;

const pythonReceiver = `import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

key = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
seen = set()  # in production, in your database

def is_signed(headers, body):
    timestamp = headers.get("webhook-timestamp", "")
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > 300:
        return False
    signed = f'{headers.get("webhook-id", "")}.{timestamp}.'.encode() + body
    digest = hmac.new(key, signed, hashlib.sha256).digest()
    expected = "v1," + base64.b64encode(digest).decode()
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(expected.encode(), each.encode()) for each in given)

class Receiver(BaseHTTPRequestHandler):
    timeout = 10  # seconds for a request to arrive

    def do_POST(self):
        length = self.headers.get("content-length", "")
        is_short = length.isdecimal() and int(length) <= 20_000
        body = self.rfile.read(int(length)) if is_short else b""
        is_ours = is_short and is_signed(self.headers, body)
        self.send_response(204 if is_ours else 400)
        self.end_headers()
        if is_ours and self.headers["webhook-id"] not in seen:
            seen.add(self.headers["webhook-id"])
            event = json.loads(body)
            print(event["type"], json.dumps(event["data"]), flush=True)

ThreadingHTTPServer(("", int(os.environ.get("PORT", "8080"))), Receiver).serve_forever()`;
