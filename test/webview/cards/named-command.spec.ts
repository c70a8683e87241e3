import assert from 'node:assert/strict';
import { partsOf } from '../../../webview/cards/gate/named-command';

const COMMAND = 'rm -rf build && npm run build';
const BOX = `[${COMMAND}]`;
const shown = (title: string, message = '', command: string | undefined = COMMAND): readonly string[] =>
  partsOf(title, message, command).map(part => (part.type === 'command' ? `[${part.command}]` : part.text));

describe('the command in the texts of a question', () => {
  it('takes the place where a text has it on lines of its own', () => {
    assert.deepEqual(shown(`Dangerous command:\n\n  ${COMMAND}\n\nAllow?`), ['Dangerous command:', BOX, 'Allow?']);
    assert.deepEqual(shown('Run this command?', COMMAND), ['Run this command?', BOX]);
    assert.deepEqual(shown('Allow?', `Command: ${COMMAND}\n  Folder: /w`), ['Allow?', 'Command:', BOX, '  Folder: /w']);
    assert.deepEqual(shown(COMMAND, 'Allow it?'), [BOX, 'Allow it?']);
    const lines = 'cd build\n  rm -rf *';
    assert.deepEqual(shown(`Run?\n${lines}\n`, '', lines), ['Run?', `[${lines}]`]);
  });

  it('follows the title where no text has it', () => {
    assert.deepEqual(shown('Are you sure?', 'It deletes files.'), ['Are you sure?', BOX, 'It deletes files.']);
    assert.deepEqual(shown('', 'It deletes files.'), [BOX, 'It deletes files.']);
  });

  it('stands once: a text that is only the command is left out, and no box repeats one between quotes', () => {
    assert.deepEqual(shown(`Run:\n${COMMAND}`, COMMAND), ['Run:', BOX]);
    for (const quoted of [`"${COMMAND}"`, `“${COMMAND}”`, `\`${COMMAND}\``]) {
      assert.deepEqual(shown(`Allow ${quoted}?`, COMMAND), [`Allow ${quoted}?`]);
    }
  });

  it('is shown beside a text that has more or less than the command', () => {
    for (const text of [
      `Run ${COMMAND} --dry-run?`,
      `${COMMAND} --dry-run`,
      `echo ${COMMAND}`,
      `"${COMMAND} --dry-run"`,
      `"${COMMAND}'`,
      'rm -rf build',
    ]) {
      assert.deepEqual(shown(text), [text, BOX], text);
    }
  });

  it('leaves texts as they are where there is no command', () => {
    assert.deepEqual(partsOf('  Title\n', ' a\n\n  b ', undefined), [
      { type: 'title', text: '  Title\n' },
      { type: 'message', text: ' a\n\n  b ' },
    ]);
    assert.deepEqual(shown('Title', ' \n', ' '), ['Title']);
  });
});
