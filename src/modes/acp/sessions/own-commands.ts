import type { AvailableCommand } from '@agentclientprotocol/sdk';
import * as l10n from '@vscode/l10n';
import { CompactionCancelled } from '../../../agent/compaction/summarize';
import { visibleText } from '../../../base/text/visible-text';
import { exportTo } from '../../../export/write-export';
import { supportedLevels } from '../../../agent/thinking-levels';
import type { Conversation } from '../../../session/conversation';
import { describeSession } from '../../../session/describe-session';
import { parseCommand } from '../../../session/ports/slash-command';
import { resourceCommands } from '../../../session/prompts/resource-commands';
import { MCP_COMMAND, mcpCommands } from '../../../session/prompts/mcp-command';
import type { FolderTrust } from '../questions/folder-trust';
import { prevented } from './prevented';

/** What Hookline's own commands need of their session. */
export interface OwnCommandParts {
  readonly conversation: Conversation;
  readonly trust: Pick<FolderTrust, 'decide'>;
}

interface OwnCommand {
  readonly description: string;
  /** What to write after the name; absent where nothing is. */
  readonly hint?: string;
  run(parts: OwnCommandParts, args: string): unknown;
}

/** Commands of Hookline itself, unless a hook has one of the name. */
const OWN: Readonly<Record<string, OwnCommand>> = {
  compact: {
    description: l10n.t('Summarize the conversation so far to free context'),
    hint: l10n.t('what the summary must keep'),
    run: ({ conversation }, args) => compact(conversation, args),
  },
  model: {
    description: l10n.t('Choose the model, or use the one you name'),
    hint: l10n.t('provider/id'),
    run: ({ conversation }, args) => useModel(conversation, args),
  },
  thinking: {
    description: l10n.t('Set how much the model thinks: off, minimal, low, medium, high, xhigh, max'),
    hint: l10n.t('a level'),
    run: ({ conversation }, args) => {
      const levels = supportedLevels(conversation.state.model).join(', ');
      if (args === '') {
        say(conversation, l10n.t('Thinking level: {0} of {1}', conversation.state.effectiveLevel, levels));
      } else conversation.models.setThinkingLevel(args);
    },
  },
  name: {
    description: l10n.t('Name this session'),
    hint: l10n.t('a name'),
    run: ({ conversation }, args) => {
      if (args !== '') conversation.sessions.rename(args);
      else say(conversation, l10n.t('Name: {0}', conversation.store.getSessionName() ?? l10n.t('none')));
    },
  },
  session: {
    description: l10n.t('Show file, size and cost of this session'),
    run: ({ conversation }) => say(conversation, describeSession(conversation)),
  },
  export: {
    description: l10n.t('Export this session to an HTML, Markdown or JSONL file'),
    hint: l10n.t('a path'),
    run: async ({ conversation }, args) => {
      const file = await exportTo(conversation.store, conversation.ports.cwd, args);
      say(conversation, l10n.t('Session exported to {0}', file));
    },
  },
  reload: {
    description: l10n.t('Reload all hooks'),
    run: ({ conversation }) => conversation.forHooks.reload(),
  },
  trust: {
    description: l10n.t('Trust this folder and those below it: use their hooks, settings and resources'),
    run: async ({ conversation, trust }) => say(conversation, await trust.decide()),
  },
};

/**
 * The command of Hookline that the text names, ready to run; undefined when it names none. A command of a hook with the same
 * name comes first: ask only about a text that names no command of a hook.
 */
export function ownCommand(text: string, parts: OwnCommandParts): (() => Promise<void>) | undefined {
  const command = parseCommand(text);
  if (command === undefined || !Object.hasOwn(OWN, command.name)) return undefined;
  const own = OWN[command.name];
  if (own === undefined) return undefined;
  return async () => {
    await own.run(parts, command.args.trim());
  };
}

/** All that a user can write after a slash in a conversation; each name once, as it would be run. */
export function availableCommands({ ports, resources, forHooks }: Conversation): AvailableCommand[] {
  const { commands } = ports.hooks;
  const hints = new Map(resources.current.templates.map(({ name, argumentHint }) => [name, argumentHint]));
  const own = Object.entries(OWN).map(([name, { description, hint }]) => described(name, description, hint));
  const ofHooks = forHooks.commands().filter(({ source }) => source === 'extension');
  const all = [
    ...ofHooks.map(({ name, description = '' }) => described(name, description, l10n.t('arguments'))),
    ...own,
    ...mcpCommands(ports.mcp, commands).map(({ name, description }) =>
      described(name, description, name === MCP_COMMAND ? undefined : l10n.t('arguments')),
    ),
    ...resourceCommands(resources.current).map(({ name, description = '' }) =>
      described(name, description, hints.get(name) ?? l10n.t('arguments')),
    ),
  ];
  return all.filter(({ name }, index) => all.findIndex(other => other.name === name) === index);
}

function described(name: string, description: string, hint: string | undefined): AvailableCommand {
  return {
    name,
    description: visibleText(description === '' ? name : description),
    ...(hint === undefined ? {} : { input: { hint } }),
  };
}

/** @throws {AcpError} when a hook prevents it; Error with the reason when it fails */
async function compact({ run }: Conversation, instructions: string): Promise<void> {
  try {
    await run.compact(instructions === '' ? undefined : instructions);
  } catch (error) {
    throw error instanceof CompactionCancelled ? prevented('session_before_compact') : error;
  }
}

async function useModel(conversation: Conversation, name: string): Promise<void> {
  const { models, state } = conversation;
  const used = state.model === undefined ? l10n.t('none') : `${state.model.provider}/${state.model.id}`;
  if (name === '') {
    say(conversation, l10n.t('Model: {0}', used));
    return;
  }
  const model = models.named(name);
  if (model !== undefined && (await models.set(model))) return;
  conversation.events.notice('warning', l10n.t('There is no usable model "{0}". The model stays {1}.', name, used));
}

function say({ events }: Conversation, text: string): void {
  events.notice('info', text);
}
