import { timingSafeEqual } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

const LARGEST_BODY = 10_000;

/**
 * Sends what is posted to http://127.0.0.1:<WEBHOOK_PORT>/ to the agent. Only programs of this computer reach it, and only
 * with the token of WEBHOOK_TOKEN in the header `Authorization: Bearer <token>`. Without a token there is no server.
 */
export default function webhook(pi: ExtensionAPI) {
  const { WEBHOOK_TOKEN: token = '', WEBHOOK_PORT: port = '0' } = process.env;
  let server: Server | undefined;

  pi.on('session_start', (_event, ctx) => {
    if (token === '' || server !== undefined) return;
    server = createServer((request, response) => {
      const end = (status: number): void => void response.writeHead(status, { connection: 'close' }).end();
      const given = Buffer.from(request.headers.authorization ?? '');
      const expected = Buffer.from(`Bearer ${token}`);
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return end(401);
      if (request.method !== 'POST') return end(405);
      let body = '';
      request.setEncoding('utf8').on('data', (part: string) => {
        body += part;
        if (body.length > LARGEST_BODY) end(413);
      });
      request.on('end', () => {
        if (body === '' || response.writableEnded) return;
        pi.sendUserMessage(body, { deliverAs: 'followUp' });
        end(202);
      });
    });
    server.on('error', error => ctx.ui.notify(`The webhook does not listen: ${error.message}`, 'error'));
    server.listen(Number(port), '127.0.0.1', () => {
      const address = server?.address();
      if (typeof address === 'object') ctx.ui.setStatus('webhook', `webhook on port ${address?.port}`);
    });
  });
  pi.on('session_shutdown', () => {
    server?.close();
    server = undefined;
  });
}
