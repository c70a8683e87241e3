import assert from 'node:assert/strict';
import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { usePlaces } from './support/agent-tests';
import { describeGuardedAgent } from './support/guarded-agent';
import { realAgent } from './support/real-agents';

describeGuardedAgent('codex', {
  order: 2,
  own: { path: '.codex/hooks.json', args: ['--dangerously-bypass-approvals-and-sandbox'] },
  others: {
    path: '.codex/hooks.json',
    args: ['--dangerously-bypass-hook-trust'],
    text: `{
  "hooks": {
    "Stop": [
      { "hooks": [{ "type": "command", "command": "mkdir -p other" }] }
    ]
  }
}
`,
  },
  switches: {
    files: [['.codex/config.toml', '[features]\nhooks = false\n']],
    count: true,
    trust: ({ cli }) =>
      appendFileSync(
        join(cli.root, '.codex', 'config.toml'),
        `\n[projects.${JSON.stringify(cli.cwd)}]\ntrust_level = "trusted"\n`,
      ),
  },
});

describe('the trust of Codex in the hooks', () => {
  const place = usePlaces(realAgent('codex'));

  it('is missing, so the call runs, and the status says it', async () => {
    rmSync(join(place().cli.root, '.codex', 'config.toml'));
    await place().run([place().shell('mkdir blocked')]);
    assert.ok(place().hasMade('blocked'));
    const status = await place().command('guard', 'status', 'codex');
    assert.match(status.stdout, /Codex does not trust the entries/);
    assert.equal(status.code, 1);
  });

  it('is there, and Codex shows no warning about them', async () => {
    const { printed } = await place().run([place().shell('mkdir free')]);
    assert.ok(place().hasMade('free'));
    assert.doesNotMatch(printed, /clamping|hooks\.json/);
  });
});
