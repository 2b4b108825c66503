/** A panel that costs next to nothing: every user owns one server, and takes every signal. */
import { createServer } from 'node:http';
import { panelServer, userWithServers } from '../../support/proper-panel.ts';
import { serverIdentifierOf } from '../people.ts';

const listPath = /^\/api\/application\/users\/(\d+)\?include=servers$/;

const server = createServer((req, res) => {
  req.resume();
  const userId = Number(listPath.exec(req.url ?? '')?.[1] ?? 0);
  if (req.method === 'POST') return res.writeHead(204).end();
  const servers = [panelServer({ id: userId, identifier: serverIdentifierOf(userId), user: userId })];
  res
    .writeHead(200, { 'Content-Type': 'application/json' })
    .end(JSON.stringify(userWithServers(userId, servers)));
});

server.listen(Number(process.env['PORT']), '127.0.0.1');
