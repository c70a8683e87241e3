import { Type, type Static } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { UNKNOWN_TOOL, type ToolFacts } from './facts';
import { textResult } from './result';
import { defineTool, type Tool } from './tool';

/** The name of the tool, also in results in sessions. */
export const TODO_TOOL = 'todo';

const Item = Type.Object({
  content: Type.String({ description: 'What must be done, in a few words' }),
  status: Type.Union(
    [Type.Literal('pending'), Type.Literal('in_progress'), Type.Literal('completed'), Type.Literal('abandoned')],
    { description: 'abandoned: given up on purpose' },
  ),
});

const parameters = Type.Object({
  todos: Type.Array(Item, { description: 'The whole list; it replaces the earlier one' }),
});

/** One thing that the agent plans to do. */
export type Todo = Static<typeof Item>;

/** Details of a result: the list after the call. Views and resumed sessions read it from there. */
export interface TodoDetails {
  readonly todos: readonly Todo[];
}

const MARKS: Readonly<Record<Todo['status'], string>> = {
  pending: '[ ]',
  in_progress: '[>]',
  completed: '[x]',
  abandoned: '[-]',
};

/** What cards and exports show of a call. A hook may have a tool of this name with other arguments. */
export const TODO_FACTS: ToolFacts = {
  ...UNKNOWN_TOOL,
  icon: 'checklist',
  summarize: args => (Value.Check(parameters, args) ? summaryOf(args.todos) : UNKNOWN_TOOL.summarize(args)),
};

/** The `todo` tool. Only the model can call it: the list is in its result, and results of nested calls are in no session. */
export function createTodoTool(): Tool<typeof parameters, TodoDetails> {
  return defineTool({
    ...TODO_FACTS,
    name: TODO_TOOL,
    label: 'todo',
    isReadOnly: true,
    exposure: 'model-only',
    description:
      'Keep a list of what must be done. Each call gives the whole list with the state of every item; an empty list clears it.',
    promptSnippet: 'Keep the list of what must be done',
    promptGuidelines: [
      'For work of several steps, write the steps down with todo, and mark each one when you start it and when it is done.',
    ],
    parameters,
    execute: (_toolCallId, { todos }) => Promise.resolve(textResult(describeTodos(todos), { todos })),
  });
}

/** The list as the model and people read it. */
export function describeTodos(todos: readonly Todo[]): string {
  if (todos.length === 0) return 'The todo list is empty.';
  const left = unfinished(todos).length;
  const head =
    left === 0 ? `All ${todos.length} todos are finished.` : `${left} of ${todos.length} todos are unfinished.`;
  return [head, ...todos.map(({ content, status }) => `${MARKS[status]} ${content}`)].join('\n');
}

export function unfinished(todos: readonly Todo[]): readonly Todo[] {
  return todos.filter(({ status }) => status === 'pending' || status === 'in_progress');
}

/** The list in a message of a session. Undefined for all other messages, such as those of a hook's own `todo`. */
export function todosOf(message: object): readonly Todo[] | undefined {
  if (!('toolName' in message) || message.toolName !== TODO_TOOL) return undefined;
  if ('isError' in message && message.isError === true) return undefined;
  const details: unknown = 'details' in message ? message.details : undefined;
  return Value.Check(parameters, details) ? details.todos : undefined;
}

/** The list after a message of the session: a finished list is over when the user says something new. */
export function todosAfter(list: readonly Todo[], message: { readonly role: string }): readonly Todo[] {
  const written = todosOf(message);
  if (written !== undefined) return written;
  return message.role === 'user' && unfinished(list).length === 0 ? [] : list;
}

/** How many items are finished, and the one that is worked on. */
function summaryOf(todos: readonly Todo[]): string {
  const count = `${todos.length - unfinished(todos).length}/${todos.length}`;
  const current = todos.find(({ status }) => status === 'in_progress');
  return current === undefined ? count : `${count} · ${current.content}`;
}
