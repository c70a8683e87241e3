import { isDeepStrictEqual } from 'node:util';
import type { AgentMessage, CustomMessage } from '../../agent/messages';
import { defaultTools } from '../../agent/settings/default-tools';
import type { PiSettings } from '../../agent/settings/pi-settings';
import { createTodoTool, describeTodos, TODO_TOOL, todosAfter, unfinished, type Todo } from '../../agent/tools/todo';
import type { AnyTool } from '../../agent/tools/tool';
import { DisposableStore } from '../../base/disposable';
import type { HookConversation } from '../../hook-contract/conversation-port';
import type { HookEventOf } from '../../hook-contract/hook-event';
import type { ConversationPorts } from '../ports/ports';
import type { SessionEvents } from '../ports/session-events';

/** How often the agent is reminded of a list that it does not change. */
const MAX_REMINDERS = 3;
const REMINDER_MESSAGE = 'todo-reminder';
const NEVER = { list: '', attempts: 0 };

export interface TodoListParts {
  readonly ports: Pick<ConversationPorts, 'settings' | 'hooks' | 'showsTodos'>;
  readonly conversation: HookConversation;
  readonly events: Pick<SessionEvents, 'fire'>;
}

/** The event for hooks, and the text for the model. */
export interface Reminder {
  readonly event: HookEventOf<'todo_reminder'>;
  readonly message: CustomMessage;
}

/** The todo list of a conversation, which is what the messages of the current branch say, and the reminders of its open items. */
export class TodoList {
  readonly tool: AnyTool = createTodoTool();
  private readonly owned = new DisposableStore();
  private list: readonly Todo[] = [];
  /** As last told. */
  private told: readonly Todo[] = [];
  private reminded = NEVER;

  constructor(private readonly parts: TodoListParts) {
    const { hooks, settings } = parts.ports;
    this.owned.add(hooks.onDidChange(() => this.tell()));
    this.owned.add(settings.onDidChange(() => this.tell()));
  }

  /** Whether the tool is offered: as the settings say, else where the view shows the list or a hook listens to reminders. */
  get isOffered(): boolean {
    return this.settings.enabled ?? (this.isUsual || this.isHeard);
  }

  /** Empty when there is none, or when a hook has a `todo` tool of its own. */
  get current(): readonly Todo[] {
    return this.isOffered && !this.isOfHook ? this.list : [];
  }

  /** The session, or the place in it, is another one; `messages` are those of its branch. */
  follow(messages: readonly AgentMessage[]): void {
    this.list = messages.reduce(todosAfter, []);
    this.reminded = NEVER;
    this.tell();
  }

  /** The branch has one more message. */
  noteMessage(message: AgentMessage): void {
    this.list = todosAfter(this.list, message);
    this.tell();
  }

  /** Called when the agent would stop; undefined when it may. Each reminder counts as an attempt. */
  next(): Reminder | undefined {
    if (!(this.settings.reminders ?? (this.settings.enabled === true || this.isHeard))) return undefined;
    const { current } = this;
    const left = unfinished(current);
    if (left.length === 0) return undefined;
    const list = JSON.stringify(current);
    if (this.reminded.list !== list) this.reminded = { list, attempts: 0 };
    if (this.reminded.attempts >= MAX_REMINDERS) return undefined;
    const attempt = this.reminded.attempts + 1;
    this.reminded = { list, attempts: attempt };
    const event = { type: 'todo_reminder', todos: left, attempt, maxAttempts: MAX_REMINDERS } as const;
    return { event, message: reminderOf(current, attempt) };
  }

  dispose(): void {
    this.owned.dispose();
  }

  private tell(): void {
    const { current } = this;
    if (isDeepStrictEqual(current, this.told)) return;
    this.told = current;
    this.parts.events.fire({ type: 'todos_changed', todos: current });
  }

  private get settings(): PiSettings['todo'] {
    return this.parts.ports.settings.current.todo;
  }

  /** `defaultTools` counts for it as for the other built-in tools. */
  private get isUsual(): boolean {
    const { showsTodos = false, settings } = this.parts.ports;
    return showsTodos && defaultTools([{ name: TODO_TOOL }], settings.current.defaultTools).has(TODO_TOOL);
  }

  private get isHeard(): boolean {
    return this.parts.ports.hooks.runner.hasHandlers('todo_reminder');
  }

  private get isOfHook(): boolean {
    return this.parts.ports.hooks.tools(this.parts.conversation).some(({ name }) => name === TODO_TOOL);
  }
}

function reminderOf(todos: readonly Todo[], attempt: number): CustomMessage {
  const content = `You stopped, but your todo list is not finished (reminder ${attempt} of ${MAX_REMINDERS}). Continue, or update the list with the todo tool if it is out of date.\n\n${describeTodos(todos)}`;
  const timestamp = Date.now();
  return { role: 'custom', customType: REMINDER_MESSAGE, content, display: false, details: { attempt }, timestamp };
}
