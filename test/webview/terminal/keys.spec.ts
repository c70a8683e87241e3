import assert from 'node:assert/strict';
import { isKeyRelease, matchesKey, type KeyId } from '@mariozechner/pi-tui';
import {
  belongsToEditor,
  encodeKey,
  encodePaste,
  encodeRelease,
  isPaste,
  keyName,
  keyNames,
  shortcutName,
  type PressedKey,
} from '../../../webview/terminal/keys';

function press(key: string, held = '', code = ''): PressedKey {
  const has = (name: string): boolean => held.includes(name);
  return { key, code, shiftKey: has('shift'), ctrlKey: has('ctrl'), altKey: has('alt'), metaKey: has('meta') };
}

/** Keys as the browser names them, and as pi-tui does. */
const PLAIN: readonly (readonly [string, KeyId])[] = [
  ['ArrowUp', 'up'],
  ['ArrowDown', 'down'],
  ['ArrowLeft', 'left'],
  ['ArrowRight', 'right'],
  ['Home', 'home'],
  ['End', 'end'],
  ['PageUp', 'pageUp'],
  ['PageDown', 'pageDown'],
  ['Insert', 'insert'],
  ['Delete', 'delete'],
  ['Enter', 'enter'],
  ['Tab', 'tab'],
  ['Escape', 'escape'],
  ['Backspace', 'backspace'],
  [' ', 'space'],
  ['a', 'a'],
  ['7', '7'],
  ['?', '?'],
  ...(['F2', 'F3', 'F4', 'F5', 'F6', 'F7', 'F8', 'F9', 'F10', 'F11', 'F12'] as const).map(
    key => [key, key.toLowerCase() as KeyId] as const,
  ),
];

describe('keys as a terminal sends them', () => {
  for (const [key, name] of PLAIN) {
    it(`${name} is understood by pi-tui`, () => {
      const data = encodeKey(press(key));
      assert.ok(data !== undefined && matchesKey(data, name), JSON.stringify(data));
      assert.equal(isKeyRelease(data), false);
    });
  }

  for (const [key, held, name] of [
    ['Enter', 'shift', 'shift+enter'],
    ['Enter', 'alt', 'alt+enter'],
    ['Enter', 'ctrl', 'ctrl+enter'],
    ['Tab', 'shift', 'shift+tab'],
    ['Backspace', 'alt', 'alt+backspace'],
    ['Backspace', 'ctrl', 'ctrl+backspace'],
    ['ArrowLeft', 'ctrl', 'ctrl+left'],
    ['ArrowRight', 'alt', 'alt+right'],
    ['ArrowUp', 'shift', 'shift+up'],
    ['ArrowDown', 'ctrl shift', 'ctrl+shift+down'],
    ['PageUp', 'ctrl', 'ctrl+pageUp'],
    ['Delete', 'shift', 'shift+delete'],
    ['c', 'ctrl', 'ctrl+c'],
    ['[', 'ctrl', 'ctrl+['],
    ['x', 'alt', 'alt+x'],
    ['X', 'ctrl shift', 'ctrl+shift+x'],
    ['x', 'ctrl alt', 'ctrl+alt+x'],
    ['X', 'shift', 'shift+x'],
    ['7', 'ctrl', 'ctrl+7'],
    [' ', 'ctrl', 'ctrl+space'],
  ] as const) {
    it(`${name} is understood by pi-tui`, () => {
      const data = encodeKey(press(key, held));
      assert.ok(data !== undefined && matchesKey(data, name), JSON.stringify(data));
    });
  }

  it('Shift+Enter has the form of the Kitty protocol', () => {
    assert.equal(encodeKey(press('Enter', 'shift')), '\x1b[13;2u');
  });

  for (const [key, name] of PLAIN.filter(([one]) => !/^F\d/.test(one))) {
    it(`the release of ${name} is told apart`, () => {
      const data = encodeRelease(press(key));
      assert.ok(data !== undefined && isKeyRelease(data), JSON.stringify(data));
      assert.ok(matchesKey(data, name), JSON.stringify(data));
    });
  }

  it('characters of other layouts come as they are typed', () => {
    assert.equal(encodeKey(press('ä')), 'ä');
    assert.equal(encodeKey(press('漢')), '漢');
    assert.equal(encodeKey({ ...press('@', 'ctrl alt'), getModifierState: () => true }), '@');
    // On a Mac, Alt gives another character; the letter of the key counts.
    assert.equal(encodeKey(press('≈', 'alt', 'KeyX')), '\x1bx');
  });

  it('what is no key sends nothing', () => {
    for (const key of ['Shift', 'Control', 'Dead', 'CapsLock', 'Process', 'AudioVolumeUp']) {
      assert.equal(encodeKey(press(key)), undefined);
      assert.equal(encodeRelease(press(key)), undefined);
    }
  });

  it('leaves VS Code its own', () => {
    assert.deepEqual(
      [press('F1'), press('P', 'ctrl shift'), press('c', 'meta'), press('Tab', 'ctrl')].map(belongsToEditor),
      [true, true, true, true],
    );
    assert.deepEqual([press('p', 'ctrl'), press('F2'), press('Tab'), press('Escape')].map(belongsToEditor), [
      false,
      false,
      false,
      false,
    ]);
  });

  it('pastes as one piece that cannot end early', () => {
    assert.equal(isPaste(press('v', 'ctrl')), true);
    assert.equal(isPaste(press('V', 'ctrl shift')), true);
    assert.equal(isPaste(press('Insert', 'shift')), true);
    assert.equal(isPaste(press('v')), false);
    assert.equal(encodePaste('a\r\nb\x1b[201~c'), '\x1b[200~a\nbc\x1b[201~');
  });

  it('names shortcuts alike, in whatever order they were written', () => {
    assert.equal(keyName(press('X', 'ctrl shift', 'KeyX')), shortcutName('Shift+Ctrl+X'));
    assert.equal(keyName(press('ArrowUp', 'alt')), shortcutName('alt+up'));
    assert.equal(keyName(press('≈', 'alt', 'KeyX')), shortcutName('alt+x'));
    assert.equal(keyName(press('Enter', 'ctrl')), shortcutName('ctrl+return'));
    assert.equal(keyName(press('F5')), shortcutName('f5'));
    assert.notEqual(keyName(press('x', 'ctrl')), shortcutName('ctrl+shift+x'));
    assert.equal(keyName(press('k', 'meta')), shortcutName('super+k'));
    assert.equal(keyName(press('F12', 'ctrl alt')), shortcutName('alt+ctrl+f12'));
  });

  it('names symbols with and without the Shift that types them', () => {
    assert.deepEqual(keyNames(press('?', 'ctrl shift', 'Slash')), [
      shortcutName('ctrl+shift+?'),
      shortcutName('ctrl+?'),
    ]);
    assert.deepEqual(keyNames(press('+', 'ctrl shift', 'Equal')).at(-1), shortcutName('ctrl++'));
    assert.deepEqual(keyNames(press('-', 'ctrl', 'Minus')), [shortcutName('ctrl+-')]);
    assert.deepEqual(keyNames(press('A', 'shift', 'KeyA')), [shortcutName('shift+a')]);
  });
});
