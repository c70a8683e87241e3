import { constants, existsSync } from 'node:fs';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join, parse, resolve } from 'node:path';
import * as l10n from '@vscode/l10n';
import { SessionList } from '../../agent/session/library/session-list';
import { resolveToCwd } from '../../agent/tools/files/paths';
import { ABSENT_COMMANDS, BUILT_IN_COMMANDS, type BuiltInCommandName } from '../../startup/built-in-commands';
import type { SlashCommand } from '../../protocol/messages';
import type { Conversation } from '../../session/conversation';
import type { SubmittedCommand } from '../../session/ports/slash-command';
import type { ChatNeighbours } from '../editor/chat-neighbours';
import type { ChatModel } from '../model/chat-model';
import { exportTo } from '../../export/write-export';
import type { EditorPort, EditorTarget } from '../editor/editor-port';
import { askToGoOn, forkInto, missingFolder } from '../../session/state/missing-folder';
import { sessionNamed } from '../composer/named-session';
import { compactForUser } from './compact';
import { describeSession } from '../../session/describe-session';
import { forkPoints, lastAnswerText } from '../../session/state/session-stats';

/** What the commands of Hookline itself need of their chat. */
export interface BuiltInParts {
  readonly conversation: Conversation;
  readonly editor: EditorPort;
  readonly neighbours: ChatNeighbours;
  readonly chat: ChatModel;
}

interface BuiltIn {
  readonly description: string;
  run(parts: BuiltInParts, args: string): unknown;
}

/** A command that opens a page of the editor. */
function leadsTo(page: EditorTarget, description: string): BuiltIn {
  return { description, run: ({ editor }) => editor.show(page) };
}

const BUILT_IN: Readonly<Record<BuiltInCommandName, BuiltIn>> = {
  new: {
    description: l10n.t('Start a new session'),
    run: ({ neighbours }) => neighbours.newSession(),
  },
  resume: {
    description: l10n.t('Go back to an earlier session'),
    run: (parts, args) => resume(parts, args.trim()),
  },
  compact: {
    description: l10n.t('Summarize the conversation so far to free context'),
    run: ({ conversation }, args) => compactForUser(conversation, args.trim() === '' ? undefined : args.trim()),
  },
  model: {
    description: l10n.t('Choose the model, or use the one you name'),
    run: (parts, args) => chooseModel(parts, args.trim()),
  },
  'scoped-models': leadsTo('scopedModels', l10n.t('Choose which models to cycle through')),
  name: {
    description: l10n.t('Name this session'),
    run: ({ conversation, editor }, args) => {
      if (args.trim() === '') editor.renameSession();
      else conversation.sessions.rename(args.trim());
    },
  },
  tree: {
    description: l10n.t('Show the branches of this session and go to one'),
    run: ({ editor }) => editor.showTree(),
  },
  fork: {
    description: l10n.t('Start a new session from an earlier message of yours'),
    run: forkFromMessage,
  },
  clone: {
    description: l10n.t('Start a new session with a copy of this one'),
    run: ({ conversation }) => conversation.sessions.clone(),
  },
  import: {
    description: l10n.t('Copy a session file to this folder and open it'),
    run: (parts, args) => importFile(parts, unquoted(args.trim())),
  },
  settings: leadsTo('settings', l10n.t('Open the settings')),
  login: {
    description: l10n.t('Log in to a provider'),
    run: ({ editor }, args) => editor.logIn(args.trim() === '' ? undefined : args.trim()),
  },
  logout: {
    description: l10n.t('Log out of a provider'),
    run: ({ editor }, args) => editor.logOut(args.trim() === '' ? undefined : args.trim()),
  },
  trust: leadsTo('trust', l10n.t('Show and decide whether this folder is trusted')),
  hotkeys: leadsTo('keys', l10n.t('Show the keys')),
  changelog: leadsTo('changelog', l10n.t('Show what changed in each version')),
  quit: leadsTo('closeConversation', l10n.t('Close this conversation; its session stays')),
  export: {
    description: l10n.t('Export this session to an HTML, Markdown or JSONL file'),
    run: (parts, args) => exportSession(parts, args.trim()),
  },
  session: {
    description: l10n.t('Show file, size and cost of this session'),
    run: ({ chat, conversation }) => chat.notice('info', describeSession(conversation)),
  },
  reload: { description: l10n.t('Reload all hooks'), run: ({ conversation }) => conversation.forHooks.reload() },
  copy: {
    description: l10n.t('Copy the last answer'),
    run: ({ conversation, editor }) => editor.copy(lastAnswerText(conversation.run.agent.messages)),
  },
  thinking: {
    description: l10n.t('Set how much the model thinks: off, minimal, low, medium, high, xhigh, max'),
    run: ({ conversation, editor }, args) => {
      if (args.trim() === '') editor.show('thinking');
      else conversation.models.setThinkingLevel(args.trim());
    },
  },
};

