import { describeGuardedAgent } from './support/guarded-agent';
import { describePlugin } from './support/plugin';

describeGuardedAgent('kilo', {
  order: 8,
  own: { path: '.config/kilo/plugin/hookline.js' },
  others: {
    path: '.config/kilo/plugin/other.js',
    text: `import { mkdirSync } from 'node:fs';
export const Other = async () => ({ 'tool.execute.before': async () => mkdirSync('other', { recursive: true }) });
`,
  },
  switches: {
    files: [
      ['kilo.json', '{ "plugin": [] }\n'],
      ['.env', 'KILO_PURE=1\n'],
      ['bunfig.toml', 'preload = ["./off.js"]\n'],
      ['off.js', "process.env.KILO_PURE = '1';\n"],
    ],
    count: false,
  },
});

describePlugin('kilo');
