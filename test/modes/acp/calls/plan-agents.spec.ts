import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eachWithModel } from '../../support/each-with-model';
import { OneSession } from '../support/one-session';

const IN_PROCESS = `const { session } = await createAgentSession({ cwd: ctx.cwd, model: ctx.model, sessionManager: SessionManager.inMemory() });
    try {
      await session.prompt('make the files');
    } finally {
      session.dispose();
    }`;

const BY_NAME = `const args = ['-p', '--no-session', '--model', 'scripted/one', 'make the files'];
    const child = spawn('pi', args, { cwd: ctx.cwd, stdio: 'ignore' });
    await new Promise(resolve => child.on('close', resolve));`;

/** A command and a tool that start an agent and wait for its end. */
const delegating = (start: string): string => `import { spawn } from 'node:child_process';
import type { ExtensionAPI, ExtensionContext } from '@mariozechner/pi-coding-agent';
import { createAgentSession, SessionManager } from '@mariozechner/pi-coding-agent';
export default (pi: ExtensionAPI) => {
  const delegate = async (ctx: ExtensionContext) => {
    ${start}
  };
  pi.registerCommand('delegate', { description: 'lets an agent do it', handler: async (_args, ctx) => delegate(ctx) });
  pi.registerTool({
    name: 'delegate', label: 'delegate', description: 'lets an agent do it', parameters: { type: 'object', properties: {} },
    async execute(id, args, signal, update, ctx) {
      await delegate(ctx);
      return { content: [{ type: 'text', text: 'the agent ended' }], details: {} };
    },
  });
};
`;

describe('Agents of hooks in mode Plan, over ACP', function () {
  this.timeout(120_000);
  const { place, llm } = eachWithModel();
  beforeEach(() => place.file('work/kept.txt', 'text of the file'));

  const CALLS = {
    toolCalls: [
      { name: 'write', arguments: { path: 'written.txt', content: 'text' } },
      { name: 'bash', arguments: { command: 'touch touched.txt' } },
      { name: 'edit', arguments: { path: 'kept.txt', edits: [{ oldText: 'text', newText: 'TEXT' }] } },
      { name: 'read', arguments: { path: 'kept.txt' } },
    ],
  };
  /** The agent, whose request this is, could read; each call that changes something was refused, and nothing is changed. */
  const couldOnlyRead = (request: number): void => {
    const messages = JSON.stringify(llm.requests[request]?.body['messages']);
    assert.match(messages, /"text of the file"/);
    assert.deepEqual(messages.match(/\w+ is not available in plan mode/g), [
      'write is not available in plan mode',
      'bash is not available in plan mode',
      'edit is not available in plan mode',
    ]);
    assert.deepEqual(readdirSync(place.cwd).toSorted(), ['.pi', 'kept.txt']);
    assert.equal(readFileSync(join(place.cwd, 'kept.txt'), 'utf8'), 'text of the file');
  };

  for (const [where, start] of [
    ['in the same process', IN_PROCESS],
    ['as another process', BY_NAME],
  ] as const) {
    it(`that run ${where} read, and change nothing`, async () => {
      place.hook('delegate.ts', delegating(start));
      const session = await OneSession.open(place, { args: ['--approve-tools', 'plan'] });
      llm.reply(CALLS, { text: 'the agent is done' });
      await session.run('/delegate');
      couldOnlyRead(1);
      await session.end();
    });

    it(`that run ${where} change nothing once the mode became Plan`, async () => {
      place.hook('delegate.ts', delegating(start));
      const session = await OneSession.open(place, { args: ['--approve-tools', 'auto'] });
      llm.reply({ toolCalls: [{ name: 'delegate', arguments: {} }] });
      const held = llm.hold(CALLS);
      llm.reply({ text: 'the agent is done' }, { text: 'done' });
      const turn = session.run('go');
      await held.reached;
      await session.editor.request('session/set_mode', { sessionId: session.id, modeId: 'plan' });
      held.release();
      await turn;
      couldOnlyRead(2);
      await session.end();
    });
  }
});
