/** Peer: bare node:http, which answers the catalog from memory and checks no key: nothing can be faster. */
import { createServer } from 'node:http';
import { readConfig } from '../../../../server/config.ts';
import { gameRecords } from '../records.ts';
import { presentGame } from './present.ts';

const { port, host } = readConfig();
const body = Buffer.from(JSON.stringify({ games: gameRecords().map(presentGame) }));
const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': body.length };

createServer((_req, res) => res.writeHead(200, headers).end(body)).listen(port, host);
