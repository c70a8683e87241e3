import { rm } from 'node:fs/promises';
import * as l10n from '@vscode/l10n';
import { resolveToCwd } from '../../agent/tools/files/paths';
import type { HookConversation } from '../../hook-contract/conversation-port';
import { ABSENT_COMMANDS, BUILT_IN_COMMANDS, type BuiltInCommandName } from '../../startup/built-in-commands';
import type { SlashCommand } from '../../protocol/messages';
import type { ChatModel } from '../model/chat-model';
import { exportTo } from '../../export/write-export';
import type { EditorTarget } from '../editor/editor-port';
import type { ConversationPorts } from '../../session/ports/ports';
import { importSession } from './import-session';
import { askToGoOn, forkInto, missingFolder } from '../../session/state/missing-folder';
import { sessionNamed } from '../composer/named-session';
import { describeSession, forkPoints, lastAnswerText } from '../../session/state/session-stats';
import type { SessionFlow } from '../../session/moves/session-flow';
import type { SessionState } from '../../session/state/session-state';
import type { ConversationStatus } from '../status';
import type { ModelChoice } from '../../session/models/model-choice';
import type { RunControl } from '../../session/run/run-control';

/** A text that was submitted as a command. */
export interface SubmittedCommand {
  readonly name: string;
  /** Everything after the space that follows the name, as typed. */
  readonly args: string;
}

/** Splits `/name args`; undefined when the text is not a command. A newline belongs to the name, so `/x\ny` is none. */
export function parseCommand(text: string): SubmittedCommand | undefined {
  if (!text.startsWith('/')) return undefined;
  const blank = text.indexOf(' ');
  const name = blank < 0 ? text.slice(1) : text.slice(1, blank);
  if (name === '' || name.includes('\n')) return undefined;
  return { name, args: blank < 0 ? '' : text.slice(blank + 1) };
}

/** What the commands of Hookline itself need of their conversation. */
export interface BuiltInParts {
  readonly ports: ConversationPorts;
  /** The conversation as hooks see it. */
  readonly conversation: HookConversation;
  readonly chat: ChatModel;
  readonly state: SessionState;
  readonly status: ConversationStatus;
  readonly models: ModelChoice;
  readonly control: RunControl;
  readonly sessions: SessionFlow;
}

interface BuiltIn {
  readonly description: string;
  run(parts: BuiltInParts, args: string): unknown;
}

/** A command that opens a page of the editor. */
function leadsTo(page: EditorTarget, description: string): BuiltIn {
  return { description, run: ({ ports }) => ports.editor.show?.(page) };
}

