import assert from 'node:assert/strict';
import { createTodoTool, describeTodos, todosOf, unfinished, type Todo } from '../../../src/agent/tools/todo';

describe('the todo tool', () => {
  const todos: readonly Todo[] = [
    { content: 'look', status: 'completed' },
    { content: 'leap', status: 'in_progress' },
    { content: 'land', status: 'pending' },
    { content: 'fly', status: 'abandoned' },
  ];

  it('takes the whole list, shows it, and keeps it in its result', async () => {
    const kept: (readonly Todo[])[] = [];
    const tool = createTodoTool(list => kept.push(list));
    const result = await tool.execute('1', { todos: [...todos] }, undefined);
    assert.deepEqual(result.content, [
      { type: 'text', text: '2 of 4 todos are unfinished.\n[x] look\n[>] leap\n[ ] land\n[-] fly' },
    ]);
    await tool.execute('2', { todos: [] }, undefined);
    assert.deepEqual(kept, [todos, []]);
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
});
