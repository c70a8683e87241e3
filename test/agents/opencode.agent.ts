import { describeGuardedAgent } from './support/guarded-agent';
import { describePlugin } from './support/plugin';

describeGuardedAgent('opencode', {
  order: 7,
  own: { path: '.config/opencode/plugin/hookline.js' },
  others: {
    path: '.config/opencode/plugin/other.js',
    text: `import { mkdirSync } from 'node:fs';
export const Other = async () => ({ 'tool.execute.before': async () => mkdirSync('other', { recursive: true }) });
`,
  },
  switches: {
    files: [
      ['opencode.json', '{ "plugin": [] }\n'],
      ['.env', 'OPENCODE_PURE=1\n'],
      ['bunfig.toml', 'preload = ["./off.js"]\n'],
      ['off.js', "process.env.OPENCODE_PURE = '1';\n"],
    ],
    count: false,
  },
});

describePlugin('opencode');
