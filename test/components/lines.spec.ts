import assert from 'node:assert/strict';
import { Input, renderFakeCursor } from '@mariozechner/pi-tui';
import { checkedLines } from '../../src/components/lines';

describe('lines of a component', () => {
  it('have the cursor of a field as inverse text, and no mark of it', () => {
    assert.deepEqual(checkedLines([`a${renderFakeCursor('b')}c`]), ['a\x1b[7mb\x1b[27mc']);
    const field = new Input();
    field.focused = true;
    field.setValue('ab');
    const [line = ''] = checkedLines(field.render(20));
    assert.ok(line.includes('\x1b[7m') && !line.includes('_pi:fc') && !line.includes('_pi:/fc'), JSON.stringify(line));
  });
});
