import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ACP_LIBRARIES, connectWith, type LibraryEditor } from './support/acp-libraries';
import { CliPlace, until, type Ended } from '../modes/support/cli';
import { ScriptedLlm } from '../support/scripted-llm';
import { describePeer } from './peers';

const TOUCH = { text: 'let me see', toolCalls: [{ name: 'bash', arguments: { command: 'touch ran' } }] };

const GREETER = `export default pi => {
  pi.registerCommand('hello', {
    description: 'greets',
    handler: async (args, ctx) => ctx.ui.notify('hello ' + args),
  });
};
`;

describePeer('programs that speak the Agent Client Protocol', 'acp', folder => {
  let place: CliPlace;
  let llm: ScriptedLlm;

  beforeEach(async () => {
    place = await CliPlace.make();
    llm = await ScriptedLlm.start();
    place.useLlm(llm);
    place.file('agent/extensions/greeter.ts', GREETER);
  });

  afterEach(async () => {
    await until(async () => (await place.processes()).length === 0, 'the processes to end');
    await place.remove();
    await llm.stop();
  });

  const hasRun = (): boolean => existsSync(join(place.cwd, 'ran'));

  describe('acpx', () => {
    const cli = join(folder, 'node_modules', 'acpx', 'dist', 'cli.js');

    /** Options are before the command. A process of acpx that waits for more prompts ends after a second. */
    const acpx = (options: readonly string[], ...command: readonly string[]): Promise<Ended> => {
      const agent = [process.execPath, place.cliPath, 'acp'].map(part => JSON.stringify(part)).join(' ');
      return place.run(['--agent', agent, '--ttl', '1', ...options, ...command], { cli });
    };

    it('runs a prompt whose calls it allows', async () => {
      llm.reply(TOUCH, { text: 'that was it' });
      const { code, stdout, stderr } = await acpx(['--approve-all'], 'exec', 'go');
      assert.equal(code, 0, stderr);
      assert.match(stdout, /let me see.*that was it/s);
      assert.ok(hasRun());
    });

    it('denies a call, which the model is told', async () => {
      llm.reply(TOUCH, { text: 'then not' });
      const { stdout } = await acpx(['--deny-all'], 'exec', 'go');
      assert.match(stdout, /then not/);
      assert.ok(!hasRun());
      assert.equal(llm.requests.length, 2);
    });

    it('runs the command of a hook to its end', async () => {
      const { code, stdout, stderr } = await acpx([], 'exec', '/hello world');
      assert.equal(code, 0, stderr);
      assert.match(stdout, /hello world/);
      assert.equal(llm.requests.length, 0);
    });

    it('keeps a session over several starts, with the mode that it set', async () => {
      const opened = await acpx([], 'sessions', 'new');
      assert.equal(opened.code, 0, opened.stderr);
      const set = await acpx([], 'set-mode', 'plan');
      assert.equal(set.code, 0, set.stderr);
      llm.reply(TOUCH, { text: 'I only read' });
      const prompted = await acpx(['--approve-all'], 'prompt', 'go');
      assert.match(prompted.stdout, /I only read/, prompted.stderr);
      assert.ok(!hasRun());
      llm.reply({ text: 'again' });
      const again = await acpx([], 'prompt', 'and now');
      assert.match(again.stdout, /again/, again.stderr);
      assert.equal(place.sessionFiles().length, 1);
      const listed = await acpx([], 'sessions', 'list');
      assert.equal(listed.code, 0, listed.stderr);
      const closed = await acpx([], 'sessions', 'close');
      assert.equal(closed.code, 0, closed.stderr);
    });
  });

  for (const name of ACP_LIBRARIES) {
    it(`holds a session with a question and a mode, and loads it again, with ${name}`, async () => {
      const agent = place.start(['acp']);
      agent.stderr.resume();
      const gone = once(agent, 'close');
      const updates: Readonly<Record<string, unknown>>[] = [];
      const asked: Readonly<Record<string, unknown>>[] = [];
      const editor: LibraryEditor = {
        onUpdate: update => updates.push(update),
        onPermission: request => {
          asked.push(request);
          const options = request['options'] as readonly { readonly optionId: string; readonly kind: string }[];
          const optionId = options.find(({ kind }) => kind === 'allow_once')?.optionId;
          return { outcome: { outcome: 'selected', optionId } };
        },
      };
      const client = await connectWith(name, folder, agent, editor);
      const { protocolVersion } = await client.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
      assert.equal(protocolVersion, 1);
      const { sessionId } = await client.request('session/new', { cwd: place.cwd, mcpServers: [] });
      llm.reply(TOUCH, { text: 'that was it' });
      const prompt = [{ type: 'text', text: 'go' }];
      assert.equal((await client.request('session/prompt', { sessionId, prompt }))['stopReason'], 'end_turn');
      assert.equal(asked.length, 1);
      assert.ok(hasRun());
      assert.match(saidIn(updates), /let me see.*that was it/s);
      await client.request('session/set_mode', { sessionId, modeId: 'plan' });
      assert.ok(updates.some(update => update['currentModeId'] === 'plan'));
      updates.length = 0;
      await client.request('session/load', { sessionId, cwd: place.cwd, mcpServers: [] });
      assert.match(saidIn(updates), /let me see.*that was it/s);
      agent.stdin.end();
      assert.deepEqual(await gone, [0, null]);
    });
  }
});

function saidIn(updates: readonly Readonly<Record<string, unknown>>[]): string {
  return updates
    .filter(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk')
    .map(({ content }) => (content as { readonly text?: string }).text)
    .join('');
}
