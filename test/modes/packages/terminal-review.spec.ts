import assert from 'node:assert/strict';
import { visibleLine } from '../../../src/base/text/visible-text';
import { reportText } from '../../../src/modes/packages/terminal-review';

describe('a preview in the terminal', () => {
  it('has only its own lines and sections, whatever the texts of the package are', () => {
    const forged = 'a\n\nGates\n  none\u2028\u202Etxet\u001B[2J\u009B2J\r\tz';
    const places = [{ file: `${forged}.ts`, line: 1 }];
    const text = reportText({
      title: forged,
      description: forged,
      facts: [forged, 'MIT'],
      sections: [{ title: 'Tools', lines: [{ text: forged, note: forged, places }] }],
    });
    const shown = visibleLine(forged);
    assert.ok(!shown.includes('\n') && shown.includes('⟦U+202E⟧'));
    const lines = [shown, shown, `${shown} · MIT`, '', 'Tools', `  ${shown} – ${shown}  (${shown}.ts:1)`, ''];
    assert.deepEqual(text.split('\n'), lines);
  });
});