const BUILT_IN: Readonly<Record<BuiltInCommandName, BuiltIn>> = {
  new: {
    description: l10n.t('Start a new session'),
    run: ({ ports, sessions }) => ports.neighbours?.newSession() ?? sessions.newSession(),
  },
  resume: {
    description: l10n.t('Go back to an earlier session'),
    run: ({ ports }, args) => resume(ports, args.trim()),
  },
  compact: {
    description: l10n.t('Summarize the conversation so far to free context'),
    run: ({ control }, args) => control.compact(args.trim() === '' ? undefined : args.trim()),
  },
  model: {
    description: l10n.t('Choose the model, or use the one you name'),
    run: (parts, args) => chooseModel(parts, args.trim()),
  },
  'scoped-models': leadsTo('scopedModels', l10n.t('Choose which models to cycle through')),
  name: {
    description: l10n.t('Name this session'),
    run: ({ ports, sessions }, args) => {
      if (args.trim() === '' && ports.editor.renameSession !== undefined) ports.editor.renameSession();
      else sessions.rename(args.trim());
    },
  },
  tree: {
    description: l10n.t('Show the branches of this session and go to one'),
    run: ({ ports }) => ports.editor.showTree?.(),
  },
  fork: {
    description: l10n.t('Start a new session from an earlier message of yours'),
    run: forkFromMessage,
  },
  clone: {
    description: l10n.t('Start a new session with a copy of this one'),
    run: ({ sessions }) => sessions.clone(),
  },
  import: {
    description: l10n.t('Copy a session file to this folder and open it'),
    run: (parts, args) => importFile(parts, unquoted(args.trim())),
  },
  settings: leadsTo('settings', l10n.t('Open the settings')),
  login: {
    description: l10n.t('Log in to a provider'),
    run: ({ ports }, args) => ports.editor.logIn?.(args.trim() === '' ? undefined : args.trim()),
  },
  logout: {
    description: l10n.t('Log out of a provider'),
    run: ({ ports }, args) => ports.editor.logOut?.(args.trim() === '' ? undefined : args.trim()),
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
    run: ({ chat, state, status }) => chat.notice('info', describeSession(state.store, status.current)),
  },
  reload: { description: l10n.t('Reload all hooks'), run: ({ conversation }) => conversation.reload() },
  copy: {
    description: l10n.t('Copy the last answer'),
    run: ({ ports, control }) => ports.editor.copy(lastAnswerText(control.agent.messages)),
  },
  thinking: {
    description: l10n.t('Set how much the model thinks: off, minimal, low, medium, high, xhigh, max'),
    run: ({ ports, models }, args) => {
      if (args.trim() === '' && ports.editor.show !== undefined) ports.editor.show('thinking');
      else models.setThinkingLevel(args.trim());
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
export function absentCommand(name: string): string | undefined {
  const absent = ABSENT_COMMANDS.find(known => known === name);
  return absent === undefined ? undefined : ABSENT[absent];
}

/** Runs a built-in command; undefined when there is none of that name. */
export function runBuiltIn(command: SubmittedCommand, parts: BuiltInParts): Promise<void> | undefined {
  const name = BUILT_IN_COMMANDS.find(known => known === command.name);
  if (name === undefined) return undefined;
  return Promise.resolve(BUILT_IN[name].run(parts, command.args)).then(() => undefined);
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
async function resume({ editor, neighbours }: ConversationPorts, given: string): Promise<void> {
  const named = given === '' ? undefined : sessionNamed(given, (await neighbours?.sessions()) ?? []);
  if (named === undefined) editor.pickSession(given === '' ? undefined : given);
  else await neighbours?.resume(named.file);
}

/**
 * Uses a full name (`provider/id`, or an id that only one provider has) at once; otherwise asks the user, with the text
 * as the search.
 */
async function chooseModel({ ports, models }: BuiltInParts, name: string): Promise<void> {
  const lower = name.toLowerCase();
  const [model, ...others] = ports.models
    .getAvailable()
    .filter(({ provider, id }) => [`${provider}/${id}`, id].some(known => known.toLowerCase() === lower));
  if (model !== undefined && others.length === 0 && (await models.set(model))) return;
  ports.editor.pickModel(name === '' ? undefined : name);
}

async function forkFromMessage({ ports, chat, state, sessions }: BuiltInParts): Promise<void> {
  const points = forkPoints(state.store);
  if (points.length === 0) {
    chat.notice('info', l10n.t('You have not sent a message yet.'));
    return;
  }
  const entryId = await ports.editor.pickMessage?.(points);
  if (entryId !== undefined) await sessions.fork(entryId);
}

async function importFile({ ports, sessions, chat }: BuiltInParts, given: string): Promise<void> {
  const path = given === '' ? await ports.editor.pickSessionFile?.() : resolveToCwd(given, ports.cwd);
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

async function exportSession({ ports, chat, state }: BuiltInParts, path: string): Promise<void> {
  const { editor, cwd } = ports;
  if (path === '' && editor.exportSession !== undefined) {
    editor.exportSession();
    return;
  }
  const file = await exportTo(state.store, cwd, unquoted(path));
  chat.notice('info', l10n.t('Session exported to {0}', file), { file: { path: file } });
}

/** Paths with blanks may be quoted, as in pi. */
function unquoted(path: string): string {
  return /^(["'])(.*)\1$/.exec(path)?.[2] ?? path;
}
