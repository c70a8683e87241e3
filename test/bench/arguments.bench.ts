import { createServer, type Server } from 'node:http';
import { writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createStreamFn } from '../../src/agent/models/requests/stream';
import { bench, benchCase } from '../support/bench';
import { textOf } from '../support/bench-data';
import { cost } from '../support/bench-measure';
import { Rig } from '../support/conversation-rig';
import { anthropicFrames } from '../support/scripted-llm/anthropic-messages';
import { scriptedModel } from '../support/scripted-stream';

const CHARS = 200_000;
const CHARS_PER_DELTA = 20;
const CONTENT = textOf(CHARS, 1);

/** A call of `write` in small deltas, then a word when its result comes. */
function replies(): { readonly call: Buffer; readonly end: Buffer } {
  const text = JSON.stringify({ path: 'out.txt', content: CONTENT });
  const pieces = Array.from({ length: Math.ceil(text.length / CHARS_PER_DELTA) }, (_, at) =>
    text.slice(at * CHARS_PER_DELTA, (at + 1) * CHARS_PER_DELTA),
  );
  const base = {
    id: 'msg',
    model: 'scripted',
    thinking: [],
    text: [],
    toolCalls: [],
    usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
  };
  const body = (reply: Parameters<typeof anthropicFrames>[0]): Buffer =>
    Buffer.concat(anthropicFrames(reply).map(frame => Buffer.from(typeof frame === 'string' ? `${frame}\n\n` : frame)));
  return {
    call: body({ ...base, toolCalls: [{ id: 'call', name: 'write', pieces }], stopReason: 'toolUse' }),
    end: body({ ...base, text: ['written'], stopReason: 'stop' }),
  };
}

interface Place {
  readonly server: Server;
  readonly url: string;
  readonly rig: Rig;
}

async function open(root: string): Promise<Place> {
  const { call, end } = replies();
  let requests = 0;
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(request.url === '/raw' || requests++ % 2 === 0 ? call : end);
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const model = {
    ...scriptedModel,
    api: 'anthropic-messages',
    baseUrl: url,
    contextWindow: 1_000_000_000,
    maxTokens: 1_000_000,
  };
  const stream = createStreamFn({ requestAuth: () => Promise.resolve({ apiKey: 'scripted-key' }) });
  const rig = await Rig.open([], { root, models: [model], stream });
  return { server, url, rig };
}

interface Frame {
  readonly type: string;
  readonly delta?: { readonly partial_json?: string };
}

/** Takes the frames apart, gathers the arguments, parses them once. */
async function raw(url: string, file: string): Promise<void> {
  const response = await fetch(`${url}/raw`);
  const decoder = new TextDecoder();
  let rest = '';
  let text = '';
  for await (const chunk of response.body ?? []) {
    const frames = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames) {
      const data = JSON.parse(frame.slice(frame.indexOf('data: ') + 6)) as Frame; // Frames that this bench wrote.
      text += data.delta?.partial_json ?? '';
    }
  }
  const { content } = JSON.parse(text) as { content: string };
  if (content !== CONTENT) throw new Error('the arguments were not read');
  await writeFile(file, content);
}

const args = benchCase<Place>({
  rows: [
    {
      name: 'one tool call with 200 kB of arguments, streamed: host thread',
      figure: 'cpu',
      unit: 'ms',
      aim: { figure: 100, ratio: 100 / 52 },
    },
    { name: 'one tool call with 200 kB of arguments, streamed: longest stall', figure: 'stall', unit: 'ms' },
  ],
  setUp: open,
  async tearDown({ server, rig }) {
    await rig.close(true);
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  },
  rounds: 5,
  measure: {
    raw: ({ url, rig }) => cost(() => raw(url, join(rig.cwd, 'raw.txt'))),
    async ours({ rig }) {
      const figures = await cost(() => rig.chat.submit('write it'));
      const last = rig.items('tool').at(-1);
      if (last?.state.type !== 'done') throw new Error(`the call did not end well: ${JSON.stringify(last?.state)}`);
      return figures;
    },
  },
});

await bench(args);
