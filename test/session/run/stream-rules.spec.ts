import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AssistantMessageEvent, Context } from '@mariozechner/pi-ai';
import type { StreamFn } from '../../../src/agent/run/loop';
import { Rig, until, type RigOptions } from '../../support/conversation-rig';
import { answer } from '../../support/scripted-stream';

/** One answer piece by piece; `thinking:` pieces are thoughts. It stays open at its end when it says so. */
type Pieces = readonly string[] | { readonly pieces: readonly string[]; readonly open: true };

/** A model that streams in pieces, ends early when it is told to stop, and notes what it was asked. */
class PieceModel {
  readonly requests: Context[] = [];
  /** How many pieces of each answer were taken from it. */
  readonly given: number[] = [];

  constructor(private readonly script: Pieces[]) {}

  readonly stream: StreamFn = (_model, context, options) => {
    this.requests.push({ ...context, messages: [...context.messages] });
    const next = this.script.shift();
    if (next === undefined) throw new Error('The script has no answer for this request.');
    return this.play(next, options.signal);
  };

  private async *play(script: Pieces, signal: AbortSignal | undefined): AsyncGenerator<AssistantMessageEvent> {
    const index = this.given.push(0) - 1;
    const pieces = 'open' in script ? script.pieces : script;
    const partial = answer({ text: '' });
    yield { type: 'start', partial };
    for (const piece of pieces) {
      this.given[index] = (this.given[index] ?? 0) + 1;
      const thought = piece.startsWith('thinking:');
      const delta = thought ? piece.slice('thinking:'.length) : piece;
      const block = partial.content[0];
      if (block?.type === 'text' && !thought) block.text += delta;
      yield { type: thought ? 'thinking_delta' : 'text_delta', contentIndex: thought ? 1 : 0, delta, partial };
    }
    if ('open' in script) {
      await new Promise<void>(resolve => signal?.addEventListener('abort', () => resolve(), { once: true }));
      yield { type: 'error', reason: 'aborted', error: { ...partial, stopReason: 'aborted' } };
      return;
    }
    yield { type: 'done', reason: 'stop', message: partial };
  }
}

const NO_ANY = '---\nttsr_trigger: "as\\\\s+any"\n---\nNever write a cast to any.';

const LISTENER = `import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { HookAPI } from "@oh-my-pi/pi-coding-agent/hooks";
export default function (pi: HookAPI) {
  const log = (text: string) => appendFileSync(join(__dirname, "log"), text + "\\n");
  pi.on("ttsr_triggered", event => log("ttsr " + JSON.stringify(event.rules)));
  pi.on("turn_end", event => { log("turn_end " + event.message.stopReason); pi.appendEntry("seen", event.turnIndex); });
  for (const name of ["agent_start", "turn_start", "agent_end"] as const) pi.on(name, () => log(name));
}`;

