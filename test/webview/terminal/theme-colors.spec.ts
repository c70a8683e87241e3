import assert from 'node:assert/strict';
import { BACKGROUND_COLORS, FOREGROUND_COLORS, paletteOf } from '../../../src/hook-contract/ui/theme';
import { opaqueColor, themeColors } from '../../../webview/terminal/theme-colors';
import themes from '../harness/themes.json';

describe('colours of VS Code for hooks', () => {
  for (const [theme, variables] of Object.entries(themes)) {
    it(`have a value for every name of pi's theme in ${theme}`, () => {
      const values: Readonly<Record<string, string>> = variables;
      const colors = themeColors(name => values[`--vscode-${name}`] ?? '');
      for (const [name, color] of Object.entries(colors)) assert.match(color, /^(#[0-9a-f]{6})?$/, name);
      assert.deepEqual(Object.keys(paletteOf(colors)).length, Object.keys(colors).length, 'each name is one of pi');
      const missing = [...FOREGROUND_COLORS, ...BACKGROUND_COLORS].filter(name => !(name in colors));
      assert.deepEqual(
        missing.filter(name => !['userMessageText', 'customMessageText', 'syntaxOperator'].includes(name)),
        [],
      );
    });
  }

  it('are laid over the ground where they are transparent, and left out where they are none', () => {
    assert.equal(opaqueColor('#fff', [0, 0, 0]), '#ffffff');
    assert.equal(opaqueColor('#ffffff80', [0, 0, 0]), '#808080');
    assert.equal(opaqueColor('rgba(255, 0, 0, 0.5)', [255, 255, 255]), '#ff8080');
    assert.equal(opaqueColor('rgb(1 2 3 / 1)', [0, 0, 0]), '#010203');
    for (const none of ['', 'red', '#12345', 'rgb(x)', 'var(--x)']) {
      assert.equal(opaqueColor(none, [0, 0, 0]), undefined);
    }
  });
});
