import { describeGuardedAgent } from './support/guarded-agent';

describeGuardedAgent('copilot', {
  order: 3,
  own: { path: '.copilot/hooks/hookline.json' },
  others: {
    path: '.copilot/hooks/other.json',
    text: `{
  "version": 1,
  "hooks": {
    "preToolUse": [{ "type": "command", "bash": "mkdir -p other" }]
  }
}
`,
  },
  switches: {
    files: [
      ['.github/hooks/off.json', '{ "version": 1, "disableAllHooks": true, "hooks": {} }\n'],
      ['.github/copilot/settings.json', '{ "disableAllHooks": true }\n'],
      ['.claude/settings.json', '{ "disableAllHooks": true }\n'],
    ],
    count: false,
  },
});
