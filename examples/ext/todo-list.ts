import type { ExtensionAPI, ExtensionContext } from '@mariozechner/pi-coding-agent';

const TYPE = 'todo-list';
const ACTIONS = ['add', 'done', 'list'] as const;

interface Todo {
  readonly text: string;
  done: boolean;
}

/**
 * `/todo add <text>`, `/todo done <number>`, `/todo list`: a list that belongs to the session, with completions for what
 * can be typed next and a count in the status line.
 *
 * Each change is stored as a new entry with the whole list. The newest on the path to where we are wins, so the list
 * follows when you fork or move in the tree.
 */
export default function todoList(pi: ExtensionAPI) {
  let todos: Todo[] = [];

  const show = (ctx: ExtensionContext) => {
    const open = todos.filter(({ done }) => !done).length;
    ctx.ui.setStatus('todos', todos.length === 0 ? undefined : `${open} of ${todos.length} to do`);
  };
  const restore = (_event: unknown, ctx: ExtensionContext) => {
    todos = latestIn(ctx);
    show(ctx);
  };
  pi.on('session_start', restore);
  pi.on('session_tree', restore);
  pi.on('session_fork', restore);

  pi.registerCommand('todo', {
    description: 'Keep a list of what is left to do',
    getArgumentCompletions: prefix => {
      const done = /^done\s+(.*)$/.exec(prefix);
      if (done === null) {
        return ACTIONS.filter(action => action.startsWith(prefix)).map(action => ({ value: action, label: action }));
      }
      return todos.flatMap((todo, index) =>
        todo.done ? [] : [{ value: `done ${index + 1}`, label: `${index + 1}: ${todo.text}` }],
      );
    },
    handler: async (args, ctx) => {
      const [, action = 'list', rest = ''] = /^(\S*)\s*(.*)$/.exec(args.trim()) ?? [];
      const chosen = todos[Number.parseInt(rest, 10) - 1];
      if (action === 'add' && rest !== '') todos.push({ text: rest, done: false });
      else if (action === 'done' && chosen !== undefined) chosen.done = true;
      else {
        ctx.ui.notify(todos.map(line).join('\n') || 'Nothing to do', 'info');
        return;
      }
      // A copy: the entry must not change with the next command.
      pi.appendEntry(TYPE, { todos: structuredClone(todos) });
      show(ctx);
    },
  });
}

function line(todo: Todo, index: number): string {
  return `${todo.done ? '✔' : '·'} ${index + 1}: ${todo.text}`;
}

function latestIn(ctx: ExtensionContext): Todo[] {
  const found = ctx.sessionManager.getBranch().findLast(entry => entry.type === 'custom' && entry.customType === TYPE);
  // A copy: what the session holds is not ours to change.
  return found?.type === 'custom' ? structuredClone((found.data as { todos: Todo[] }).todos) : [];
}
