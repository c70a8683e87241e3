import assert from 'node:assert/strict';
import { convertHook } from '../../../src/hook-authoring/convert/convert-hook';
import { babel, HOOKS, whole } from './support';

describe('converting imports', () => {
  it('points at each module that goes on speaking of the old hook API, and at no other', () => {
    const texts: Readonly<Record<string, string>> = {
      './gate.ts': 'export const gate = async (event, ctx) => (await ctx.ui.select("?", ["a"])) === null;',
      './listen.ts':
        'import type { HookAPI } from "x";\nexport const listen = (api: HookAPI) => api.on("session", () => {});',
      './words.ts': 'export const words = ["rm", "sudo"];',
      './required.ts': 'module.exports = pi => pi.on("session", () => {});',
    };
    const text = `${HOOKS}import { gate } from './gate.ts';
import { words } from './words.ts';
import type { Only } from './listen.ts';
export { listen } from './listen.ts';
import data from './data.json';
const required = require('./required.ts');
export default function (pi: HookAPI) {
  pi.on('tool_call', gate);
  void [words, data, required];
}
`;
    const result = convertHook({ file: '/hooks/one.ts', text, babel, dialect: 'v1', textOf: name => texts[name] });
    assert.ok(result.ok, JSON.stringify(result));
    const looks = result.value.text
      .split('\n')
      .flatMap((line, index, lines) =>
        line.startsWith('// Needs a look') ? [`${line} | ${lines[index + 1] ?? ''}`] : [],
      );
    const look = (name: string, line: string): string =>
      `// Needs a look: ${name} was not converted. From now on, it gets objects of the newest dialect from this hook. | ${line}`;
    assert.deepEqual(looks, [
      look('./gate.ts', `import { gate } from './gate.ts';`),
      look('./listen.ts', `export { listen } from './listen.ts';`),
      look('./required.ts', `const required = require('./required.ts');`),
    ]);
    assert.deepEqual(
      whole('v1', text).remarks.filter(({ message }) => message.startsWith('./gate.ts')),
      [{ severity: 'note', line: 2, column: 1, message: './gate.ts is a separate file and was not converted.' }],
    );
  });

  it('renames imports, those with another name and of other packages, too', () => {
    const text = `import { type HookAPI as Api, messageTransformer, isBashToolResult } from "@oh-my-pi/pi-coding-agent/hooks";
import { isArrowUp, isShiftCtrlP, Text } from '@mariozechner/pi-tui';
export default function (pi: Api) {
  pi.on('agent_end', event => { messageTransformer(event.messages); isArrowUp('x'); isShiftCtrlP('y'); isBashToolResult; Text; });
}
`;
    assert.equal(
      whole('omp', text).text,
      `import { type ExtensionAPI as Api, convertToLlm, isBashToolResult } from "@earendil-works/pi-coding-agent";
import { Text } from '@earendil-works/pi-tui';
import { matchesKey } from '@earendil-works/pi-tui';
export default function (pi: Api) {
  pi.on('agent_end', event => { convertToLlm(event.messages); matchesKey('x', 'up'); matchesKey('y', 'ctrl+shift+p'); isBashToolResult; Text; });
}
`,
    );
  });

  it('renames imports where they are passed on', () => {
    const { text } = whole(
      'v1',
      `${HOOKS}import { isEnter, isTab } from '@mariozechner/pi-tui';
import { messageTransformer } from '@mariozechner/pi-coding-agent';
export default function (pi: HookAPI) {
  keys.some(isEnter);
  use({ isTab, messageTransformer });
}
`,
    );
    assert.ok(text.includes("keys.some((data: string) => matchesKey(data, 'enter'));"), text);
    assert.ok(
      text.includes("use({ isTab: ((data: string) => matchesKey(data, 'tab')), messageTransformer: convertToLlm });"),
      text,
    );
  });
});