const ABSENT: Readonly<Record<(typeof ABSENT_COMMANDS)[number], string>> = {
  share: l10n.t('Hookline does not upload sessions. /export writes a file that you can share.'),
  bug: l10n.t('Hookline does not send reports. To write one yourself, use the details in Hookline: Show Log.'),
  mcp: l10n.t('Hookline does not manage MCP servers here.'),
  llama: l10n.t('Hookline does not manage a llama.cpp server here. Use /model to choose its models from models.json.'),
};

/** Why Hookline does not have this command of pi; undefined for any other name. */
function absentCommand(name: string): string | undefined {
  const absent = ABSENT_COMMANDS.find(known => known === name);
  return absent === undefined ? undefined : ABSENT[absent];
}

/**
 * Runs a built-in command, or says that a command of pi does not exist here; undefined when it is neither, or a template of
 * that name exists.
 */
export function runBuiltIn(command: SubmittedCommand, parts: BuiltInParts): Promise<void> | undefined {
  const name = BUILT_IN_COMMANDS.find(known => known === command.name);
  if (name !== undefined) return Promise.resolve(BUILT_IN[name].run(parts, command.args)).then(() => undefined);
  const { templates } = parts.conversation.resources.current;
  const isTemplate = templates.some(template => template.name === command.name);
  const absent = isTemplate ? undefined : absentCommand(command.name);
  if (absent === undefined) return undefined;
  parts.chat.notice('info', absent);
  return Promise.resolve();
}

/** The list for completion: built-in commands first, then the hooks'. */
export function listCommands(
  hooks: readonly { readonly name: string; readonly description: string }[],
): SlashCommand[] {
  const builtIn = BUILT_IN_COMMANDS.map((name): SlashCommand => ({
    name,
    description: BUILT_IN[name].description,
    source: 'built-in',
  }));
  const ofHooks = hooks.map(({ name, description }): SlashCommand => ({ name, description, source: 'hook' }));
  return [...builtIn, ...ofHooks];
}

/** Opens a session that {@link sessionNamed} finds at once; otherwise asks the user, with the text as the search. */
async function resume({ editor, neighbours }: BuiltInParts, given: string): Promise<void> {
  const named = given === '' ? undefined : sessionNamed(given, await neighbours.sessions());
  if (named === undefined) editor.pickSession(given === '' ? undefined : given);
  else await neighbours.resume(named.file);
}

/**
 * Uses a full name (`provider/id`, or an id that only one provider has) at once; otherwise asks the user, with the text
 * as the search.
 */
async function chooseModel({ conversation, editor }: BuiltInParts, name: string): Promise<void> {
  const model = conversation.models.named(name);
  if (model !== undefined && (await conversation.models.set(model))) return;
  editor.pickModel(name === '' ? undefined : name);
}

async function forkFromMessage({ conversation, editor, chat }: BuiltInParts): Promise<void> {
  const points = forkPoints(conversation.store);
  if (points.length === 0) {
    chat.notice('info', l10n.t('You have not sent a message yet.'));
    return;
  }
  const entryId = await editor.pickMessage(points);
  if (entryId !== undefined) await conversation.sessions.fork(entryId);
}

async function importFile({ conversation, editor, chat }: BuiltInParts, given: string): Promise<void> {
  const { ports, sessions } = conversation;
  const path = given === '' ? await editor.pickSessionFile() : resolveToCwd(given, ports.cwd);
  if (path === undefined) return;
  const missing = missingFolder(path, ports.cwd);
  const goOn = missing && (await askToGoOn(missing, ports));
  if (missing !== undefined && goOn === undefined) return;
  const file = goOn === 'fork' ? await forkInto(path, ports) : await importSession(path, ports.sessionDir);
  const { cancelled } = await sessions.switchTo(file, missing !== undefined);
  if (!cancelled || file === path) return;
  await rm(file, { force: true });
  chat.notice('info', l10n.t('The session was not imported: {0}', path));
}

/**
 * Brings a session file to the sessions of this folder, with its id and its contents, as pi's `/import` does; both paths
 * absolute. Resolves with the file to open, which is the given one when it is there already.
 * @throws Error naming the file when it is not there or holds no session
 */
async function importSession(file: string, sessionDir: string): Promise<string> {
  if (!existsSync(file)) throw new Error(`File not found: ${file}`);
  if (SessionList.at(file).id === '') throw new Error(`${file} contains no readable session.`);
  const { name, ext } = parse(file);
  let target = join(sessionDir, `${name}${ext}`);
  if (resolve(target) === resolve(file)) return file;
  for (let suffix = 1; existsSync(target); suffix += 1) target = join(sessionDir, `${name}-${suffix}${ext}`);
  await mkdir(sessionDir, { recursive: true });
  await copyFile(file, target, constants.COPYFILE_EXCL);
  return target;
}

async function exportSession({ conversation, editor, chat }: BuiltInParts, path: string): Promise<void> {
  if (path === '') {
    editor.exportSession();
    return;
  }
  const file = await exportTo(conversation.store, conversation.ports.cwd, unquoted(path));
  chat.notice('info', l10n.t('Session exported to {0}', file), { file: { path: file } });
}

/** Paths with blanks may be quoted, as in pi. */
function unquoted(path: string): string {
  return /^(["'])(.*)\1$/.exec(path)?.[2] ?? path;
}
