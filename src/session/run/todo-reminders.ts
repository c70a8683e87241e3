import type { CustomMessage } from '../../agent/messages';
import { createTodoTool, describeTodos, todosOf, unfinished, type Todo } from '../../agent/tools/todo';
import type { PiSettings } from '../../agent/settings/pi-settings';
import type { AnyTool } from '../../agent/tools/tool';
import type { HookEventOf } from '../../hook-contract/hook-event';
import type { ConversationPorts } from '../ports/ports';
import type { SessionState } from '../state/session-state';

/** How often the agent is reminded of a list that it does not change. */
const MAX_REMINDERS = 3;
const REMINDER_MESSAGE = 'todo-reminder';
const NEVER = { list: '', attempts: 0 };
/** How far back from the end of a session its list is looked for, in entries. */
const SEARCHED_ENTRIES = 5000;

export interface TodoParts {
  readonly ports: Pick<ConversationPorts, 'settings' | 'hooks'>;
  readonly state: SessionState;
}

/** The event for hooks, and the text for the model. */
export interface Reminder {
  readonly event: HookEventOf<'todo_reminder'>;
  readonly message: CustomMessage;
}

/** The todo list of a conversation and the reminders of its open items. */
export class TodoReminders {
  readonly tool: AnyTool;
  private list: readonly Todo[] | undefined;
  private reminded = NEVER;

  constructor(private readonly parts: TodoParts) {
    this.tool = createTodoTool(todos => {
      this.list = todos;
    });
  }

  /** Whether the tool is offered: when the settings say so, or when a hook listens to reminders. */
  get isOffered(): boolean {
    return this.settings.enabled || this.parts.ports.hooks.runner.hasHandlers('todo_reminder');
  }

  get todos(): readonly Todo[] {
    return (this.list ??= this.readSession());
  }

  /** Called when the agent would stop; undefined when it may. Each reminder counts as an attempt. */
  next(): Reminder | undefined {
    if (!this.isOffered || !this.settings.reminders) return undefined;
    const left = unfinished(this.todos);
    if (left.length === 0) return undefined;
    const list = JSON.stringify(this.todos);
    if (this.reminded.list !== list) this.reminded = { list, attempts: 0 };
    if (this.reminded.attempts >= MAX_REMINDERS) return undefined;
    const attempt = this.reminded.attempts + 1;
    this.reminded = { list, attempts: attempt };
    const event = { type: 'todo_reminder', todos: left, attempt, maxAttempts: MAX_REMINDERS } as const;
    return { event, message: reminderOf(this.todos, attempt) };
  }

  /** The session or the position in it changed. */
  forget(): void {
    this.list = undefined;
    this.reminded = NEVER;
  }

  private get settings(): PiSettings['todo'] {
    return this.parts.ports.settings.current.todo;
  }

  private readSession(): readonly Todo[] {
    const { store } = this.parts.state;
    const path = store.getPathIds().slice(-SEARCHED_ENTRIES);
    for (const node of path.reverse()) {
      if (node.type !== 'message') continue;
      const entry: object | undefined = store.getEntry(node.id);
      const message: unknown = entry !== undefined && 'message' in entry ? entry.message : undefined;
      const todos = typeof message === 'object' && message !== null ? todosOf(message) : undefined;
      if (todos !== undefined) return todos;
    }
    return [];
  }
}

function reminderOf(todos: readonly Todo[], attempt: number): CustomMessage {
  const content = `You stopped, but your todo list is not finished (reminder ${attempt} of ${MAX_REMINDERS}). Continue, or update the list with the todo tool if it is out of date.\n\n${describeTodos(todos)}`;
  const timestamp = Date.now();
  return { role: 'custom', customType: REMINDER_MESSAGE, content, display: false, details: { attempt }, timestamp };
}
