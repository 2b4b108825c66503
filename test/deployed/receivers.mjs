/** A mail server and a receiver of webhooks. At /received they tell how many mails came, and which tickets events were about. */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

const titles = new Set();
let mails = 0;

createServer(async (request, response) => {
  if (request.url === '/received') return void response.end(JSON.stringify({ mails, titles: [...titles] }));
  titles.add(JSON.parse(await text(request)).data.ticket.subject);
  response.writeHead(204).end();
}).listen(9001, '0.0.0.0');

new SMTPServer({
  authOptional: true,
  onData(stream, _session, done) {
    stream.resume().on('end', () => {
      mails += 1;
      done();
    });
  },
}).listen(2525, '0.0.0.0');
