/** A request over an agent of the caller's own, whose connections it can keep or close. */
import { type Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';

interface Sent {
  agent: Agent;
  method?: string | undefined;
  headers?: OutgoingHttpHeaders | undefined;
  body?: string | Buffer | undefined;
}

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Longer than any attack or failure here lasts: then no answer comes any more. */
const giveUpMs = 180_000;

/** Resolves once the whole answer is there. */
export const send = (url: string, { body, ...options }: Sent): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { ...options, timeout: giveUpMs }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      );
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.on('timeout', () => sent.destroy(new Error('no answer')));
    sent.end(body);
  });
