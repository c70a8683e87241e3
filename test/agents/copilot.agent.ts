import { describeGuardedAgent } from './support/guarded-agent';

describeGuardedAgent('copilot', {
  order: 3,
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
});
