import { describeGuardedAgent } from './support/guarded-agent';

describeGuardedAgent('claude', {
  order: 1,
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
  switch: { path: '.claude/settings.json', text: '{ "disableAllHooks": true }\n' },
});
