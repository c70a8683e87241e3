import assert from 'node:assert/strict';
import {
  comingUp,
  openedAtOnce,
  typingIn,
  type ComingUp,
  type Typing,
} from '../../../src/vscode/questions/prompt-rules';
import type { Asker, DialogKind } from '../../../src/hook-contract/ui/ui';

const DIALOGS: readonly DialogKind['type'][] = ['select', 'confirm', 'input', 'editor'];
const GATE: Asker = { type: 'gate' };
const FOLLOWING: Asker = { type: 'gate', follows: true };
const DECIDING: Asker = { type: 'deciding' };
const LISTENING: Asker = { type: 'listening' };
const COMMAND: Asker = { type: 'command', actedAt: 5_000 };

/** The user typed before the command of {@link COMMAND} started, and answered nothing in a prompt. */
const USUAL = { answeredInPrompt: false, lastActivity: 4_000 };

const inOrder = <V>(one: (dialog: DialogKind['type']) => V): readonly V[] => DIALOGS.map(one);

describe('how the prompt of a question comes up', () => {
  const ROWS: readonly (readonly [string, Asker, Partial<typeof USUAL>, readonly ComingUp[]])[] = [
    ['the gate', GATE, {}, ['onRequest', 'onRequest', 'onRequest', 'onRequest']],
    ['the gate, after another answer in a prompt', GATE, { answeredInPrompt: true }, Array(4).fill('onRequest')],
    ['the gate that asks on, after an answer on the card', FOLLOWING, {}, Array(4).fill('onRequest')],
    [
      'the gate that asks on, after an answer in a prompt',
      FOLLOWING,
      { answeredInPrompt: true },
      Array(4).fill('atOnce'),
    ],
    ['code that decides', DECIDING, {}, ['whenQuiet', 'whenQuiet', 'onRequest', 'onRequest']],
    [
      'code that decides, after an answer in a prompt',
      DECIDING,
      { answeredInPrompt: true },
      ['whenQuiet', 'whenQuiet', 'onRequest', 'onRequest'],
    ],
    ['code that changes nothing', LISTENING, {}, Array(4).fill('whenQuiet')],
    ['a command', COMMAND, {}, Array(4).fill('atOnce')],
    ['a command that the key started which was last', COMMAND, { lastActivity: 5_000 }, Array(4).fill('atOnce')],
    ['a command, and the user typed since', COMMAND, { lastActivity: 5_001 }, Array(4).fill('whenQuiet')],
  ];
  for (const [who, asker, expectation, ways] of ROWS) {
    it(`of ${who}: ${DIALOGS.map((dialog, index) => `${dialog} ${ways[index]}`).join(', ')}`, () => {
      assert.deepEqual(
        inOrder(dialog => comingUp(asker, dialog, { ...USUAL, ...expectation })),
        ways,
      );
    });
  }

  it('never opens a dialog of the gate by itself, whatever the user did before', () => {
    for (const answeredInPrompt of [true, false]) {
      for (const lastActivity of [-Infinity, 0, Infinity]) {
        for (const dialog of DIALOGS) {
          assert.equal(comingUp(GATE, dialog, { answeredInPrompt, lastActivity }), 'onRequest');
          assert.notEqual(comingUp(FOLLOWING, dialog, { answeredInPrompt, lastActivity }), 'whenQuiet');
        }
      }
    }
  });

  it('is expected of a command for five seconds, and else of what follows from an answer', () => {
    assert.equal(openedAtOnce(COMMAND, 5_000), 'expected');
    assert.equal(openedAtOnce(COMMAND, 10_000), 'expected');
    assert.equal(openedAtOnce(COMMAND, 10_001), 'byItself');
    assert.equal(openedAtOnce(FOLLOWING, 1e9), 'expected');
  });
});

describe('what typing does in the prompt of a question', () => {
  const ROWS: readonly (readonly [string, Asker, readonly Typing[], readonly Typing[]])[] = [
    ['the gate', GATE, ['wholeAnswer', 'wholeAnswer', 'text', 'text'], ['nothing', 'nothing', 'text', 'text']],
    [
      'code that decides',
      DECIDING,
      ['wholeAnswer', 'wholeAnswer', 'text', 'text'],
      ['nothing', 'nothing', 'text', 'text'],
    ],
    [
      'code that changes nothing',
      LISTENING,
      ['wholeAnswer', 'wholeAnswer', 'text', 'text'],
      ['nothing', 'nothing', 'text', 'text'],
    ],
    ['a command', COMMAND, ['filter', 'wholeAnswer', 'text', 'text'], ['nothing', 'nothing', 'text', 'text']],
  ];
  for (const [who, asker, expected, byItself] of ROWS) {
    it(`of ${who}: ${expected.join(', ')}; where it opened by itself: ${byItself.join(', ')}`, () => {
      assert.deepEqual(
        inOrder(dialog => typingIn(asker, dialog, 'expected')),
        expected,
      );
      assert.deepEqual(
        inOrder(dialog => typingIn(asker, dialog, 'byItself')),
        byItself,
      );
    });
  }
});
