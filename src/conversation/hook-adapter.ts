import { watchToolCalls } from '../hooks/host/approval';
import type { HookConversation } from '../hooks/conversation-port';
import type { HookEventType } from '../hooks/events/hook-event';
import type { HookHost } from '../hooks/host/host';
import { paletteOf } from '../hooks/api/ui/theme';
import { wrapToolsWithHooks } from '../hooks/dispatch/wrap-tools';
import type { HookRuntime } from './hook-runtime';

/** Steps a run or a compaction cannot go on without: when it is stopped, handlers that never answer are given up. */
const RUN_WAITS: ReadonlySet<HookEventType> = new Set([
  'context',
  'before_agent_start',
  'before_provider_request',
  'input',
  'auto_compaction_start',
  'auto_compaction_end',
  'session_compacting',
  'session_compact',
]);

/** The window's hooks as conversations use them. */
export function hookRuntime(host: HookHost): HookRuntime {
  return {
    emit: (event, conversation, options) =>
      host.runner.emit(
        event,
        conversation,
        options ?? (RUN_WAITS.has(event.type) ? { signal: conversation.signal } : {}),
      ),
    hasHandlers: type => host.runner.hasHandlers(type),
    wrapTools: (tools, conversation) =>
      wrapToolsWithHooks(
        watchToolCalls(tools, (tool, call) => host.duringToolCall(tool, call)),
        host.runner,
        conversation,
      ),
    tools: conversation => host.tools(conversation),
    get commands() {
      return host.commands.list();
    },
    completeArguments: (name, typed) => host.commands.completions(name, typed),
    runCommand: (name, args, conversation) => runCommand(host, name, args, conversation),
    infos: () => host.infos(),
    onDidChange: host.onDidChange,
    onDidDispatch: host.records.onDidDispatch,
    onError: host.onError,
    reload: () => host.reload({ freshAll: true }),
    attach: conversation => host.attach(conversation),
    setActive: conversation => host.setActive(conversation),
    messageRenderer: customType => host.messageRenderer(customType),
    toolRenderers: toolName => host.toolRenderers(toolName),
    get shortcuts() {
      return [...host.commands.shortcuts().keys()];
    },
    runShortcut: (key, conversation) => host.commands.runShortcut(key, conversation),
    useTheme: (name, colors) => host.theme.use(name, paletteOf(colors)),
    sessionDirectory: async cwd => (await host.runner.emit({ type: 'session_directory', cwd }, undefined)).sessionDir,
    farewell: conversation => host.farewell(conversation),
  };
}

/** A command of dialect v2 may answer with a status line, which is shown (reference section 9). */
async function runCommand(
  host: HookHost,
  name: string,
  args: string,
  conversation: HookConversation,
): Promise<boolean> {
  const outcome = await host.commands.run(name, args, conversation);
  if (!outcome.handled) return false;
  const hookPath = host.commands.list().find(command => command.name === name)?.hookPath ?? '';
  if (outcome.status !== undefined) {
    conversation.ui.notify(outcome.status, 'info', { hookPath, event: `command:${name}` });
  }
  return true;
}
