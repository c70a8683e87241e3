import { fitResultImages } from '../../agent/images/fit-images';
import { isOpenElsewhere } from '../../agent/session/file/access';
import { ToolBlocked, type AnyTool, type CommandFollower, type ToolContext } from '../../agent/tools/tool';
import { defined } from '../../base/defined';
import type { HookConversation } from '../../hook-contract/conversation-port';
import { beginSpan } from '../../hook-run/dispatch/span';
import type { CallSurroundings } from '../../hook-run/tool-call/tool-call';
import type { ConversationPorts } from '../ports/ports';
import type { SessionEvents } from '../ports/session-events';
import type { SessionState } from '../state/session-state';
import type { RunningCommands } from '../commands/running-commands';
import type { CallChanges } from './call-changes';
import type { HookEventQueue } from './hook-event-queue';
import type { CallOrigin, NestedCallRunner } from './nested-calls';

export interface SurroundingParts {
  readonly ports: ConversationPorts;
  /** The conversation as hooks see it. */
  readonly conversation: HookConversation;
  /** Say when a tool itself begins, after all hooks let it pass, and when it ends. */
  readonly events: SessionEvents;
  /** Keeps the content of files before a tool changes them; undefined where changes are not kept. */
  readonly changes: CallChanges | undefined;
  /** Keeps the commands of calls of the model; undefined where each call waits for its command. */
  readonly commands: RunningCommands | undefined;
  /** Hooks get a call after all events before it. */
  readonly hookEvents: HookEventQueue;
  readonly state: Pick<SessionState, 'store'>;
  /** The calls that the tool makes. */
  readonly nested: NestedCallRunner;
  /** Whether calls of the tool may run now. */
  readonly isUsable: (tool: AnyTool) => boolean;
}

/** What a conversation does around the calls of a tool; `origin`: another tool makes them. */
export function callSurroundings(parts: SurroundingParts, origin: CallOrigin | undefined): CallSurroundings {
  const { ports, conversation, events, changes, hookEvents, nested } = parts;
  // The tool that makes a call waits for its result, and not the model.
  const commands = origin === undefined ? parts.commands : undefined;
  return {
    whenDelivered: signal => hookEvents.whenDelivered(signal),
    admitted: toolCallId => events.fire({ type: 'call_admitted', toolCallId }),
    begin: async (tool, { toolCallId, input }, signal) => {
      await refuseUnrecordable(parts);
      if (!parts.isUsable(tool)) throw new ToolBlocked('Only tools that read can be used now.');
      const context = contextOf(conversation);
      const { rootId, calls, end } = nested.begin(toolCallId, signal, origin);
      // Changes of a nested call count for the model's call at the top.
      const endChanges = await changes?.begin(tool, rootId, input);
      events.fire({ type: 'tool_clock', toolCallId, isRunning: true });
      const about = { conversation: conversation.id, toolCallId, toolName: tool.name };
      const endSpan = beginSpan(ports.hooks.records, { kind: 'tool', ...about });
      return {
        context: {
          ...context,
          calls,
          ...defined({ command: followerOf(toolCallId, parts), keeper: commands?.keeperOf(toolCallId) }),
        },
        end: async () => {
          end();
          events.fire({ type: 'tool_clock', toolCallId, isRunning: false });
          endSpan();
          if (commands?.get(toolCallId)?.isLetGo !== true) await endChanges?.();
        },
        afterwards: () => commands?.afterEnd(toolCallId, async () => endChanges?.()),
      };
    },
    fit: async result => {
      const isWanted = ports.settings.current.images.autoResize;
      return isWanted && Array.isArray(result.content)
        ? { ...result, content: await fitResultImages(result.content) }
        : result;
    },
  };
}

/** What a call does could not be recorded once another has the session, and the answers to its questions do not count. */
async function refuseUnrecordable({ state }: SurroundingParts): Promise<void> {
  const access = await state.store.confirmAccess();
  if (isOpenElsewhere(access)) throw new ToolBlocked(`${access.reason}, so this call was not run.`);
}

/** Tells the view of the command of a call. A view that reads slowly holds up the command. */
function followerOf(toolCallId: string, { ports, events }: SurroundingParts): CommandFollower | undefined {
  if (ports.followsCommands !== true) return undefined;
  return {
    output: chunk => {
      events.fire({ type: 'command_output', toolCallId, chunk });
      return ports.whenDrained?.();
    },
    end: end => events.fire({ type: 'command_end', toolCallId, ...end }),
  };
}

/** The conversation as the built-in tools know it; those of hooks have their own `ctx`. */
function contextOf(conversation: HookConversation): ToolContext {
  return {
    model: conversation.model(),
    thinkingLevel: conversation.thinkingLevel(),
    sessionManager: conversation.sessionManager as ToolContext['sessionManager'],
  };
}
