import { describeGuardedAgent } from './support/guarded-agent';

describeGuardedAgent('droid', {
  order: 5,
  own: { path: '.factory/hooks.json' },
  others: {
    path: '.factory/hooks.json',
    text: `{
  "PreToolUse": [
    { "matcher": "Execute", "hooks": [{ "type": "command", "command": "mkdir -p other" }] }
  ]
}
`,
  },
  switches: {
    files: [
      ['.factory/hooks.json', '{ "hooksDisabled": true }\n'],
      ['.factory/settings.json', '{ "hooks": { "hooksDisabled": true } }\n'],
    ],
    count: true,
  },
});
