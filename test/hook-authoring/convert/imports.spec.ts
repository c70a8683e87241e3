import assert from 'node:assert/strict';
import { convertHook } from '../../../src/hook-authoring/convert/convert-hook';
import { babel, HOOKS, TODAY, whole } from './support';

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

  it('renames what is taken from a module as a whole, and says where it cannot', () => {
    const { text, remarks } = whole(
      'v1',
      `${HOOKS}import * as tui from '@mariozechner/pi-tui';
import type * as agent from '@mariozechner/pi-coding-agent';
const { Type } = require('@sinclair/typebox');
const { messageTransformer } = await import('@mariozechner/pi-coding-agent');
const { isEnter } = require('@mariozechner/pi-tui');
const omp = require('@oh-my-pi/pi-utils');
const use = (ui: agent.HookUIContext) => [tui.isTab, tui.isEscape('x'), messageTransformer, tui.Text];
export default function (pi: HookAPI) {}
`,
    );
    assert.equal(
      text,
      `${TODAY}import * as tui from '@earendil-works/pi-tui';
import type * as agent from '@earendil-works/pi-coding-agent';
const { Type } = require('typebox');
const { convertToLlm: messageTransformer } = await import('@earendil-works/pi-coding-agent');
// Needs a look: pi-tui has no isEnter now: use matchesKey(data, 'enter').
const { isEnter } = require('@earendil-works/pi-tui');
// Needs a look: @oh-my-pi/pi-utils has no counterpart in pi.
const omp = require('@oh-my-pi/pi-utils');
const use = (ui: agent.ExtensionUIContext) => [((data: string) => tui.matchesKey(data, 'tab')), tui.matchesKey('x', 'escape'), messageTransformer, tui.Text];
export default function (pi: ExtensionAPI) {}
`,
    );
    assert.equal(remarks.filter(({ severity }) => severity === 'look').length, 2);
  });

  it('adds imports behind the last one, not behind text that looks like one', () => {
    const { text } = whole(
      'tree',
      `${HOOKS}const help = \`
import type { Component } from 'nowhere'
\`
export default function (pi: HookAPI) {
  pi.on('agent_start', async (event, ctx) => { await ctx.ui.custom(new Box()) })
}
`,
    );
    assert.ok(
      text.startsWith(`${TODAY}import type { ExtensionUIContext } from '@earendil-works/pi-coding-agent';
import type { Component } from '@earendil-works/pi-tui';
const help = \`
import type { Component } from 'nowhere'
\`
`),
      text,
    );
  });

  it('adds a missing import to a file without semicolons', () => {
    const { text } = whole(
      'v1',
      `import { isEnter } from '@mariozechner/pi-tui'
import { Text } from '@mariozechner/pi-tui'
const matchesKey2 = 'matchesKey comes from pi-tui'
const note = 'matchesKey'
export { x } from './x'
export default function (pi) {
  pi.on('agent_start', () => isEnter('x'))
}
`,
    );
    assert.match(text, /^import \{ matchesKey \} from '@earendil-works\/pi-tui';$/m);
  });
});
