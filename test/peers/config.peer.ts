import assert from 'node:assert/strict';
import { mkdirSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { CliPlace, type Program } from '../modes/support/cli';
import { ScriptedLlm } from '../support/scripted-llm';
import { describePeer, piToday, TODAY } from './peers';

/** A configuration, and what is asked in it. Paths start at the home folder: `agent/…` is pi's, `work/…` the project. */
interface Case {
  readonly files?: Readonly<Record<string, string>>;
  readonly settings?: object;
  readonly project?: object;
  readonly prompt?: string;
  readonly cwd?: string;
  readonly model?: object;
  /** Models beside the first. */
  readonly others?: readonly object[];
  /** Flags in the place of the one that trusts the project. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const skill = (mark: string, head = ''): string => `---\ndescription: mark-${mark}\n${head}---\nBody of ${mark}.\n`;
const template = (body: string, head = ''): string => `---\ndescription: d\n${head}---\n${body}`;
const skills = (folder: string, ...names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map(name => [`${folder}/${name}/SKILL.md`, skill(name)]));
const MINE = { ...skills('agent/skills', 'a', 'ab'), ...skills('agent/mine', 'c', 'cd') };
const listed = (...list: readonly string[]): Case => ({ files: MINE, settings: { skills: list } });
const expanding = (body: string, args: string): Case => ({
  files: { 'agent/prompts/t.md': template(body) },
  prompt: `/t ${args}`,
});
const extension = (mark: string): string =>
  `export default pi => { pi.on('before_agent_start', event => ({ systemPrompt: event.systemPrompt + ' mark-${mark}' })); };\n`;

/** A project with something of each kind that needs trust; instruction files need it here and not in pi (docs/settings.md). */
const PROJECT = {
  files: {
    'work/.pi/APPEND_SYSTEM.md': 'mark-append',
    'work/.pi/own.ts': extension('project'),
    ...skills('work/.pi/skills', 'of-project'),
    ...skills('work/.agents/skills', 'of-agents'),
  },
  project: { extensions: ['own.ts'], defaultThinkingLevel: 'high' },
};
const decision = (isTrusted: boolean, folder = '<home>/work'): Record<string, string> => ({
  'agent/trust.json': JSON.stringify({ [folder]: isTrusted }),
});
const deciding = (trusted: string): string =>
  `export default pi => { pi.on('project_trust', () => ({ trusted: '${trusted}' })); };\n`;

const CASES: Readonly<Record<string, Case>> = {
  'AGENTS.override.md before AGENTS.md': {
    files: { 'work/AGENTS.override.md': 'mark-override', 'work/AGENTS.md': 'mark-plain' },
  },
  'AGENTS.MD before CLAUDE.md': { files: { 'work/AGENTS.MD': 'mark-upper', 'work/CLAUDE.md': 'mark-claude' } },
  'CLAUDE.MD alone': { files: { 'work/CLAUDE.MD': 'mark-claude' } },
  'context files of the agent folder and of every folder above': {
    files: { 'agent/AGENTS.md': 'mark-agent', 'AGENTS.md': 'mark-home', 'work/sub/CLAUDE.md': 'mark-sub' },
    cwd: 'work/sub',
  },
  'an agent folder that is worked in': { files: { 'agent/AGENTS.md': 'mark-agent' }, cwd: 'agent' },
  'SYSTEM.md of the project before that of the agent folder': {
    files: { 'work/.pi/SYSTEM.md': 'mark-project', 'agent/SYSTEM.md': 'mark-agent' },
  },
  'a blank APPEND_SYSTEM.md of the project': {
    files: { 'work/.pi/APPEND_SYSTEM.md': ' \n', 'agent/APPEND_SYSTEM.md': 'mark-agent' },
  },
  'skills where they are looked for': {
    files: {
      ...skills('agent/skills', 'user'),
      ...skills('work/.pi/skills', 'project'),
      ...skills('.agents/skills', 'home'),
      ...skills('work/.agents/skills', 'above'),
      ...skills('work/sub/.agents/skills', 'here'),
      'agent/skills/root.md': skill('root', 'name: root\n'),
      'agent/skills/group/one.md': skill('deep'),
      'work/.agents/skills/root.md': skill('agents-root'),
      'work/.agents/skills/group/one.md': skill('agents-deep', 'name: one\n'),
      'agent/skills/user/inner/SKILL.md': skill('inner'),
      'agent/skills/node_modules/x/SKILL.md': skill('modules'),
      'agent/skills/.hidden/SKILL.md': skill('hidden'),
    },
    cwd: 'work/sub',
  },
  'skills above a repository': {
    files: { ...skills('.agents2/skills', 'no'), ...skills('work/.agents/skills', 'above'), 'work/sub/.git/HEAD': '' },
    cwd: 'work/sub',
  },
  'skills with a name of their folder, a bad name, none that a model may call, a bad head, no description': {
    files: {
      ...skills('agent/skills', 'Odd_Name'),
      'agent/skills/quiet/SKILL.md': skill('quiet', 'disable-model-invocation: true\n'),
      'agent/skills/broken/SKILL.md': '---\ndescription: mark-a: b\n---\n',
      'agent/skills/number/SKILL.md': '---\ndescription: 5\n---\nmark-number',
      'agent/skills/windows/SKILL.md': '---\r\ndescription: >\r\n  mark-windows\r\n---\r\nBody\r\n',
      'agent/skills/other/SKILL.md': skill('second', 'name: quiet\n'),
    },
  },
  'skills that ignore files name': {
    files: { ...MINE, 'agent/skills/.gitignore': 'a*/\n', 'agent/skills/.ignore': '!ab/\n' },
  },
  'a skill called with arguments': { files: skills('agent/skills', 'a'), prompt: '/skill:a with  words' },
  'a skill called though commands are off': {
    files: skills('agent/skills', 'a'),
    settings: { enableSkillCommands: false },
    prompt: '/skill:a',
  },
  'a list: a folder': listed('mine'),
  'a list: a folder by ~': listed('~/agent/mine/c'),
  'a list: a glob beside a folder': listed('./mine', '*/c'),
  'a list: a name left out': listed('mine', '!cd'),
  'a list: a deep glob left out': listed('mine', '!**/c*'),
  'a list: one taken all the same': listed('mine', '!c*', '+mine/c'),
  'a list: exactly one not': listed('mine', '-mine/c/SKILL.md', '+mine/c'),
  'a list: one found left out': listed('-skills/a'),
  'a list: exactly a bare name says nothing': listed('-a'),
  'a list: all found left out': listed('!a*'),
  'a list: only a glob': listed('skills/*'),
  'lists of both files': {
    files: { ...MINE, ...skills('work/.pi/mine', 'e'), ...skills('work/.pi/skills', 'f') },
    settings: { skills: ['mine', '-skills/a', '-skills/f'] },
    project: { skills: ['mine', '-skills/ab', '!f'] },
  },
  'a file that the project leaves out and the person names': {
    files: MINE,
    settings: { skills: ['mine'] },
    project: { skills: ['~/agent/mine', '!~/agent/mine/c'] },
  },
  'skills as the older object': { files: MINE, settings: { skills: { enableSkillCommands: true } } },
  'extensions from the folder of their settings file': {
    files: {
      'agent/own.ts': extension('agent'),
      'work/.pi/own.ts': extension('project'),
      'work/own.ts': extension('no'),
    },
    settings: { extensions: ['own.ts', 'gone.ts'] },
    project: { extensions: ['own.ts'] },
  },
  'extensions left out': {
    files: {
      'agent/extensions/a.ts': extension('a'),
      'agent/extensions/b.ts': extension('b'),
      'work/.pi/extensions/c.ts': extension('c'),
      'work/.pi/extensions/d/index.ts': extension('d'),
    },
    settings: { extensions: ['-extensions/a.ts', '-extensions/c.ts'] },
    project: { extensions: ['!extensions/d/*', '-builtin:mcp'] },
  },
  'a template of the project before that of the person': {
    files: { 'agent/prompts/t.md': template('of the person'), 'work/.pi/prompts/t.md': template('of the project') },
    prompt: '/t',
  },
  'a template below a folder that settings name': {
    files: { 'agent/more/deep/t.md': template('deep $1') },
    settings: { prompts: ['more'] },
    prompt: '/t x',
  },
  'a template with a head that is not YAML': {
    files: { 'agent/prompts/t.md': '---\ndescription: a: b\n---\nexpanded' },
    prompt: '/t x',
  },
  'a template left out': {
    files: { 'agent/prompts/t.md': template('expanded') },
    settings: { prompts: ['-prompts/t.md'] },
    prompt: '/t x',
  },
  'a template with line ends of Windows': {
    files: { 'agent/prompts/t.md': '---\r\ndescription: d\r\n---\r\none\r\ntwo $1\r\n' },
    prompt: '/t x',
  },
  'defaults of arguments': expanding('${1:-d}|${2:-e f}|${@:-all}|${ARGUMENTS:-none}', 'x'),
  'defaults of no arguments': expanding('${1:-d}|${2:-$1}|${@:-all}|${ARGUMENTS:-none}', ''),
  'an apostrophe in an argument': expanding('$1|$2|$@', "doesn't work"),
  'quotes in quotes': expanding('$1|$2', '"say \\"hi\\"" x'),
  'a quote that is never closed': expanding('$1|$2|$3', '"never closed here'),
  'slices of arguments': expanding('${@:2}|${@:2:1}|${@:0}', 'a "b c" d'),
  'defaultTools: a list': { settings: { defaultTools: ['read', 'grep'] } },
  'defaultTools: changes of a list': {
    settings: { defaultTools: ['read', 'bash', '+ls'] },
    project: { defaultTools: ['-bash', '+find'] },
  },
  'defaultTools: none': { settings: { defaultTools: [] } },
  'defaultTools: a list of the project': { settings: { defaultTools: ['read'] }, project: { defaultTools: ['ls'] } },
  'thinking: nothing is said': {},
  'thinking: a level for all': { settings: { defaultThinkingLevel: 'high' } },
  'thinking: a level for the model': {
    settings: { defaultThinkingLevel: 'high', modelThinkingLevels: { 'scripted/one': 'low' } },
  },
  'thinking: a model that cannot': { model: { reasoning: false }, settings: { defaultThinkingLevel: 'high' } },
  'thinking: budgets of both files': {
    settings: { thinkingBudgets: { medium: 2222, low: 1111 } },
    project: { thinkingBudgets: { low: 3333 }, defaultThinkingLevel: 'low' },
  },
  'sessions where the setting says': { settings: { sessionDir: '~/kept' } },
  'sessions from the folder': { settings: { sessionDir: 'kept' } },
  'sessions where the environment says': {
    settings: { sessionDir: '~/kept' },
    env: { PI_CODING_AGENT_SESSION_DIR: 'of-environment' },
  },
  'sessions where a flag says': {
    settings: { sessionDir: '~/kept' },
    env: { PI_CODING_AGENT_SESSION_DIR: 'of-environment' },
    args: ['--session-dir', 'flagged'],
  },
  'sessions where the project says': { settings: { sessionDir: '~/kept' }, project: { sessionDir: 'of-project' } },
  'thinking: the highest level of all': { settings: { defaultThinkingLevel: 'max' } },
  'thinking: the highest level of a model that has it': {
    model: { thinkingLevelMap: { xhigh: 'xhigh', max: 'max' } },
    settings: { defaultThinkingLevel: 'max' },
  },
  'thinking: a model without a level in between': {
    model: { thinkingLevelMap: { medium: null } },
    settings: { defaultThinkingLevel: 'medium' },
  },
  'models: the default': { settings: { defaultModel: 'two' }, others: [{ id: 'two' }] },
  'models: a default that is not there': { settings: { defaultModel: 'gone' }, others: [{ id: 'two' }] },
  'models: no default': { settings: { defaultModel: undefined, defaultProvider: undefined }, others: [{ id: 'two' }] },
  'models: the enabled ones, without the default': { settings: { enabledModels: ['tw*'] }, others: [{ id: 'two' }] },
  'models: the enabled ones, with the default behind': {
    settings: { enabledModels: ['scripted/two:high', 'scripted/one'] },
    others: [{ id: 'two' }],
  },
  'models: the enabled ones, each with a level': {
    settings: { enabledModels: ['scripted/two:low'] },
    others: [{ id: 'two' }],
  },
  'models: none of the enabled ones is there': { settings: { enabledModels: ['qqq'] }, others: [{ id: 'two' }] },
  'models: those of a flag': { args: ['--approve', '--models', 'two:low,one'], others: [{ id: 'two' }] },
  'models: those of a flag before the enabled ones': {
    settings: { enabledModels: ['one'] },
    args: ['--approve', '--models', 'two'],
    others: [{ id: 'two' }],
  },
  'models: one named beside the enabled ones': {
    settings: { enabledModels: ['one'] },
    args: ['--approve', '--model', 'two'],
    others: [{ id: 'two' }],
  },
  'not trusted: nobody has decided': { ...PROJECT, args: [] },
  'not trusted: by a flag': { ...PROJECT, args: ['--no-approve'] },
  'not trusted: by a saved decision': { ...PROJECT, args: [], files: { ...PROJECT.files, ...decision(false) } },
  'trusted: by a saved decision': { ...PROJECT, args: [], files: { ...PROJECT.files, ...decision(true) } },
  'trusted: by a saved decision about the folder above': {
    ...PROJECT,
    args: [],
    files: { ...PROJECT.files, ...decision(true, '<home>') },
  },
  'trusted: the nearest decision counts': {
    ...PROJECT,
    args: [],
    files: { ...PROJECT.files, 'agent/trust.json': JSON.stringify({ '<home>': true, '<home>/work': false }) },
  },
  'not trusted: a flag against a saved decision': {
    ...PROJECT,
    args: ['--no-approve'],
    files: { ...PROJECT.files, ...decision(true) },
  },
  'trusted: a flag against a saved decision': {
    ...PROJECT,
    args: ['--approve'],
    files: { ...PROJECT.files, ...decision(false) },
  },
  'not trusted: by the setting': { ...PROJECT, args: [], settings: { defaultProjectTrust: 'never' } },
  'trusted: by the setting': { ...PROJECT, args: [], settings: { defaultProjectTrust: 'always' } },
  'trusted: by an extension': {
    ...PROJECT,
    args: [],
    files: { ...PROJECT.files, 'agent/extensions/trusts.ts': deciding('yes') },
  },
  'not trusted: by an extension, against a saved decision': {
    ...PROJECT,
    args: [],
    files: { ...PROJECT.files, ...decision(true), 'agent/extensions/trusts.ts': deciding('no') },
  },
  'not trusted: an extension cannot decide, the setting does': {
    ...PROJECT,
    args: [],
    settings: { defaultProjectTrust: 'never' },
    files: { ...PROJECT.files, 'agent/extensions/trusts.ts': deciding('undecided') },
  },
  'more for the system prompt, in a file and as text': {
    files: { 'work/more.md': 'mark-file' },
    args: ['--approve', '--append-system-prompt', 'more.md', '--append-system-prompt', 'mark-text'],
  },
};

/** What the model was told, where the session lies, and how the run ended. */
interface Seen {
  readonly code: number | null;
  readonly model: unknown;
  readonly marks: readonly string[];
  readonly user: unknown;
  readonly tools: readonly string[];
  readonly thinking: unknown;
  readonly sessions: readonly string[];
}

describePeer('configuration beside that of today', TODAY, folder => {
  const sides: readonly Program[] = [piToday(folder), {}];
  for (const [name, given] of Object.entries(CASES)) {
    it(name, async () => {
      const [pi, ours] = [await see(given, sides[0] ?? {}), await see(given, sides[1] ?? {})];
      // Where no tools are named the default differs on purpose (docs/settings.md).
      const names = JSON.stringify([given.settings, given.project]).includes('defaultTools');
      assert.deepEqual(names ? ours : { ...ours, tools: [] }, names ? pi : { ...pi, tools: [] });
      assert.equal(pi.code, 0);
    });
  }
});

async function see(given: Case, program: Program): Promise<Seen> {
  const place = await CliPlace.make();
  place.leaveUndecided(); // Each case decides for itself.
  const llm = await ScriptedLlm.start();
  try {
    llm.otherwise(() => ({ text: 'an answer' }));
    place.useLlm(llm, given.settings ?? {}, [
      { id: 'one', maxTokens: 64_000, ...given.model },
      ...(given.others ?? []),
    ]);
    for (const [path, text] of Object.entries(given.files ?? {})) {
      place.file(path, text.replaceAll('<home>', place.root));
    }
    if (given.project !== undefined) place.file('work/.pi/settings.json', JSON.stringify(given.project));
    const cwd = join(place.root, given.cwd ?? 'work');
    mkdirSync(cwd, { recursive: true });
    const env = { ...program.env, ...given.env };
    const { code } = await place.run([...(given.args ?? ['--approve']), '-p', given.prompt ?? 'a question'], {
      ...program,
      env,
      cwd,
    });
    const body = llm.requests[0]?.body ?? {};
    const system = JSON.stringify(body['system'] ?? '');
    return {
      code,
      model: body['model'] ?? null,
      marks: [...new Set(system.match(/mark-[\w-]+/g))].toSorted(),
      user: JSON.parse(JSON.stringify(lastUser(body)).replaceAll(place.root, '<home>')),
      tools: namesOf(body['tools']),
      thinking: body['thinking'] ?? null,
      sessions: sessionFolders(place),
    };
  } finally {
    await place.remove();
    await llm.stop();
  }
}

/** Folders with session files, without what differs from place to place. */
function sessionFolders({ root }: CliPlace): readonly string[] {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.jsonl'));
  return files.map(file => dirname(file).replaceAll(basename(root), '<home>')).toSorted();
}

function lastUser(body: Readonly<Record<string, unknown>>): unknown {
  const messages = body['messages'] as readonly { readonly role: string; readonly content: unknown }[] | undefined;
  const content = messages?.findLast(({ role }) => role === 'user')?.content;
  if (!Array.isArray(content)) return content ?? null;
  return (content as readonly { readonly text?: string }[]).map(({ text }) => text ?? null);
}

function namesOf(tools: unknown): readonly string[] {
  return Array.isArray(tools) ? (tools as readonly { readonly name: string }[]).map(({ name }) => name).toSorted() : [];
}
