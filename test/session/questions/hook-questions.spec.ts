import assert from 'node:assert/strict';
import type { HookConversation } from '../../../src/hook-contract/conversation-port';
import type { Answer, HookQuestion } from '../../../src/hook-contract/ui/ui';
import { DialogQueue, type Question } from '../../../src/session/ports/dialogs';
import { SessionEvents } from '../../../src/session/ports/session-events';
import { HookQuestions } from '../../../src/session/questions/hook-questions';

const CALL = 'call-1';

/** A question about a call of which the hook knows nothing but the id. */
const QUESTION: HookQuestion = {
  title: 'Run it?',
  message: '',
  dialog: { type: 'confirm' },
  asker: { type: 'deciding' },
  origin: { hookPath: '/w/.pi/hooks/gate.ts', event: 'tool_call', toolCallId: CALL },
};

describe('the questions of hooks', () => {
  let events: SessionEvents;
  let questions: HookQuestions;
  let shown: Question[];
  let answer: Answer;
  beforeEach(() => {
    events = new SessionEvents();
    shown = [];
    answer = false;
    const dialogs = new DialogQueue(assert.ifError);
    dialogs.addView({
      show: (question, give) => {
        shown.push(question);
        give(answer);
        return { dispose: () => undefined };
      },
    });
    const conversation: Pick<HookConversation, 'id' | 'signal'> = { id: 'chat-1', signal: undefined };
    questions = new HookQuestions({
      events,
      dialogs,
      conversation: conversation as HookConversation,
      neighbours: undefined,
    });
  });

  const begin = (): void => {
    const step = { type: 'tool_execution_start', toolCallId: CALL, toolName: 'bash', args: { command: 'ls' } } as const;
    events.fire({ type: 'step', step, byUser: false });
  };
  const end = (): void => {
    events.fire({
      type: 'step',
      step: {
        type: 'tool_execution_end',
        toolCallId: CALL,
        toolName: 'bash',
        result: { content: [], details: undefined },
        isError: false,
        outcome: { type: 'done' },
      },
      byUser: false,
    });
  };
  const settle = (): void => events.fire({ type: 'agent_settled', aborted: true });
  const about = async (): Promise<Question['about']> => {
    await questions.ask(QUESTION);
    return shown.at(-1)?.about;
  };

  it('say which call they are about, until the call has ended', async () => {
    begin();
    assert.deepEqual(await about(), { tool: 'bash', summary: 'ls' });
    end();
    assert.equal(await about(), undefined);
  });

  it('forget a call without an end when the run has settled', async () => {
    begin();
    settle();
    assert.equal(await about(), undefined);
  });

  it('give the reason of a denial once', async () => {
    answer = { denied: 'use the other folder' };
    await questions.ask(QUESTION);
    assert.equal(questions.takeDenial(CALL), 'use the other folder');
    assert.equal(questions.takeDenial(CALL), undefined);
  });

  it('of the built-in gate keep no reason: it may be about a call of an agent that the named call started', async () => {
    answer = { denied: 'use the other folder' };
    await questions.ask({ ...QUESTION, asker: { type: 'gate' } });
    assert.equal(questions.takeDenial(CALL), undefined);
  });

  it('about a gate that does not run keep the reason of a denial', async () => {
    answer = { denied: 'use the other folder' };
    await questions.ask({ ...QUESTION, asker: { type: 'gate' }, instead: 'missing-guard' });
    assert.equal(questions.takeDenial(CALL), 'use the other folder');
  });

  it('forget the reason of a denial that nobody took when the run has settled', async () => {
    answer = { denied: 'use the other folder' };
    await questions.ask(QUESTION);
    settle();
    assert.equal(questions.takeDenial(CALL), undefined);
  });
});
