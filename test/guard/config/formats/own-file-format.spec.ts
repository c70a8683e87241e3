import assert from 'node:assert/strict';
import { ownFileFormat, OWN_FILE_MARK } from '../../../../src/guard/config/formats/own-file-format';

const ENTRY = { event: 'PreToolUse', group: { command: 'client' } };
const format = ownFileFormat(entries => `#!/bin/sh\n# ${OWN_FILE_MARK}\n${JSON.stringify(entries)}\n`);
const OWN = format.add('', [ENTRY]);
const OTHERS = '#!/bin/sh\nexit 0\n';

describe('a file that is ours as a whole', () => {
  it('is written where there is none, and again after a change', () => {
    assert.equal(OWN, `#!/bin/sh\n# ${OWN_FILE_MARK}\n[{"event":"PreToolUse","group":{"command":"client"}}]\n`);
    assert.equal(format.add(`${OWN}exit 0\n`, [ENTRY]), OWN);
  });

  it('goes as a whole', () => {
    assert.equal(format.remove(OWN), undefined);
  });

  it('is never written over a file of somebody else, and that file stays', () => {
    assert.throws(() => format.add(OTHERS, [ENTRY]), /^Error: it is not a file of Hookline$/);
    assert.equal(format.remove(OTHERS), OTHERS);
    assert.deepEqual(format.own(OTHERS), []);
  });

  it('is one entry, which changes with its text', () => {
    const [entry, ...others] = format.own(OWN);
    assert.deepEqual(others, []);
    assert.notDeepEqual(format.own(OWN.replace('PreToolUse', 'Stop')), [entry]);
  });
});
