import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeGuardedAgent } from './support/guarded-agent';

describeGuardedAgent('gemini', {
  order: 5,
  own: { path: '.gemini/settings.json' },
  others: {
    path: '.gemini/settings.json',
    text: `{
  // mine
  "hooks": {
    "AfterAgent": [
      { "hooks": [{ "type": "command", "command": "mkdir -p other" }] }
    ]
  }
}
`,
  },
  switches: {
    files: [['.gemini/settings.json', '{ "hooksConfig": { "enabled": false } }\n']],
    count: true,
    trust: ({ cli }) => {
      const file = join(cli.root, '.gemini', 'trustedFolders.json');
      writeFileSync(file, JSON.stringify({ [cli.cwd]: 'TRUST_FOLDER' }));
    },
  },
});
