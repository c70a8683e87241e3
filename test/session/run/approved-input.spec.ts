import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Question } from '../../../src/session/ports/dialogs';
import { Rig, type RigOptions } from '../../support/conversation-rig';

const extension = (body: string): string =>
  `import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";\nexport default function (pi: ExtensionAPI) { ${body} }`;
const CHANGES = extension('pi.on("tool_call", e => { e.input.command = "touch ran"; });');
const ASKS = extension(
  'pi.on("tool_call", async (e, ctx) => (await ctx.ui.confirm("Allow?", "")) ? undefined : { block: true });',
);

describe('a call whose input hooks change', () => {
  let rig: Rig | undefined;
  afterEach(async () => {
    await rig?.close();
    rig = undefined;
  });

  /** Runs `echo harmless` under these hooks; every question is kept and answered. */
  async function run(options: RigOptions, answer = true, tool = { name: 'bash', args: { command: 'echo harmless' } }) {
    const call = { calls: [{ id: 'c', ...tool }] };
    const opened = await Rig.open([call, { text: 'done' }], options);
    rig = opened;
    const asked: { question: Question; summary: string | undefined }[] = [];
    opened.dialogs.addView({
      show: (question, reply) => {
        asked.push({ question, summary: opened.items('tool')[0]?.summary });
        queueMicrotask(() => reply(answer));
        return { dispose: () => undefined };
      },
    });
    await opened.chat.submit('go');
    const [card] = opened.items('tool');
    assert.ok(card);
    return { asked, card, ran: existsSync(join(opened.cwd, 'ran')) };
  }

  it('is asked about as the hooks before have left it, on the card too', async () => {
    const { asked, card, ran } = await run({ extensions: { 'a.ts': CHANGES, 'b.ts': ASKS } });
    assert.equal(ran, true);
    assert.deepEqual(
      asked.map(({ question, summary }) => [question.about, summary]),
      [[{ tool: 'bash', summary: 'touch ran' }, 'touch ran']],
    );
    assert.match(card.args, /touch ran/);
    assert.deepEqual(
      card.verdicts.map(({ outcome, detail }) => [outcome, detail]),
      [
        ['modified', 'input'],
        ['nothing', undefined],
      ],
    );
  });

  it('is asked about with what the asking hook itself has changed', async () => {
    const both = extension(
      'pi.on("tool_call", async (e, ctx) => { e.input.command = "touch ran"; return (await ctx.ui.confirm("Allow?", "")) ? undefined : { block: true, reason: "no" }; });',
    );
    const { asked, card, ran } = await run({ extensions: { 'a.ts': both } }, false);
    assert.equal(ran, false);
    assert.deepEqual(
      asked.map(({ question }) => question.about),
      [{ tool: 'bash', summary: 'touch ran' }],
    );
    assert.equal(card.verdicts[0]?.outcome, 'blocked');
  });

  it('is asked about by the name of its tool alone where the card shows no more', async () => {
    const dice = extension(
      'pi.registerTool({ name: "dice", label: "Dice", description: "Rolls", parameters: { type: "object" }, execute: async () => ({ content: [], details: {} }) });',
    );
    const { asked } = await run({ extensions: { 'a.ts': dice, 'b.ts': ASKS } }, true, {
      name: 'dice',
      args: { command: '' },
    });
    assert.deepEqual(
      asked.map(({ question }) => question.about),
      [{ tool: 'dice', summary: '' }],
    );
  });

  it('shows on its card what ran, though nobody was asked', async () => {
    const { card, ran } = await run({ extensions: { 'a.ts': CHANGES } });
    assert.equal(ran, true);
    assert.equal(card.summary, 'touch ran');
    assert.deepEqual(
      card.verdicts.map(({ outcome }) => outcome),
      ['modified'],
    );
  });

  it('is confirmed in its final form while a guard is missing', async () => {
    const broken = 'export default function (pi) { pi.on("tool_call", () => {';
    const { asked, ran } = await run({ extensions: { 'a.ts': CHANGES, 'guard.ts': broken } });
    assert.equal(ran, true);
    assert.equal(asked.length, 1);
    assert.deepEqual(asked[0]?.question.about, { tool: 'bash', summary: 'touch ran' });
    assert.match(asked[0].question.message, /command: touch ran/);
  });

  it('does not run when its final form is refused while a guard is missing', async () => {
    const broken = 'export default function (pi) { pi.on("tool_call", () => {';
    const { ran } = await run({ extensions: { 'a.ts': CHANGES, 'guard.ts': broken } }, false);
    assert.equal(ran, false);
  });
});
