import { Type, type Static } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { textResult } from './result';
import { defineTool, type Tool } from './tool';

/** The name of the tool, also in results in sessions. */
const TODO_TOOL = 'todo';

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

/** Details of a result: the list after the call. A resumed session reads it from there. */
export interface TodoDetails {
  readonly todos: readonly Todo[];
}

const MARKS: Readonly<Record<Todo['status'], string>> = {
  pending: '[ ]',
  in_progress: '[>]',
  completed: '[x]',
  abandoned: '[-]',
};

/** The `todo` tool; `keep` gets each new list. */
export function createTodoTool(keep: (todos: readonly Todo[]) => void): Tool<typeof parameters, TodoDetails> {
  return defineTool({
    name: TODO_TOOL,
    label: 'todo',
    isReadOnly: true,
    description:
      'Keep a list of what must be done. Each call gives the whole list with the state of every item; an empty list clears it.',
    promptSnippet: 'Keep the list of what must be done',
    promptGuidelines: [
      'For work of several steps, write the steps down with todo, and mark each one when you start it and when it is done.',
    ],
    parameters,
    execute(_toolCallId, { todos }) {
      keep(todos);
      return Promise.resolve(textResult(describeTodos(todos), { todos }));
    },
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
