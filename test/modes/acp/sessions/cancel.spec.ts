import assert from 'node:assert/strict';
import type { StopReason } from '@agentclientprotocol/sdk';
import { AcpEditor, NO_ANSWER } from '../../support/acp';
import { eachWithModel } from '../../support/each-with-model';

const HANGS = `import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';
export default (pi: ExtensionAPI) => {
  pi.on('tool_call', () => { pi.sendMessage({ customType: 'here', content: 'in the hook', display: true }); return new Promise(() => {}); });
};
`;

describe('What is cancelled over ACP', function () {
  this.timeout(120_000);
  const { place, llm } = eachWithModel();
  let editor: AcpEditor;
  let sessionId: string;

  const open = async (args: readonly string[] = []): Promise<void> => {
    editor = await AcpEditor.open(place, { args });
    sessionId = await editor.create();
  };
  const begin = (words: string): { readonly id: number; readonly answer: Promise<{ stopReason: StopReason }> } =>
    editor.begin('session/prompt', { sessionId, prompt: [{ type: 'text', text: words }] });
  const cancel = (): void => editor.notify('session/cancel', { sessionId });
  /** The prompt is answered `cancelled` and nothing is open any more; the next one works. */
  const isCancelled = async (answer: Promise<{ stopReason: StopReason }>): Promise<void> => {
    assert.equal((await answer).stopReason, 'cancelled');
    const open = new Set<string>();
    for (const update of editor.updates(sessionId)) {
      if (update.sessionUpdate === 'tool_call') open.add(update.toolCallId);
      if (update.sessionUpdate !== 'tool_call_update') continue;
      if (update.status === 'failed' || update.status === 'completed') open.delete(update.toolCallId);
    }
    assert.deepEqual([...open], []);
    llm.otherwise(() => ({ text: 'next' }));
    assert.equal((await begin('go on').answer).stopReason, 'end_turn');
    assert.match(editor.said(sessionId), /next$/);
    await editor.end();
  };
  const bash = (command: string): object => ({ toolCalls: [{ name: 'bash', arguments: { command } }] });

  it('is an answer that streams', async () => {
    await open();
    const held = llm.hold({ text: ['half ', 'an answer'] }, 4);
    const { answer } = begin('hi');
    await held.reached;
    cancel();
    await isCancelled(answer);
    held.release();
  });

  it('is a command that runs', async () => {
    await open(['--approve-tools', 'auto']);
    llm.reply(bash('echo begun; sleep 60'));
    const { answer } = begin('hi');
    await editor.update(sessionId, 'tool_call_update', ({ status }) => status === 'in_progress');
    cancel();
    await isCancelled(answer);
  });

  it('is a question that is open, which is withdrawn', async () => {
    await open();
    editor.onPermission = () => NO_ANSWER;
    llm.reply(bash('touch never'));
    const { answer } = begin('hi');
    await editor.until(() => editor.permissions.length === 1, 'the question');
    cancel();
    await editor.until(() => editor.withdrawn.length === 1, 'the end of the question');
    await isCancelled(answer);
  });

  it('is the wait for a retry', async () => {
    place.useLlm(llm, { retry: { baseDelayMs: 60_000 } });
    await open();
    llm.fail(529, { message: 'overloaded' });
    const { answer } = begin('hi');
    await editor.update(sessionId, 'notice');
    cancel();
    await isCancelled(answer);
  });

  it('is a compaction', async () => {
    place.useLlm(llm, { compaction: { keepRecentTokens: 1 } });
    await open();
    llm.reply({ text: 'one' }, { text: 'two' });
    await begin('first').answer;
    await begin('second').answer;
    const held = llm.hold({ text: 'a summary' });
    const { answer } = begin('/compact');
    await held.reached;
    cancel();
    await isCancelled(answer);
    held.release();
  });

  it('is a run whose hook does not answer', async () => {
    place.hook('hangs.ts', HANGS);
    await open(['--approve-tools', 'auto']);
    llm.reply(bash('touch never'));
    const { answer } = begin('hi');
    await editor.update(sessionId, 'tool_call');
    cancel();
    await isCancelled(answer);
  });

  it('are prompts that wait, at once', async () => {
    await open();
    const held = llm.hold({ text: 'first' });
    const first = begin('one').answer;
    const second = begin('two').answer;
    await held.reached;
    cancel();
    assert.equal((await second).stopReason, 'cancelled');
    await isCancelled(first);
    held.release();
  });

  it('is only the prompt whose request is cancelled', async () => {
    await open();
    const held = llm.hold({ text: 'first' });
    const first = begin('one');
    const second = begin('two');
    const third = begin('three');
    await held.reached;
    editor.cancelRequest(second.id);
    assert.equal((await second.answer).stopReason, 'cancelled');
    llm.reply({ text: ' third' });
    editor.cancelRequest(first.id);
    assert.equal((await first.answer).stopReason, 'cancelled');
    assert.equal((await third.answer).stopReason, 'end_turn');
    held.release();
    await isCancelled(Promise.resolve({ stopReason: 'cancelled' }));
  });
});
