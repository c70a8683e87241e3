import { describeGuardedAgent } from './support/guarded-agent';

describeGuardedAgent('qwen', {
  order: 6,
  // It adds the version of the settings where that is missing.
  own: { path: '.qwen/settings.json', empty: '{\n  "$version": 4\n}\n' },
  others: {
    path: '.qwen/settings.json',
    text: `{
  // mine
  "$version": 4,
  "hooks": {
    "Stop": [
      { "hooks": [{ "type": "command", "command": "mkdir -p other" }] }
    ]
  }
}
`,
  },
  switches: {
    files: [['.qwen/settings.json', '{ "disableAllHooks": true }\n']],
    count: true,
  },
});
