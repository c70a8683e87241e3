import * as l10n from '@vscode/l10n';
import type { HookConversation } from '../../hooks/conversation-port';
import { BUILT_IN_COMMANDS } from '../../startup/built-in-commands';
import type { SlashCommand } from '../../protocol/messages';
import type { ChatModel } from '../cards/chat-model';
import { exportTo } from '../export/write-export';
import type { ConversationPorts } from '../ports';
import { describeSession, lastAnswerText } from '../session/session-stats';
import type { SessionFlow } from '../session/session-flow';
import type { SessionState } from '../session/session-state';
import type { ConversationStatus } from '../status';
import type { ModelChoice } from './model-choice';
import type { RunControl } from './run-control';

/** A text that was submitted as a command. */
export interface SubmittedCommand {
  readonly name: string;
  /** Everything after the one blank behind the name, as it was typed. */
  readonly args: string;
}

/** Splits `/name args`; undefined when the text is no command. A newline belongs to the name, so `/x\ny` is none. */
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

const BUILT_IN: Readonly<Record<(typeof BUILT_IN_COMMANDS)[number], BuiltIn>> = {
  new: {
    description: l10n.t('Start a new session'),
    run: ({ ports, sessions }) => ports.neighbours?.newSession() ?? sessions.newSession(),
  },
  resume: {
    description: l10n.t('Go back to an earlier session'),
    run: ({ ports }) => ports.editor.pickSession(),
  },
  compact: {
    description: l10n.t('Summarise the conversation so far to free context'),
    run: ({ control }, args) => control.compact(args.trim() === '' ? undefined : args.trim()),
  },
  model: {
    description: l10n.t('Choose the model'),
    run: ({ ports }) => ports.editor.pickModel(),
  },
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
  export: {
    description: l10n.t('Export this session to an HTML or Markdown file'),
    run: (parts, args) => exportSession(parts, args.trim()),
  },
  session: {
    description: l10n.t('Show file, size and cost of this session'),
    run: ({ chat, state, status }) => chat.notice('info', describeSession(state.store, status.current)),
  },
  reload: { description: l10n.t('Load all hooks anew'), run: ({ conversation }) => conversation.reload() },
  copy: {
    description: l10n.t('Copy the last answer'),
    run: ({ ports, control }) => ports.editor.copy(lastAnswerText(control.agent.messages)),
  },
  thinking: {
    description: l10n.t('Set how much the model thinks: off, minimal, low, medium, high, xhigh, max'),
    run: ({ models }, args) => models.setThinkingLevel(args.trim()),
  },
};

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
