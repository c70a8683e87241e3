import assert from 'node:assert/strict';
import type { Question } from '../../../src/session/ports/dialogs';
import { optionText, questionText } from '../../../src/vscode/questions/question-text';
import { HIDING_COMMAND, SHOWN_COMMAND } from '../../support/hidden-text';
import { questionWith } from '../../support/question';

const question = (given: Partial<Question>): Question =>
  questionWith({ dialog: { type: 'confirm' }, title: '', ...given });

describe('questionText', () => {
  it('keeps the command of a title with several lines on the one line that a pick shows', () => {
    const text = questionText(question({ title: 'Dangerous command:\n\n  rm -rf build\n\nAllow?' }));
    assert.equal(text.line, 'Dangerous command: rm -rf build · Allow?');
    assert.equal(text.clipped, false);
  });

  it('joins title and message of a confirm', () => {
    const text = questionText(question({ title: 'Delete?', message: 'This cannot be undone.' }));
    assert.equal(text.line, 'Delete? This cannot be undone.');
  });

  it('has the call once: not on the line where what it is about says it whole', () => {
    const asks = (given: Partial<Question>): readonly string[] => {
      const { line, about } = questionText(question({ about: { tool: 'bash', summary: 'rm -rf build' }, ...given }));
      return [line, about];
    };
    const about = 'bash: rm -rf build';
    assert.deepEqual(asks({ title: 'Run this command?', message: 'rm -rf build\nIt deletes files.' }), [
      'Run this command? It deletes files.',
      about,
    ]);
    assert.deepEqual(asks({ title: 'Dangerous command:\n\n  rm -rf build\n\nAllow?' }), [
      'Dangerous command: Allow?',
      about,
    ]);
    for (const line of ['rm -rf build', 'Run rm -rf build --force?', 'rm -rf build2', 'rm -rf']) {
      assert.deepEqual(asks({ title: line }), [line, about], 'all other texts stay, and so does the only one');
    }
    const lines = asks({ title: 'Run?', message: 'cd x\nrm *', about: { tool: 'bash', summary: 'cd x\nrm *' } });
    assert.deepEqual(lines, ['Run? cd x · rm *', 'bash: cd x · rm *'], 'a command of several lines stays');
  });

  it('keeps the call on the line where what it is about is cut', () => {
    const command = `rm -rf ${'x'.repeat(70)}`;
    const about = { tool: 'bash', summary: command };
    const { line, clipped } = questionText(question({ title: 'Run?', message: command, about }));
    assert.equal(clipped, true);
    assert.match(line, /^Run\? rm -rf x+…x+$/);
  });

  it('says so when it had to cut, and has everything in the full text', () => {
    const command = `rm -rf ${'x'.repeat(200)} /important`;
    const text = questionText(question({ title: 'Allow?', about: { tool: 'bash', summary: command } }));
    assert.equal(text.about.length, 80);
    assert.match(text.about, /^bash: rm -rf x+…x+ \/important$/);
    assert.equal(text.clipped, true);
    assert.ok(text.full.includes(command));
  });

  it('leaves a change to the editor, and keeps lists', () => {
    const asks = (message: string): unknown[] => {
      const { line, clipped, hasDiff } = questionText(question({ title: 'Change a.txt?', message }));
      return [line, clipped, hasDiff];
    };
    const change = ['Change a.txt? …', true, true];
    assert.deepEqual(asks('- old\n+ new'), change);
    assert.deepEqual(asks(' 1 same\n-2 old\n+2 new'), change);
    assert.deepEqual(asks('-1 all of it'), change);
    assert.deepEqual(asks('  9 same\n- 10 old\n 100 same'), change);
    assert.deepEqual(asks('src/a.txt\n\n- old\n+ new'), ['Change a.txt? src/a.txt …', true, true]);
    assert.deepEqual(asks('- 2 tests\n- 3 pages'), ['Change a.txt? - 2 tests · - 3 pages', false, false]);
    assert.deepEqual(asks('plain text'), ['Change a.txt? plain text', false, false]);
  });

  it('knows whether the question is about a write, of the gate or of a hook', () => {
    const call = { toolName: 'write', kind: 'writes', input: { path: 'a.txt', content: '' }, cwd: '/w' } as const;
    const subject = { type: 'call', call, remarks: [], isOfSubagent: false } as const;
    const unclear = { ...call, file: { real: '/w/a.txt', place: 'unclear', use: 'write' } } as const;
    const of = (given: Partial<Question>): boolean => questionText(question(given)).isAboutWrite;
    assert.equal(of({ subject }), true);
    assert.equal(of({ call }), true);
    assert.equal(of({}), false);
    assert.equal(of({ subject: { ...subject, call: { ...call, kind: 'foreign' } } }), false);
    assert.equal(of({ subject: { ...subject, call: unclear } }), false);
  });

  it('shows all of a command with lines that look like a difference', () => {
    const shown = (message: string): unknown[] => {
      const { line, clipped, hasDiff } = questionText(question({ title: 'Run this command?', message }));
      return [line, clipped, hasDiff];
    };
    assert.deepEqual(shown('cat > a <<E\n+ x\nE\nrm -rf ~'), [
      'Run this command? cat > a <<E · + x · E · rm -rf ~',
      false,
      false,
    ]);
    assert.deepEqual(shown('date\n+\t x\nrm -rf ~'), ['Run this command? date · + x · rm -rf ~', false, false]);
    assert.deepEqual(shown('date\n-\n5 x'), ['Run this command? date · - · 5 x', false, false]);
  });

  it('marks characters that hide in what a pick asks about: in the line, in what it is about, in the full text', () => {
    const text = questionText(question({ title: HIDING_COMMAND, about: { tool: '', summary: HIDING_COMMAND } }));
    // A pick shows only the beginning and the end of a long line.
    const [beginning = '', end = ''] = text.line.split('…');
    assert.ok(beginning.length > 20 && SHOWN_COMMAND.startsWith(beginning), text.line);
    assert.ok(end.length > 20 && SHOWN_COMMAND.endsWith(end), text.line);
    assert.equal(text.about, text.line);
    assert.equal(text.full, `${SHOWN_COMMAND}\n\n${SHOWN_COMMAND}`);
    const short = questionText(question({ title: 'run a\u200bb # note\rrm x' }));
    assert.equal(short.line, 'run a⟦U+200B⟧b # note⟦U+000D⟧rm x');
  });
});

describe('optionText', () => {
  it('marks characters that hide in an option', () =>
    assert.deepEqual(optionText('No\u200b\nnot\u202e'), { label: 'No⟦U+200B⟧', detail: 'not⟦U+202E⟧' }));

  it('puts further lines of an option below its label', () => {
    assert.deepEqual(optionText('Yes'), { label: 'Yes' });
    assert.deepEqual(optionText('Keep\nboth files\nas they are'), {
      label: 'Keep',
      detail: 'both files as they are',
    });
  });
});
