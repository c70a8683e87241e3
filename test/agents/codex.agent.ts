import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeGuardedAgent } from './support/guarded-agent';

describeGuardedAgent('codex', {
  order: 2,
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
  switch: {
    path: '.codex/config.toml',
    text: '[features]\nhooks = false\n',
    trust: ({ cli }) =>
      appendFileSync(
        join(cli.root, '.codex', 'config.toml'),
        `\n[projects.${JSON.stringify(cli.cwd)}]\ntrust_level = "trusted"\n`,
      ),
  },
});