describe('rules that interrupt an answer', () => {
  let rig: Rig | undefined;
  let model: PieceModel;

  async function open(script: Pieces[], options: RigOptions = {}): Promise<Rig> {
    model = new PieceModel(script);
    rig = await Rig.open([], { files: { '.pi/rules/no-any.md': NO_ANY }, ...options, stream: model.stream });
    return rig;
  }

  afterEach(async () => {
    await rig?.close();
    rig = undefined;
  });

  const roles = (request: number): string[] => (model.requests[request]?.messages ?? []).map(({ role }) => role);

  it('break it off, tell the model, and let the run go on by itself', async () => {
    const { chat, cwd, items } = bound(
      await open([['const x = y a', 's a', 'ny;', ' never', ' said'], ['const x: Y = y;']], {
        hooks: { 'listen.ts': LISTENER },
      }),
    );
    await chat.submit('write it');
    assert.deepEqual(model.given, [3, 1]);
    assert.deepEqual(roles(1), ['user', 'user']);
    const told = JSON.stringify(model.requests[1]?.messages[1]);
    assert.match(told, /broke the rule \\"no-any\\"/);
    assert.match(told, /Never write a cast to any\./);
    assert.deepEqual(
      chat.conversation.run.agent.messages.map(({ role }) => role),
      ['system', 'user', 'custom', 'assistant'],
    );
    assert.deepEqual(
      items('assistant').map(({ state }) => state),
      ['aborted', 'done'],
    );
    assert.equal(items('custom')[0]?.customType, 'ttsr');
    const path = join(cwd, '.pi/rules/no-any.md');
    const rule = {
      name: 'no-any',
      path,
      content: 'Never write a cast to any.',
      ttsrTrigger: 'as\\s+any',
      level: 'project',
    };
    assert.deepEqual(readFileSync(join(cwd, '.pi/hooks/log'), 'utf8').trim().split('\n'), [
      'agent_start',
      'turn_start',
      `ttsr ${JSON.stringify([rule])}`,
      'turn_end aborted',
      'turn_start',
      'turn_end stop',
      'agent_end',
    ]);
    assert.equal(chat.conversation.run.isIdle, true);
  });

  it('leave the broken answer in the file, beside the path, and are remembered by it', async () => {
    const first = await open([['as any'], ['good'], ['as any']]);
    await first.chat.submit('write it');
    await first.chat.submit('again');
    assert.equal(model.requests.length, 3);
    const file = first.conversation.store.getSessionFile() ?? '';
    await first.close(true);
    const entries = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map(
        line =>
          JSON.parse(line) as {
            type: string;
            id: string;
            parentId: string;
            message?: { role: string; stopReason?: string; errorMessage?: string };
            injectedRules?: string[];
          },
      );
    const broken = entries.find(entry => entry.message?.stopReason === 'aborted');
    assert.equal(broken?.message?.errorMessage, 'Interrupted by the rule "no-any"');
    assert.deepEqual(
      entries.filter(entry => entry.parentId === broken.id),
      [],
    );
    const injection = entries.find(entry => entry.type === 'custom_message');
    assert.equal(injection?.parentId, broken.parentId);
    assert.deepEqual(entries.find(entry => entry.type === 'ttsr_injection')?.injectedRules, ['no-any']);

    const second = await open([['as any']], { root: first.root, resume: true });
    assert.deepEqual(
      second.conversation.run.agent.messages.map(({ role }) => role),
      ['system', 'user', 'custom', 'assistant', 'user', 'assistant'],
    );
    await second.chat.submit('once more');
    assert.equal(model.requests.length, 1);
  });

  it('work again in a new session', async () => {
    const { chat } = await open([['as any'], ['good'], ['as any'], ['good']]);
    await chat.submit('write it');
    await chat.submit('/new');
    await chat.submit('write it');
    assert.equal(model.requests.length, 4);
  });

  it('look at thoughts too, end a stream that would stay open, and may be several', async () => {
    const { chat, items } = bound(
      await open(
        [{ pieces: ['fine', 'thinking:I could', 'thinking: cheat'], open: true }, ['as any cheat'], ['good']],
        {
          files: { '.pi/rules/no-any.md': NO_ANY, '.pi/rules/honest.md': '---\ntrigger: cheat\n---\nDo not cheat.' },
        },
      ),
    );
    await chat.submit('go');
    assert.deepEqual(
      items('custom').map(({ text }) => /broke (the rules? .*?) of/.exec(text)?.[1]),
      ['the rule "honest"', 'the rule "no-any"'],
    );
    assert.equal(model.requests.length, 3);
  });

  it('obey a stop that comes while the rule is being told', async () => {
    const hook = `export default function (pi) { pi.on("turn_end", async (event, ctx) => { if (event.message.stopReason === "aborted") ctx.abort(); }); }`;
    const { chat } = await open([['as any'], ['never']], { hooks: { 'stop.ts': hook } });
    await chat.submit('go');
    assert.equal(model.requests.length, 1);
    assert.equal(chat.conversation.run.isIdle, true);
    const next = await until(() => (chat.conversation.run.isIdle ? chat : undefined), 'idle');
    assert.deepEqual(
      next.conversation.run.agent.messages.map(({ role }) => role),
      ['system', 'user'],
    );
  });

  it('do not touch answers that keep to them, and steering messages still arrive', async () => {
    const { chat } = await open([['as', ' many'], ['as any'], ['good'], ['heard']]);
    await chat.submit('go');
    const run = chat.submit('write');
    void chat.submit('and this', { delivery: 'followUp' });
    await run;
    assert.deepEqual(roles(3), ['user', 'assistant', 'user', 'user', 'assistant', 'user']);
  });

  function bound(opened: Rig): { chat: Rig['chat']; cwd: string; items: Rig['items'] } {
    return { chat: opened.chat, cwd: opened.cwd, items: opened.items.bind(opened) };
  }
});
