import assert from 'node:assert/strict';
import { trustWarning } from '../../../src/modes/start/trust-text';

describe('the warning about a folder that is not trusted', () => {
  const UNDECIDED = { current: { trusted: false, reason: { by: 'nobody' } }, protectedParts: ['.pi/hooks'] } as const;
  const warned = (...more: readonly string[]): string => {
    const lines: string[] = [];
    trustWarning(UNDECIDED, line => lines.push(line), ...more)();
    return lines.join('\n');
  };

  it('says how a person trusts it in a terminal, or where they are', () => {
    const begin =
      'Warning: this folder is not trusted, because nobody has decided to trust it. Not used: .pi/hooks. To trust it, ';
    const end = '. To use it only once, start with --approve.';
    assert.equal(warned(), `${begin}run "hookline trust" in it${end}`);
    assert.equal(warned('send /trust'), `${begin}send /trust${end}`);
  });
});
