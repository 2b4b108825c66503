/** A panel without servers and users, which answers everything else with 404. */
import { createServer } from 'node:http';

const emptyPage = {
  object: 'list',
  data: [],
  meta: { pagination: { total: 0, count: 0, per_page: 50, current_page: 1, total_pages: 1 } },
};

createServer((request, response) => {
  const isList = /^\/api\/application\/(users|servers)(\?|$)/.test(request.url);
  response.writeHead(isList ? 200 : 404, { 'Content-Type': 'application/json' });
  const error = { code: 'NotFoundHttpException', status: '404', detail: '' };
  response.end(JSON.stringify(isList ? emptyPage : { errors: [error] }));
}).listen(9000, '0.0.0.0');
