/* eslint-disable @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access -- hooks are foreign code */
import assert from 'node:assert/strict';
import { Rig } from '../../support/conversation-rig';
import { hook, hostWith, type Foreign } from '../../support/hook-host';

/** Each method that registers something by a name, with the rest of a right call, and what its name is called. */
const METHODS: readonly (readonly [method: string, given: unknown, what: string])[] = [
  ['command', { handler: () => undefined }, 'name'],
  ['registerCommand', { handler: () => undefined }, 'name'],
  ['registerShortcut', { handler: () => undefined }, 'key'],
  ['registerFlag', { type: 'boolean' }, 'name'],
  ['registerMessageRenderer', () => undefined, 'type'],
  ['registerEntryRenderer', () => undefined, 'type'],
];

const NO_NAMES: readonly unknown[] = [undefined, null, '', 5, {}, { name: 'x', handler: () => undefined }];

describe('what hooks register by a name', () => {
  let rig: Rig | undefined;
  afterEach(async () => {
    await rig?.close();
    rig = undefined;
  });

  for (const [method, given, what] of METHODS) {
    it(`${method} without a ${what} is a problem of the hook, registers nothing, and lets the rest run`, async () => {
      for (const name of NO_NAMES) {
        const { host } = await hostWith([
          hook('ext', (pi: Foreign) => {
            pi[method](name, given);
            pi.registerCommand('fine', { handler: () => undefined });
          }),
        ]);
        assert.deepEqual(
          host.problems().map(({ message, file }) => [message, file]),
          [[`${method} was called without a ${what}. The call has no effect.`, '/hooks/1.ts']],
        );
        assert.deepEqual(
          host.commands.list().map(command => command.name),
          ['fine'],
        );
        assert.deepEqual([host.flags().length, host.commands.shortcuts().size], [0, 0]);
      }
    });
  }

  for (const [method, given] of [
    ['registerTool', { parameters: {}, execute: () => undefined }],
    ['registerShortcut', 'ctrl+x'],
    ['registerProvider', undefined],
    ['registerMcpServer', undefined],
    ['registerMessageRenderer', 'mine'],
  ] as const) {
    it(`${method} of nothing that can be used is an error that names the method`, async () => {
      let thrown: unknown;
      await hostWith([
        hook('pi', (pi: Foreign) => {
          try {
            pi[method](given);
          } catch (error) {
            thrown = error;
          }
        }),
      ]);
      assert.match(String(thrown), new RegExp(`^TypeError: ${method}`));
    });
  }

  for (const [what, definition, why] of [
    ['a name with a blank, a dot and a slash', { name: 'my tool.v2/é' }, 'its name must'],
    ['a name of 80 letters', { name: 'x'.repeat(80) }, 'its name must'],
    ['a name with half of a surrogate pair', { name: 'a\ud83d' }, 'its name must'],
    ['the schema of a text', { parameters: { type: 'string' } }, 'the schema of "string"'],
    ['the schema of a list', { parameters: { type: 'array', items: {} } }, 'the schema of "array"'],
    ['a schema without a type', { parameters: { type: null } }, 'the schema of null'],
    ['properties that are a list', { parameters: { type: 'object', properties: [] } }, 'the "properties"'],
  ] as const) {
    it(`a tool with ${what} is left out, with the name of its hook, and the rest runs`, async () => {
      const execute = (): unknown => ({ content: [] });
      const { host, conversation } = await hostWith([
        hook('pi', (pi: Foreign) => {
          pi.registerTool({ name: 'fine', parameters: {}, execute });
          pi.registerTool(Object.assign({ name: 'wrong', parameters: { type: 'object' }, execute }, definition));
          pi.registerTool({ name: 'x'.repeat(64), parameters: { properties: {} }, execute });
        }),
      ]);
      assert.deepEqual(
        host.tools(conversation).map(({ name }) => name),
        ['fine', 'x'.repeat(64)],
      );
      const problems = host.problems().map(({ message }) => message);
      assert.equal(problems.length, 1);
      assert.ok(problems[0]?.includes('of /hooks/1.ts is left out') && problems[0].includes(why), problems[0]);
    });
  }

  it('is named with the file and the line of the call, also in a file that the hook imports', async () => {
    rig = await Rig.open([], {
      hooks: {
        'a.ts': `import { add } from './lib/add';
export default pi => {
  pi.registerCommand(undefined, { handler: async () => {} });
  add(pi);
};\n`,
        'lib/add.ts': `\nexport function add(pi: any) {\n  pi.registerCommand('deploy', { description: 'Ship it' });\n}\n`,
      },
    });
    const places = rig.host
      .problems()
      .map(({ message, file = '', line }) => `${file.replaceAll('\\', '/').split('/hooks/')[1]}:${line}: ${message}`);
    assert.deepEqual(places, [
      'a.ts:3: registerCommand was called without a name. The call has no effect.',
      'lib/add.ts:3: Command "/deploy" has no handler. It fails when it is run.',
    ]);
  });
});
