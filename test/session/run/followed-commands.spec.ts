import assert from 'node:assert/strict';
import { isForPrograms, type SessionEvent } from '../../../src/session/ports/session-events';
import { Rig, type RigOptions } from '../../support/conversation-rig';

/** A tool of a hook that runs `bash`, and says whether its `ctx` follows commands. */
const NESTING = `// @pi-dialect pi
  export default pi => pi.registerTool({
    name: 'nest', label: 'Nest', description: 'x', parameters: { type: 'object', properties: {} },
    async execute(id, params, signal, onUpdate, ctx) {
      await ctx.executeTool('bash', { command: 'echo nested; exit 3' });
      return { content: [{ type: 'text', text: 'command' in ctx ? 'it does' : 'it does not' }], details: undefined };
    },
  });\n`;

describe('the commands of a conversation', () => {
  let rig: Rig | undefined;
  afterEach(async () => {
    await rig?.close();
    rig = undefined;
  });

  /** The events of a run whose calls run commands. */
  async function run(options: RigOptions): Promise<readonly SessionEvent[]> {
    const calls = [
      { id: 'direct', name: 'bash', args: { command: 'printf ü; exit 7' } },
      { id: 'outer', name: 'nest', args: {} },
      { id: 'none', name: 'ls', args: {} },
    ];
    const opened = await Rig.open([...calls.map(call => ({ calls: [call] })), { text: 'done' }], {
      extensions: { 'nest.ts': NESTING },
      ...options,
    });
    rig = opened;
    const events: SessionEvent[] = [];
    opened.conversation.onDidHappen(event => events.push(event));
    await opened.chat.submit('go');
    return events;
  }

  const isOfCommand = ({ type }: SessionEvent): boolean => type === 'command_output' || type === 'command_end';

  it('are told to a view that follows them, each with the id of its call, before the call ends', async () => {
    const events = await run({ followsCommands: true });
    assert.deepEqual(events.filter(isOfCommand), [
      { type: 'command_output', toolCallId: 'direct', chunk: 'ü' },
      { type: 'command_end', toolCallId: 'direct', exitCode: 7, signal: null },
      { type: 'command_output', toolCallId: 'outer/1', chunk: 'nested\n' },
      { type: 'command_end', toolCallId: 'outer/1', exitCode: 3, signal: null },
    ]);
    const order = events.flatMap(event =>
      'toolCallId' in event && event.toolCallId === 'direct' && /^(command|tool_execution)_(start|end)/.test(event.type)
        ? [event.type]
        : [],
    );
    assert.deepEqual(order, ['tool_execution_start', 'command_end', 'tool_execution_end']);
  });

  it('are not told to programs and hooks, and add nothing to results', async () => {
    const events = await run({ followsCommands: true });
    assert.equal(events.filter(isForPrograms).some(isOfCommand), false);
    const results = rig?.conversation.run.agent.messages.flatMap(message =>
      message.role === 'toolResult'
        ? [{ id: message.toolCallId, content: message.content, details: message.details }]
        : [],
    );
    const text = (text: string): object[] => [{ type: 'text', text }];
    assert.deepEqual(results?.slice(0, 2), [
      { id: 'direct', content: text('ü\n\nCommand exited with code 7'), details: undefined },
      { id: 'outer', content: text('it does not'), details: undefined },
    ]);
  });

  it('are not told to a view that does not follow them', async () => {
    assert.equal((await run({})).some(isOfCommand), false);
  });
});
