import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CliPlace, type Program } from '../modes/support/cli';
import { RpcHost } from '../modes/support/rpc';
import { ScriptedLlm } from '../support/scripted-llm';
import { CASES, type Case, type Stage } from './contexts-cases';
import { describePeer, piToday, TODAY } from './peers';

/** What cases use of the package. */
const OF_THE_PACKAGE = `createBashTool, createEditTool, createCodingTools, createReadOnlyTools, createEventBus,
  parseFrontmatter, stripFrontmatter, formatSize, DEFAULT_MAX_BYTES, DEFAULT_MAX_LINES, VERSION, CONFIG_DIR_NAME, truncateHead,
  truncateTail, truncateLine, getLanguageFromPath, generateDiffString, formatReadLineRange, estimateTokens,
  calculateContextTokens, shouldCompact, DEFAULT_COMPACTION_SETTINGS, isToolCallEventType, isPowerShellToolResult,
  isBashToolResult, convertToLlm, serializeConversation`;

/** An extension; `note` writes a line of notes, `fate` tells what a call came to, `probe` is what /probe does. */
const extension = (code: string): string => `import { appendFileSync, copyFileSync } from 'node:fs';
import * as sdk from '@earendil-works/pi-coding-agent';
const { ${OF_THE_PACKAGE} } = sdk;
import { createAssistantMessageEventStream, getCurrentSystemPrompt, getCurrentTools, collapseSystemMessages } from '@earendil-works/pi-ai';
const note = (...line) => appendFileSync(process.env.NOTES, JSON.stringify(line, (key, value) => value instanceof Map ? [...value] : value) + '\\n');
const fate = async act => { try { return await act(); } catch (error) { return 'throws ' + error.message; } };
const kinds = (from, names) => names.map(name => [name, typeof from?.[name]]);
export default (pi: any) => {
  const probe = handler => pi.registerCommand('probe', { handler });
  const tool = (name, members, run) => pi.registerTool({ name, label: name, description: name,
    parameters: { type: 'object', properties: {} }, execute: run ?? (async () => ({ content: [{ type: 'text', text: name + ' ran' }], details: undefined })), ...members });
  ${code}
};
`;

/** What the extension noted, and what happened beside that. */
interface Seen {
  readonly noted: readonly unknown[];
  readonly result: unknown;
}

type Act = (stage: Omit<Stage, 'host'>, program: Program) => Promise<unknown>;

/** Lets something happen in a place of its own, where the extension is. */
async function seen(program: Program, { code, settings, files = {} }: Omit<Case, 'act'>, act: Act): Promise<Seen> {
  const place = await CliPlace.make();
  const llm = await ScriptedLlm.start();
  const { baseUrl } = llm.model('anthropic-messages');
  try {
    llm.otherwise(() => ({ text: 'an answer' }));
    place.useLlm(llm, settings);
    place.file('agent/extensions/probe.ts', `// @pi-dialect pi\n${extension(code)}`);
    for (const [path, text] of Object.entries(files)) place.file(path, text);
    const notes = join(place.root, 'notes.jsonl');
    const result = await act({ place, llm }, { ...program, env: { ...program.env, NOTES: notes, LLM: baseUrl } });
    const text = existsSync(notes) ? readFileSync(notes, 'utf8').trimEnd() : '';
    const lines = text.replaceAll(place.root, '<root>').replaceAll(baseUrl, '<llm>').split('\n');
    return { noted: lines.map(line => JSON.parse(line) as unknown), result };
  } finally {
    await place.remove();
    await llm.stop();
  }
}

/** What a client sees happen, and which errors it is told of. */
const overRpc =
  ({ act = ({ host }) => host.ask('prompt', { message: '/probe' }).then(() => undefined) }: Case): Act =>
  async (stage, program) => {
    const host = RpcHost.start(stage.place, [], program);
    const result = await act({ ...stage, host });
    await host.close();
    // Ours also reports a gate that throws.
    const errors = host.messages.filter(({ type, event }) => type === 'extension_error' && event !== 'tool_call');
    const told = { result, errors: errors.map(({ event, error }) => ({ event, error })) };
    return JSON.parse(JSON.stringify(told)) as unknown;
  };

const NOBODY = `pi.on('agent_end', async (event, ctx) => {
  const { ui } = ctx;
  note(ctx.mode, ctx.hasUI, ctx.isProjectTrusted());
  note(await ui.select('a', ['b']), await ui.confirm('a', 'b'), await ui.input('a'), await ui.editor('a'));
  note(await fate(() => ui.custom(() => ({ render: () => [], invalidate() {} }))));
  note(ui.getEditorText(), ui.getToolsExpanded(), ui.getEditorComponent());
  for (const [name, ...given] of [['notify', 'x'], ['setStatus', 'a', 'b'], ['setWidget', 'a', ['b']], ['setTitle', 'x'],
    ['setWorkingMessage', 'x'], ['setFooter'], ['setEditorText', 'x']])
    note(name, await fate(() => ui[name](...given)));
  ctx.shutdown();
  note('goes on');
});`;

describePeer('what extensions find, as in pi:', TODAY, folder => {
  async function compare(plan: Omit<Case, 'act'>, act: Act): Promise<void> {
    const [pi, ours] = await Promise.all([seen(piToday(folder), plan, act), seen({}, plan, act)]);
    assert.ok(pi.noted.length > 0);
    assert.deepEqual(ours, pi);
  }

  for (const [name, plan] of Object.entries(CASES)) it(name, () => compare(plan, overRpc(plan)));

  for (const mode of ['text', 'json']) {
    it(`the members of ui where nobody can answer (${mode})`, () =>
      compare({ code: NOBODY }, async ({ place }, program) => {
        const { code } = await place.run(['--mode', mode, '-p', 'go'], program);
        return code;
      }));
  }
});
