import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CliPlace, type Program } from '../modes/support/cli';
import { RpcHost } from '../modes/support/rpc';
import { ScriptedLlm } from '../support/scripted-llm';
import { describePeer, piToday, TODAY } from './peers';

/** Events of one prompt; how often pieces of a text or of an output come hangs on how fast they do. */
const EVENTS = [
  ...['input', 'before_agent_start', 'agent_start', 'turn_start', 'context', 'context_with_system'],
  ...['message_start', 'message_end', 'tool_execution_start', 'tool_call', 'tool_result', 'tool_execution_end'],
  ...['turn_end', 'agent_end', 'agent_before_settle', 'agent_settled'],
];

/** Notes each event with what tells it apart, in the order in which handlers are called. */
const RECORDER = `
import { appendFileSync } from 'node:fs';
export default (pi: any) => {
  const told = ({ type, message, toolName, outcome, entries, context, messages, aborted, isError, continue: goesOn }: any) => [
    type,
    message?.role,
    message?.stopReason,
    toolName,
    isError,
    outcome,
    goesOn,
    outcome === undefined ? undefined : entries?.length,
    context?.canContinue,
    context?.llmMessages?.map((said: any) => said.role).join(),
    type.startsWith('context') ? messages.map((said: any) => said.role).join() : undefined,
    aborted,
  ].filter(value => value !== undefined && value !== 'pending').join(' ');
  for (const name of ${JSON.stringify(EVENTS)}) {
    pi.on(name, (event: any) => { appendFileSync(process.env.EVENTS_FILE!, told(event) + '\\n'); });
  }
};`;

describePeer('the events of runs beside those of today', TODAY, folder => {
  const sides: Readonly<Record<string, Program>> = { pi: piToday(folder), Hookline: {} };
  let place: CliPlace;
  let llm: ScriptedLlm;

  beforeEach(async () => {
    place = await CliPlace.make();
    llm = await ScriptedLlm.start();
    place.useLlm(llm);
    place.file('agent/extensions/recorder.ts', RECORDER);
  });

  afterEach(async () => {
    await place.remove();
    await llm.stop();
  });

  /** What was noted in each program while this happened. */
  async function both(act: (host: RpcHost) => Promise<void>): Promise<Readonly<Record<string, readonly string[]>>> {
    const noted: Record<string, readonly string[]> = {};
    for (const [side, program] of Object.entries(sides)) {
      const file = join(place.root, `events-${side}.txt`);
      const host = RpcHost.start(place, ['--no-session'], { ...program, env: { ...program.env, EVENTS_FILE: file } });
      await act(host);
      await host.close();
      noted[side] = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
    }
    return noted;
  }

  const calls = [1, 2].map(nth => ({ name: 'bash', arguments: { command: `echo ${nth}` } }));

  it('come in the same order for a prompt with two tool calls', async () => {
    const noted = await both(async host => {
      llm.reply({ text: 'both', toolCalls: calls }, { text: 'done' });
      await host.prompt('go');
    });
    assert.ok(noted['pi']!.length > 25, noted['pi']!.join('\n'));
    assert.deepEqual(noted['Hookline'], noted['pi']);
  });

  it('come in the same order for a failed request that is tried again', async () => {
    const noted = await both(async host => {
      llm.fail(500);
      llm.reply({ text: 'done' });
      await host.prompt('go');
    });
    assert.deepEqual(noted['Hookline'], noted['pi']);
  });

  it('come in the same order for a prompt that is stopped', async () => {
    const noted = await both(async host => {
      const held = llm.hold({ text: 'a long answer that never ends' }, 1);
      const from = host.messages.length;
      await host.data('prompt', { message: 'go' });
      await held.reached;
      await host.event('message_start', from);
      await host.data('abort');
      await host.event('agent_settled', from);
      held.release();
    });
    assert.deepEqual(noted['Hookline'], noted['pi']);
  });

  it('make the same of entries, of a further request and of other words', async () => {
    place.file(
      'agent/extensions/deciding.ts',
      `export default (pi: any) => {
        let turns = 0;
        pi.on('message_end', ({ message }: any) => message.role === 'user' ? { message: { ...message, content: [{ type: 'text', text: 'other words' }] } } : undefined);
        pi.on('before_agent_start', (event: any) => { event.systemPromptOptions.sections.mood = 'calm'; });
        pi.on('turn_end', (event: any) => turns++ > 0 ? undefined : { continue: true, entries: [
          { type: 'context_edit', targetId: event.messageEntryId, replacement: { content: 'shorter' } },
          { type: 'custom_message', customType: 'note', content: 'go on', display: true },
        ] });
      };`,
    );
    const sent: unknown[] = [];
    const noted = await both(async host => {
      const from = llm.requests.length;
      llm.reply({ text: 'a long answer' }, { text: 'done' });
      await host.prompt('go');
      sent.push(llm.requests.slice(from).map(({ body }) => wordsOf(body)));
    });
    assert.deepEqual(sent[1], sent[0]);
    assert.deepEqual(noted['Hookline'], noted['pi']);
  });
});

/** The conversation that a request sends, and the section that the extension added to its prompt. */
function wordsOf({ messages, system }: Readonly<Record<string, unknown>>): unknown {
  const mood = /<mood>\s*calm\s*<\/mood>/.test(JSON.stringify(system).replaceAll('\\n', '\n'));
  const said = (messages as readonly { readonly role: string; readonly content: unknown }[]).map(
    ({ role, content }) => [
      role,
      typeof content === 'string'
        ? content
        : (content as readonly { readonly text?: string }[]).map(({ text }) => text).join(),
    ],
  );
  return { mood, said };
}
