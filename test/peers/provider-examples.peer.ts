import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { CliPlace, type Program } from '../modes/support/cli';
import { RpcHost, type Message } from '../modes/support/rpc';
import { ScriptedLlm } from '../support/scripted-llm';
import { describePeer, piToday, TODAY } from './peers';

/** What an example did in one program. */
interface Trace {
  readonly told: readonly unknown[];
  readonly requests: readonly unknown[];
  readonly custom: readonly unknown[];
  readonly files: readonly unknown[];
  readonly state: unknown;
}

interface Plan {
  readonly example: string;
  readonly args?: readonly string[];
  readonly files?: Readonly<Record<string, object>>;
  readonly steps: readonly string[];
}

const LEVELS = { reasoning: true, contextWindow: 200_000, maxTokens: 8192 };
const CODEX = ['gpt-5.6-sol', 'gpt-5.6-terra', 'gpt-5.6-luna'].map(id => ({ id, ...LEVELS }));

const PLANS: readonly Plan[] = [
  {
    example: 'debug-provider.ts',
    steps: ['/debug-provider nonsense', '/debug-provider on', 'hello', '/debug-provider off', 'again'],
  },
  { example: 'provider-payload.ts', steps: ['hello'] },
  { example: 'model-status.ts', steps: ['hello', 'model two', 'hello'] },
  {
    example: 'preset.ts',
    args: ['--preset', 'plan'],
    files: {
      'work/.pi/presets.json': {
        plan: {
          provider: 'scripted',
          model: 'two',
          thinkingLevel: 'high',
          tools: ['read', 'ls'],
          instructions: 'Only plan.',
        },
        implement: {
          provider: 'scripted',
          model: 'one',
          thinkingLevel: 'low',
          tools: ['read', 'bash'],
          instructions: 'Do it.',
        },
      },
    },
    steps: ['hello', '/preset implement', 'hello', '/preset nope'],
  },
  { example: 'jev-router.ts', args: ['--model', 'jev/auto'], steps: ['hello', 'write it', 'more'] },
];

describePeer('examples about providers and models beside those of today', TODAY, folder => {
  let places: CliPlace[];

  beforeEach(() => {
    places = [];
  });
  afterEach(async () => {
    for (const place of places) await place.remove();
  });

  async function play({ example, args = [], files = {}, steps }: Plan, program: Program): Promise<Trace> {
    const place = await CliPlace.make();
    places.push(place);
    const llm = await ScriptedLlm.start();
    try {
      // Which tools there are by default is compared elsewhere.
      place.useLlm(llm, { defaultTools: ['read', 'bash', 'edit', 'write'] });
      const known = JSON.parse(readFileSync(join(place.agentDir, 'models.json'), 'utf8')) as {
        providers: Record<string, Record<string, unknown>>;
      };
      known.providers['openai-codex'] = { ...known.providers['scripted'], models: CODEX };
      place.file('agent/models.json', JSON.stringify(known));
      mkdirSync(join(place.cwd, '.pi'), { recursive: true });
      for (const [name, content] of Object.entries(files)) place.file(name, JSON.stringify(content));
      llm.otherwise(({ body }) =>
        JSON.stringify(body['messages']).includes('write it') &&
        !JSON.stringify(body['messages']).includes('tool_result')
          ? { toolCalls: [{ name: 'write', arguments: { path: 'made.txt', content: 'made' } }] }
          : { text: 'an answer' },
      );
      const host = RpcHost.start(
        place,
        ['-e', join(folder, 'examples', 'extensions', example), '--approve', ...args],
        program,
      );
      for (const step of steps) {
        const model = /^model (\w+)$/.exec(step)?.[1];
        if (model !== undefined) await host.data('set_model', { provider: 'scripted', modelId: model });
        else if (step.startsWith('/')) await host.data('prompt', { message: step });
        else await host.prompt(step);
      }
      const state = await host.data<{ readonly model?: { readonly id: string }; readonly thinkingLevel: string }>(
        'get_state',
      );
      const told = host.messages.flatMap(toldBy);
      await host.close();
      const log = join(place.cwd, '.pi', 'provider-payload.log');
      return {
        told,
        requests: llm.requests.map(({ body, headers }) => [
          body['model'],
          (body['tools'] as readonly { readonly name: string }[] | undefined)?.map(({ name }) => name).sort(),
          JSON.stringify(body['system']).match(/Only plan\.|Do it\./g),
          headers['x-session-id'],
        ]),
        custom: place.entries().flatMap(entry => (entry.type === 'custom' ? [shapeOf(entry)] : [])),
        files: existsSync(log) ? [readFileSync(log, 'utf8').match(/^\[\d+\]|"model": "\w+"/gm)] : [],
        state: [state.model?.id, state.thinkingLevel],
      };
    } finally {
      await llm.stop();
    }
  }

  for (const plan of PLANS) {
    it(`${plan.example} does the same`, async () => {
      const pi = await play(plan, piToday(folder));
      assert.deepEqual(await play(plan, {}), pi);
      assert.ok(pi.requests.length > 0);
    });
  }
});

/** What an extension shows and what it does wrong; other messages are compared elsewhere. */
function toldBy(message: Message): readonly unknown[] {
  if (message.type === 'extension_error') return [['error', message['event'], message['error']]];
  if (message.type !== 'extension_ui_request') return [];
  const { method, message: text, notifyType, statusKey, statusText } = message;
  // Colours are those of the theme, which is VS Code's here.
  const words = typeof statusText === 'string' ? stripVTControlCharacters(statusText) : statusText;
  return [[method, text, notifyType, statusKey, words]];
}

/** Of captured events only their kinds: texts come in the same pieces, but ids are the server's. */
function shapeOf({ customType, data }: Readonly<Record<string, unknown>>): unknown {
  const { events, ...rest } = (data ?? {}) as { readonly events?: readonly { readonly type?: string }[] };
  return [customType, rest, events?.map(({ type }) => type)];
}
