import type { PlanEntry, SessionUpdate } from '@agentclientprotocol/sdk';
import * as l10n from '@vscode/l10n';
import type { Todo } from '../../../agent/tools/todo';
import { visibleText } from '../../../base/text/visible-text';

/** The todo list of the agent as the plan of the session. The protocol has no item that was given up: its text says so. */
export function planOf(todos: readonly Todo[]): SessionUpdate {
  return { sessionUpdate: 'plan', entries: todos.map(entryOf) };
}

function entryOf({ content: given, status }: Todo): PlanEntry {
  const content = visibleText(given);
  return status === 'abandoned'
    ? { content: l10n.t('{0} (given up)', content), status: 'completed', priority: 'medium' }
    : { content, status, priority: 'medium' };
}
