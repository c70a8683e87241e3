import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ACP_PROFILES, type AcpProfile } from '../support/acp';
import { eachWithModel } from '../support/each-with-model';
import { choose, OneSession } from './support/one-session';

/** A command that asks all kinds of questions, and tells their answers to the model. */
const ASKS = `import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';
export default (pi: ExtensionAPI) => {
  pi.registerCommand('ask', { description: 'asks everything', handler: async (_args, ctx) => {
    const answers = [
      await ctx.ui.confirm('Sure?', 'really'),
      await ctx.ui.select('Which?', ['red', 'blue']),
      await ctx.ui.input('Name?', 'a name'),
      await ctx.ui.editor('Text?', 'before'),
    ];
    ctx.ui.notify('answers: ' + JSON.stringify(answers), 'info');
    ctx.ui.setStatus('asks', 'asked');
  } });
};
`;

/** What differs between editors. */
interface Differences {
  readonly forms: boolean;
  readonly terminals: boolean;
  readonly notices: boolean;
  readonly compaction: boolean;
  readonly shown: boolean;
}

const DIFFERENCES: Readonly<Record<AcpProfile, Differences>> = {
  everything: { forms: true, terminals: true, notices: true, compaction: true, shown: true },
  nothing: { forms: false, terminals: false, notices: false, compaction: false, shown: false },
  'no elicitation': { forms: false, terminals: true, notices: true, compaction: false, shown: false },
  'no terminal output': { forms: true, terminals: false, notices: false, compaction: false, shown: false },
};

describe('A whole conversation over ACP', function () {
  this.timeout(120_000);
  const { place, llm } = eachWithModel({ compaction: { keepRecentTokens: 1 } });
  beforeEach(() => place.hook('asks.ts', ASKS));

  for (const profile of Object.keys(ACP_PROFILES) as AcpProfile[]) {
    it(`uses no more than what is offered by an editor that offers ${profile}`, async () => {
      const { forms, terminals, notices, compaction, shown } = DIFFERENCES[profile];
      place.file('work/file.txt', 'one\n');
      const session = await OneSession.open(place, { profile });
      const { editor, id: sessionId } = session;
      editor.onPermission = asked => choose(asked, 'allow_once');
      editor.onElicitation = request => {
        const { properties } = (
          request as unknown as { requestedSchema: { properties: { answer: { enum?: string[] } } } }
        ).requestedSchema;
        return { action: 'accept', content: { answer: properties.answer.enum?.at(-1) ?? 'typed' } };
      };

      // Text, thoughts, an edit and a command with permissions.
      const edits = [{ oldText: 'one', newText: 'two' }];
      llm.reply(
        {
          thinking: 'I think.',
          text: 'I edit.',
          toolCalls: [{ id: 'edit', name: 'edit', arguments: { path: 'file.txt', edits } }],
        },
        { toolCalls: [{ id: 'bash', name: 'bash', arguments: { command: 'echo printed > made; cat made; exit 7' } }] },
        { text: 'Both done.' },
      );
      await session.run('go');
      assert.equal(readFileSync(join(place.cwd, 'file.txt'), 'utf8'), 'two\n');
      assert.deepEqual(
        editor.permissions.map(({ toolCall }) => toolCall.toolCallId),
        ['edit', 'bash'],
      );
      assert.equal(session.all('agent_thought_chunk').length, 1);
      assert.equal(session.said, 'I edit.Both done.');
      const ofTerminal = session.call('bash').filter(({ _meta }) => _meta?.['terminal_output'] !== undefined);
      assert.equal(ofTerminal.length > 0, terminals);
      assert.equal(JSON.stringify(session.shown('bash').content).includes('printed'), !terminals);
      assert.equal(session.shown('bash').status, 'failed');

      // Questions of a hook.
      const before = editor.permissions.length;
      await session.run('/ask');
      const blue = forms ? '"blue"' : '"red"';
      const told = `answers: [true,${blue},${forms ? '"typed","typed"' : 'null,null'}]`;
      const texts = (): string =>
        notices ? JSON.stringify(session.all('notice').map(({ title }) => title)) : session.said;
      assert.ok(texts().replaceAll('\\"', '"').includes(told), texts());
      assert.equal(editor.elicitations.length, forms ? 3 : 0);
      assert.equal(editor.permissions.length - before, forms ? 1 : 2);
      assert.equal(texts().includes('was not asked: this editor shows no forms'), !forms);
      assert.equal(session.all('notice').length > 0, notices);
      const ofHookline = editor.received.filter(({ method }) => method === '_hookline/ui');
      assert.equal(ofHookline.length, shown ? 1 : 0);

      // A plan.
      await editor.request('session/set_mode', { sessionId, modeId: 'plan' });
      llm.reply({ toolCalls: [{ name: 'present_plan', arguments: { plan: 'Do it.' } }] }, { text: 'Planned.' });
      await session.run('plan');
      assert.equal(editor.permissions.at(-1)?.toolCall.kind, 'switch_mode');
      assert.deepEqual(
        session.all('current_mode_update').map(({ currentModeId }) => currentModeId),
        ['plan', 'ask'],
      );

      // A compaction.
      llm.otherwise(() => ({ text: 'A summary.' }));
      await session.run('/compact');
      const statuses = session.all('compaction_update').map(({ status }) => status);
      assert.deepEqual(statuses, compaction ? ['in_progress', 'completed'] : []);
      await session.end();
    });
  }
});
