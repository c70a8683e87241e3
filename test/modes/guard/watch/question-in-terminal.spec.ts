import assert from 'node:assert/strict';
import type { Answer, DialogKind } from '../../../../src/hook-contract/ui/ui';
import { questionInTerminal } from '../../../../src/modes/guard/watch/question-in-terminal';

/** Answers with these lines, one for each time that it is asked. */
async function answered(
  dialog: DialogKind,
  ...lines: readonly (string | undefined)[]
): Promise<{ readonly answer: Answer; readonly shown: readonly string[] }> {
  const left = [...lines];
  const shown: string[] = [];
  const ask = (text: string): Promise<string | undefined> => {
    shown.push(text);
    assert.notEqual(left.length, 0, `asked once more: ${text}`);
    return Promise.resolve(left.shift());
  };
  const answer = await questionInTerminal(ask, { title: 'Run it?', message: 'rm -rf build', dialog });
  assert.deepEqual(left, [], 'not asked often enough');
  return { answer, shown };
}

const THREE: DialogKind = { type: 'select', options: ['Yes', 'Dry run', 'No'] };

describe('a question of a hook in the terminal of guard watch', () => {
  it('shows its title, its text and its options with numbers, and takes a number', async () => {
    const { answer, shown } = await answered(THREE, '2');
    assert.equal(answer, 'Dry run');
    assert.deepEqual(shown, [
      'Run it?\n\nrm -rf build\n  1  Yes\n  2  Dry run\n  3  No\nNumber from 1 to 3 (Enter alone: No): ',
    ]);
  });

  for (const [dialog, expected] of [
    [THREE, 'No'],
    [{ type: 'select', options: ['Yes', 'Later'] }, undefined],
    [{ type: 'select', options: ['No', 'Cancel', 'Yes'] }, undefined],
    [{ type: 'select', options: ['Allow', 'Ask me'], usual: 'Ask me' }, 'Ask me'],
    [{ type: 'confirm' }, false],
    [{ type: 'input', placeholder: 'name' }, undefined],
    [{ type: 'editor', prefill: 'rm -rf build' }, undefined],
  ] as const) {
    it(`allows nothing by Enter alone: ${JSON.stringify(dialog)}`, async () => {
      assert.equal((await answered(dialog, '')).answer, expected);
    });
  }

  it('is asked again after what is no number of an option', async () => {
    assert.equal(await answered(THREE, '0', '4', '-1', 'Yes', '1.5', '1 ').then(({ answer }) => answer), 'Yes');
  });

  it('takes only the whole word for a yes', async () => {
    assert.equal((await answered({ type: 'confirm' }, 'y', 'ja', 'yess', ' YES ')).answer, true);
    assert.equal((await answered({ type: 'confirm' }, 'n', 'no')).answer, false);
  });

  it('takes a line as it is for a text', async () => {
    assert.equal((await answered({ type: 'input', placeholder: '' }, ' two words ')).answer, ' two words ');
  });

  it('is cancelled where nobody can be asked', async () => {
    assert.equal((await answered({ type: 'confirm' }, undefined)).answer, undefined);
  });

  it('ends with the signal that withdraws it', async () => {
    const withdrawn = new AbortController();
    const ask = (_: string, signal?: AbortSignal): Promise<string> =>
      new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)));
    const asked = questionInTerminal(ask, { title: 'Run it?', message: '', dialog: THREE }, withdrawn.signal);
    withdrawn.abort();
    await assert.rejects(asked, { name: 'AbortError' });
  });
});
