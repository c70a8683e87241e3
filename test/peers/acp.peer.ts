import assert from 'node:assert/strict';
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { chmodSync, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { CliPlace, ended, until } from '../modes/support/cli';
import { ScriptedLlm } from '../support/scripted-llm';
import { describePeer } from './peers';

type Json = Readonly<Record<string, unknown>>;

const GATE = `export default pi => {
  pi.on('tool_call', async (event, ctx) => {
    if (event.toolName !== 'bash') return;
    const sure = await ctx.ui.confirm('Run it?', event.input.command);
    return sure ? undefined : { block: true, reason: 'not wanted' };
  });
};
`;

/** An editor in front of pi-acp, in the words of the Agent Client Protocol: JSON-RPC in lines. */
class Editor {
  /** What came of sessions, in order. */
  readonly updates: Json[] = [];
  readonly asked: Json[] = [];
  private readonly waiting = new Map<number, (message: Json) => void>();
  private rest = '';

  constructor(
    private readonly agent: ChildProcessWithoutNullStreams,
    /** What a person chooses when asked. */
    private readonly chooses: string,
  ) {
    agent.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = (this.rest + text).split('\n');
      this.rest = lines.pop() ?? '';
      for (const line of lines) if (line !== '') this.take(JSON.parse(line) as Json);
    });
  }

  async ask(method: string, params: object): Promise<Json> {
    const id = this.waiting.size + 1;
    const answer = new Promise<Json>(resolve => this.waiting.set(id, resolve));
    this.send({ id, method, params });
    const { result, error } = await answer;
    assert.equal(error, undefined, `${method}: ${JSON.stringify(error)}`);
    return result as Json;
  }

  private take(message: Json): void {
    const { id, method, params } = message;
    if (method === undefined) this.waiting.get(id as number)?.(message);
    else if (method === 'session/update') this.updates.push((params as { readonly update: Json }).update);
    else if (method === 'session/request_permission') {
      this.asked.push(params as Json);
      this.send({ id, result: { outcome: { outcome: 'selected', optionId: this.chooses } } });
    }
  }

  private send(message: object): void {
    this.agent.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }
}

describePeer('an editor that speaks ACP, in front of our command line', 'pi-acp', folder => {
  let place: CliPlace;
  let llm: ScriptedLlm;

  beforeEach(async function () {
    if (process.platform === 'win32') return this.skip();
    place = await CliPlace.make();
    llm = await ScriptedLlm.start();
    place.useLlm(llm);
    place.file('agent/extensions/gate.ts', GATE);
  });

  afterEach(async () => {
    await place.remove();
    await llm.stop();
  });

  for (const [choice, runs] of [
    ['yes', true],
    ['no', false],
  ] as const) {
    it(`holds a session with a tool call and a question that is answered with ${choice}`, async () => {
      const pi = place.file('bin/pi', `#!/bin/sh\nexec "${process.execPath}" "${place.cliPath}" "$@"\n`);
      chmodSync(pi, 0o755);
      const env = { ...place.env, PATH: [join(place.root, 'bin'), process.env['PATH']].join(delimiter) };
      const agent = spawn(process.execPath, [join(folder, 'dist', 'index.js')], { cwd: place.cwd, env });
      try {
        const editor = new Editor(agent, choice);
        await editor.ask('initialize', { protocolVersion: 1, clientCapabilities: {} });
        const { sessionId } = await editor.ask('session/new', { cwd: place.cwd, mcpServers: [] });
        llm.reply({ text: 'let me see', toolCalls: [{ name: 'bash', arguments: { command: 'touch ran' } }] });
        llm.reply({ text: 'that was it' });
        const prompt = [{ type: 'text', text: 'go' }];
        const { stopReason } = await editor.ask('session/prompt', { sessionId, prompt });
        assert.equal(stopReason, 'end_turn');
        assert.equal(editor.asked.length, 1);
        assert.equal(existsSync(join(place.cwd, 'ran')), runs);
        const said = editor.updates
          .filter(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk')
          .map(({ content }) => (content as { readonly text?: string }).text)
          .join('');
        assert.match(said, /let me see.*that was it/s);
        const calls = editor.updates.filter(({ sessionUpdate }) => String(sessionUpdate).startsWith('tool_call'));
        assert.equal(calls.at(-1)?.['status'], runs ? 'completed' : 'failed');
      } finally {
        agent.stdin.end();
        await ended(agent);
      }
      await until(async () => (await place.processes()).length === 0, 'the processes to end');
    });
  }
});
