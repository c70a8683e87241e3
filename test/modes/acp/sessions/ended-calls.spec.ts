import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { eachWithModel } from '../../support/each-with-model';
import { OneSession } from '../support/one-session';

/** Lets each call pass, but only once `/release` says so. */
const WAITS = `import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';
export default (pi: ExtensionAPI) => {
  let release: (() => void) | undefined;
  pi.on('tool_call', (_event, ctx) => {
    ctx.ui.notify('the hook waits', 'info');
    return new Promise<undefined>(resolve => (release = () => resolve(undefined)));
  });
  pi.registerCommand('release', { description: 'lets the call pass', handler: async (_args, ctx) => {
    ctx.ui.notify(release === undefined ? 'no call waits' : 'released', 'info');
    release?.();
  } });
};
`;

describe('A call that a hook still decides about, over ACP', function () {
  this.timeout(120_000);
  const { place, llm } = eachWithModel();
  beforeEach(() => place.hook('waits.ts', WAITS));

  for (const method of ['session/close', 'session/delete'] as const) {
    it(`never runs after ${method}; that and the prompt are answered`, async () => {
      const session = await OneSession.open(place, { args: ['--approve-tools', 'auto'] });
      const { editor, id: sessionId } = session;
      // It keeps the hooks of the folder loaded.
      const other = await editor.create();
      llm.reply({ toolCalls: [{ id: 'call', name: 'bash', arguments: { command: 'touch never' } }] });
      const prompt = session.prompt('go');
      await editor.update(sessionId, 'notice', ({ title }) => title.includes('the hook waits'));
      await editor.request(method, { sessionId });
      assert.equal(await prompt, 'cancelled');
      assert.equal(session.shown('call').status, 'failed');

      await editor.prompt(other, '/release');
      await editor.update(other, 'notice', ({ title }) => title.includes('released'));
      llm.reply({ text: 'works' });
      assert.equal(await editor.prompt(other, 'go on'), 'end_turn');
      await session.end();
      assert.ok(!existsSync(join(place.cwd, 'never')));
      assert.equal(llm.requests.length, 2);
      const isStored = place.sessionFiles().some(file => file.includes(sessionId));
      assert.equal(isStored, method === 'session/close');
    });
  }
});
