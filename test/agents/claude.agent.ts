import { describeGuardedAgent } from './support/guarded-agent';

describeGuardedAgent('claude', {
  order: 1,
  own: { path: '.claude/settings.json' },
  others: {
    path: '.claude/settings.json',
    text: `{
  "permissions": { "allow": ["Bash(ls:*)"] },
  "hooks": {
    "PreToolUse": [
      { "matcher": "Bash", "hooks": [{ "type": "command", "command": "mkdir -p other" }] }
    ]
  }
}
`,
  },
  switches: { files: [['.claude/settings.json', '{ "disableAllHooks": true }\n']], count: true },
});
