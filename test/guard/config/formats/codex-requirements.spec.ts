import * as assert from 'node:assert';
import { REQUIREMENTS } from '../../../../src/guard/config/formats/codex-requirements';
import type { GuardEntry } from '../../../../src/guard/config/formats/guard-format';

const ENTRIES: readonly GuardEntry[] = ['PreToolUse', 'Stop'].map(event => ({
  event,
  group: { hooks: [{ type: 'command', command: `bash '/a "b"/guard/client.sh' codex ${event}`, timeout: 3600 }] },
}));

describe('requirements.toml of Codex', () => {
  it('gets our hooks, with hooks turned on for good', () => {
    assert.equal(
      REQUIREMENTS.add('', ENTRIES.slice(0, 1)),
      `[features] # for Hookline
hooks = true # for Hookline

[[hooks.PreToolUse]]
[[hooks.PreToolUse.hooks]]
type = "command"
command = "bash '/a \\"b\\"/guard/client.sh' codex PreToolUse"
timeout = 3600
`,
    );
  });

  for (const [what, text] of Object.entries({
    'of nothing but a comment': '# of the company\n',
    'with features and hooks of others':
      '[features] # ours\nhooks = true\n\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "true"\n',
    'with features that say nothing of hooks':
      'x = """\n[hooks]\n"""\n\n[features]\nother = false\n\n[rules]\na = [1,\n  2]\n',
    'with the folder of managed hooks': '[hooks]\nmanaged_dir = "/x"\n',
  })) {
    it(`keeps a file ${what} byte for byte`, () => {
      const added = REQUIREMENTS.add(text, ENTRIES);
      assert.deepEqual(
        REQUIREMENTS.own(added)
          .map(({ event }) => event)
          .sort(),
        ['PreToolUse', 'Stop'],
      );
      assert.equal(REQUIREMENTS.add(added, ENTRIES), added);
      assert.equal(REQUIREMENTS.remove(added), text);
    });
  }

  it('keeps what others wrote behind our hooks', () => {
    const added = `${REQUIREMENTS.add('', ENTRIES)}\n# theirs\n[other]\na = 1\n`;
    assert.equal(REQUIREMENTS.remove(added), '\n# theirs\n[other]\na = 1\n');
  });

  it('holds nothing when our hooks go from a file that had nothing else', () => {
    assert.equal(REQUIREMENTS.remove(REQUIREMENTS.add('', ENTRIES)), undefined);
  });

  for (const [text, message] of [
    ['a = 1\n[features]\nhooks = false\n', 'features.hooks at line 3 is not true, so Codex would not run the hooks'],
    ['[hooks]\nStop = []\n', 'hooks.Stop at line 2 cannot be added to; write it as [[hooks.Stop]] first'],
    ['a = 1\nb =\n', 'it is not TOML at line 2, column 4'],
    ['a = "x\n', 'it is not TOML at line 1, column 5'],
  ] as const) {
    it(`refuses ${JSON.stringify(text)} and says where`, () => {
      assert.throws(() => REQUIREMENTS.add(text, ENTRIES), { message });
    });
  }
});
