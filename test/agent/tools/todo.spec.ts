import assert from 'node:assert/strict';
import { toolFacts } from '../../../src/agent/tools';
import {
  createTodoTool,
  describeTodos,
  todosAfter,
  todosOf,
  unfinished,
  type Todo,
} from '../../../src/agent/tools/todo';

describe('the todo tool', () => {
  const todos: readonly Todo[] = [
    { content: 'look', status: 'completed' },
    { content: 'leap', status: 'in_progress' },
    { content: 'land', status: 'pending' },
    { content: 'fly', status: 'abandoned' },
  ];

  it('takes the whole list, shows it, and keeps it in its result', async () => {
    const result = await createTodoTool().execute('1', { todos: [...todos] }, undefined);
    assert.deepEqual(result.content, [
      { type: 'text', text: '2 of 4 todos are unfinished.\n[x] look\n[>] leap\n[ ] land\n[-] fly' },
    ]);
    const message = { role: 'toolResult', toolName: 'todo', isError: false, details: result.details };
    assert.deepEqual(todosOf(message), todos);
  });

  it('tells what is left', () => {
    assert.deepEqual(
      unfinished(todos).map(({ content }) => content),
      ['leap', 'land'],
    );
    assert.equal(describeTodos([]), 'The todo list is empty.');
    assert.match(describeTodos([{ content: 'a', status: 'completed' }]), /^All 1 todos are finished\./);
  });

  it('knows its own results from others', () => {
    const details = { todos: [{ content: 'a', status: 'pending' }] };
    assert.equal(todosOf({ toolName: 'read', details }), undefined);
    assert.equal(todosOf({ toolName: 'todo', details, isError: true }), undefined);
    assert.equal(
      todosOf({ toolName: 'todo', details: { action: 'add', todos: [{ id: 1, text: 'x', done: false }] } }),
      undefined,
    );
    assert.equal(todosOf({ toolName: 'todo' }), undefined);
    assert.equal(todosOf({}), undefined);
  });

  it('has a list until all is finished and the user says something new', () => {
    const result = (list: readonly Todo[], isError = false): { readonly role: string; readonly toolName: string } => {
      const message = { role: 'toolResult', toolName: 'todo', isError, details: { todos: list } };
      return message;
    };
    const finished = todos.filter(({ status }) => status === 'completed' || status === 'abandoned');
    const after = (...messages: readonly { readonly role: string }[]): readonly Todo[] =>
      messages.reduce<readonly Todo[]>(todosAfter, []);
    assert.deepEqual(after(result(todos), { role: 'assistant' }, { role: 'user' }), todos);
    assert.deepEqual(after(result(finished), { role: 'assistant' }, { role: 'custom' }), finished);
    assert.deepEqual(after(result(finished), { role: 'user' }), []);
    assert.deepEqual(after(result(todos), result([])), []);
    assert.deepEqual(after(result(todos), result([], true)), todos);
  });

  it('is told in one line: how much is finished, and what is worked on', () => {
    const { summarize, icon } = toolFacts('todo');
    assert.equal(icon, 'checklist');
    assert.equal(summarize({ todos }), '2/4 · leap');
    assert.equal(summarize({ todos: [{ content: 'a', status: 'completed' }] }), '1/1');
    assert.equal(summarize({ action: 'add', text: 'of a hook' }), 'add');
    assert.equal(summarize({ todos: [{ cont: 1 }] }), '', 'the arguments are still arriving');
  });
});
