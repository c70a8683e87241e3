import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { refuseTooLarge } from '../../src/hook-contract/given-size';
import { Rig } from '../support/conversation-rig';
import { itOnPosix } from '../support/platform';

const HUGE = `'x'.repeat(65_000_000)`;
const SAID = /The hook gave more than (?:64|4) million characters at once\./;
const ECHO = { calls: [{ id: 'one', name: 'bash', args: { command: 'echo ok' } }] };

describe('the size of a value', () => {
  it('is measured in depth, each time that it is used, but not inside of itself', () => {
    const cycle: { self?: unknown; text: string } = { text: 'x'.repeat(300) };
    cycle.self = [cycle, cycle];
    assert.doesNotThrow(() => refuseTooLarge(cycle, 1_000));
    assert.throws(() => refuseTooLarge([cycle, { text: 'x'.repeat(800) }], 1_000), RangeError);
    assert.throws(
      () =>
        refuseTooLarge(
          Array.from({ length: 100 }, () => 0),
          1_000,
        ),
      RangeError,
    );
    assert.throws(() => refuseTooLarge({ bytes: new Uint8Array(2_000) }, 1_000), RangeError);
    assert.throws(() => refuseTooLarge(new Map([['a', 'x'.repeat(2_000)]]), 1_000), RangeError);
    assert.doesNotThrow(() => refuseTooLarge(undefined));
    let doubled: unknown = 'x'.repeat(100);
    for (let times = 0; times < 27; times++) doubled = [doubled, doubled];
    assert.throws(() => refuseTooLarge(doubled), RangeError);
    const megabyte = { type: 'text', text: 'x'.repeat(1_000_000) };
    assert.throws(() => refuseTooLarge(Array.from({ length: 450 }, () => megabyte)), RangeError);
  });
});

describe('what a hook gives', () => {
  let rig: Rig;
  afterEach(() => rig.close());
  const outputs = (): readonly (string | undefined)[] => rig.items('tool').map(({ output }) => output);
  /** Runs one command with a hook, then answers. */
  async function runs(code: string, script: Parameters<typeof Rig.open>[0] = [ECHO]) {
    rig = await Rig.open([...script, { text: 'done' }], {
      hooks: { 'big.ts': `export default pi => { ${code} };` },
    });
    await rig.chat.submit('go');
    await rig.conversation.run.waitForSettled();
    return rig.items('notice').map(({ text }) => text);
  }

  it('closes a gate if the reason is too long', async () => {
    await runs(`pi.on('tool_call', () => ({ block: true, reason: ${HUGE} }));`);
    assert.match(outputs()[0] ?? '', SAID);
  });

  it('closes a gate if the changed input is too long', async () => {
    await runs(`pi.on('tool_call', event => { event.input.command = ${HUGE}; });`);
    assert.match(outputs()[0] ?? '', SAID);
  });

  itOnPosix('is not used if it is a result that is too long, and the result before it stays', async () => {
    const notices = await runs(`pi.on('tool_result', () => ({ content: [{ type: 'text', text: ${HUGE} }] }));`);
    assert.equal(outputs()[0]?.trim(), 'ok');
    assert.match(notices.join(), SAID);
  });

  it('is a failure if it is the result of a tool that is too long', async () => {
    await runs(
      `pi.registerTool({ name: 'big', label: 'Big', description: 'Big.', parameters: { type: 'object', properties: {} },
        execute: async () => ({ content: [{ type: 'text', text: ${HUGE} }], details: undefined }) });`,
      [{ calls: [{ id: 'one', name: 'big', args: {} }] }],
    );
    assert.match(outputs()[0] ?? '', SAID);
  });

  for (const [what, code] of Object.entries({
    'a message': `pi.sendMessage({ customType: 'c', content: ${HUGE}, display: true })`,
    'a message of the user': `pi.sendUserMessage(${HUGE})`,
    'an entry': `pi.appendEntry('c', ${HUGE})`,
    'a notice': `ctx.ui.notify(${HUGE})`,
    'a question': `await ctx.ui.confirm(${HUGE}, 'really?')`,
    'an option': `await ctx.ui.select('which?', ['a', ${HUGE}])`,
    'a text to edit': `await ctx.ui.editor('edit', ${HUGE})`,
  })) {
    it(`is reported and neither shown nor kept if it is too long: ${what}`, async () => {
      const notices = await runs(`pi.on('agent_end', async (_event, ctx) => { ${code}; });`);
      assert.match(notices.join(), SAID);
      assert.ok(rig.chat.model.items.every(item => JSON.stringify(item).length < 100_000));
      const files = readdirSync(rig.root, { recursive: true }).map(name => statSync(join(rig.root, String(name))).size);
      assert.ok(files.length > 0 && files.every(size => size < 1_000_000));
    });
  }
});
