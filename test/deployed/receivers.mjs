/** A mail server and a receiver of webhooks. /received reports the number of mails, the tickets with events, and the number of tickets with two. */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

/** The event of each title: a ticket has one, which may arrive again. */
const events = new Map();
let twice = 0;
let mails = 0;

createServer(async (request, response) => {
  if (request.url === '/received')
    return void response.end(JSON.stringify({ mails, twice, titles: [...events.keys()] }));
  const { subject } = JSON.parse(await text(request)).data.ticket;
  const id = request.headers['webhook-id'];
  if (events.has(subject) && events.get(subject) !== id) twice += 1;
  events.set(subject, id);
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
