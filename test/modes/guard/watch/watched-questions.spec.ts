import assert from 'node:assert/strict';
import type { Answer } from '../../../../src/hook-contract/ui/ui';
import { WatchedQuestions } from '../../../../src/modes/guard/watch/watched-questions';
import { until } from '../../support/cli';

type Asked = Parameters<WatchedQuestions['add']>[0];

const question = (id: string, title = `Question ${id}?`): Asked => ({
  id,
  folder: '/work/shop',
  question: {
    id,
    hook: { path: '/work/shop/.pi/hooks/gate.ts', name: 'gate.ts' },
    title,
    message: '',
    dialog: { type: 'confirm' },
    asker: { type: 'deciding' },
    conversationId: 'c1',
    guarded: { agent: 'Codex', folder: 'shop' },
  },
});

/** A terminal in which a person answers when the test says so. */
class Terminal {
  readonly printed: string[] = [];
  readonly answers: [string, Answer][] = [];
  readonly asked: string[] = [];
  interrupts = 0;
  private reply: ((line: string) => void) | undefined;
  private fail: ((error: Error) => void) | undefined;
  readonly questions = new WatchedQuestions({
    ask: (text, signal) => {
      assert.equal(this.reply, undefined, 'two questions at once');
      this.asked.push(text);
      return new Promise<string>((resolve, reject) => {
        this.reply = resolve;
        this.fail = reject;
        signal?.addEventListener('abort', () => this.interrupt(signal.reason as Error));
      }).finally(() => (this.reply = undefined));
    },
    answered: (id, answer) => this.answers.push([id, answer]),
    print: line => this.printed.push(line),
    onInterrupt: () => (this.interrupts += 1),
  });

  async type(line: string): Promise<void> {
    await this.whenAsked();
    this.reply?.(line);
  }

  interrupt(error: Error = new DOMException('Ctrl+C', 'AbortError')): void {
    this.fail?.(error);
  }

  async whenAsked(): Promise<void> {
    await until(() => this.reply !== undefined, 'a question');
  }
}

describe('the questions of guard watch', () => {
  it('are asked one after the other, each with the agent and the folder', async () => {
    const terminal = new Terminal();
    terminal.questions.add(question('1'));
    terminal.questions.add(question('2'));
    await terminal.type('yes');
    await until(() => terminal.answers.length === 1, 'the first answer');
    await terminal.type('no');
    await until(() => terminal.answers.length === 2, 'the second answer');
    assert.deepEqual(terminal.answers, [
      ['1', true],
      ['2', false],
    ]);
    assert.match(terminal.asked[0] ?? '', /^\nCodex asks in \/work\/shop:\nQuestion 1\?\n/);
    assert.match(terminal.asked[1] ?? '', /Question 2\?/);
  });

  it('give no answer when they are closed, whether they are open or wait', async () => {
    const terminal = new Terminal();
    for (const id of ['1', '2', '3']) terminal.questions.add(question(id));
    await terminal.whenAsked();
    terminal.questions.close('2');
    terminal.questions.close('1');
    terminal.questions.close('unknown');
    await until(() => terminal.asked.length === 2, 'the next question');
    await terminal.type('yes');
    await until(() => terminal.answers.length > 0, 'the answer');
    assert.deepEqual(terminal.answers, [['3', true]]);
    assert.match(terminal.printed[0] ?? '', /question is closed/);
    assert.equal(terminal.interrupts, 0);
  });

  it('hold back the lines of calls until they are answered', async () => {
    const terminal = new Terminal();
    terminal.questions.print('before');
    terminal.questions.add(question('1'));
    await terminal.whenAsked();
    terminal.questions.print('meanwhile');
    assert.deepEqual(terminal.printed, ['before']);
    await terminal.type('');
    await until(() => terminal.printed.length === 2, 'the line');
    assert.deepEqual(terminal.answers, [['1', false]], 'Enter alone is a no');
  });

  it('end with Ctrl+C without an answer, so that they stay open for others', async () => {
    const terminal = new Terminal();
    terminal.questions.add(question('1'));
    terminal.questions.add(question('2'));
    await terminal.whenAsked();
    terminal.interrupt();
    await until(() => terminal.interrupts === 1, 'the end');
    terminal.questions.add(question('3'));
    assert.equal(terminal.asked.length, 1);
    assert.deepEqual(terminal.answers, []);
  });
});
