import * as l10n from '@vscode/l10n';
import { html, nothing, render, type TemplateResult } from 'lit';
import { visibleText } from '../../src/base/text/visible-text';
import type { Todos } from '../../src/protocol/panels/todos';
import { icon } from '../controls/controls';

type TodoItemView = Todos[number];

const STATES: Readonly<Record<TodoItemView['status'], { readonly icon: string; word(): string }>> = {
  pending: { icon: 'circle-large-outline', word: () => l10n.t('Open') },
  in_progress: { icon: 'arrow-circle-right', word: () => l10n.t('Doing') },
  completed: { icon: 'pass-filled', word: () => l10n.t('Done') },
  abandoned: { icon: 'circle-slash', word: () => l10n.t('Given up') },
};
/** Characters of an item that the folded list shows, at most; its width cuts it earlier. */
const FOLDED_LENGTH = 300;

/** Draws the todo list of the agent: one line, or when it is open, all items. */
export class TodoPanel {
  private todos: Todos = [];
  /** The item that was scrolled into view. */
  private inView: Element | null = null;

  constructor(
    private readonly host: HTMLElement,
    /** Keeps whether the list is open. */
    private readonly memory: { todosOpen: boolean },
  ) {}

  /** Draws the list if it has changed. */
  update(todos: Todos): void {
    if (todos === this.todos) return;
    this.todos = todos;
    this.draw();
  }

  private draw(): void {
    const { todos, memory, host } = this;
    const toggle = (): void => {
      memory.todosOpen = !memory.todosOpen;
      this.draw();
    };
    render(todos.length === 0 ? nothing : todosView(todos, memory.todosOpen, toggle), host);
    const current = host.querySelector('[data-status="in_progress"]') ?? host.querySelector('[data-status="pending"]');
    if (current !== this.inView) current?.scrollIntoView({ block: 'nearest' });
    this.inView = current;
  }
}

function todosView(todos: Todos, isOpen: boolean, toggle: () => void): TemplateResult {
  const done = todos.filter(isFinished).length;
  const count = l10n.t('{0} of {1} done', done, todos.length);
  return html`<section class="todos" aria-label=${l10n.t('Todo list')}>
    <button
      type="button"
      class="toggle todos-head"
      data-hookline="todos"
      aria-expanded=${isOpen ? 'true' : 'false'}
      title=${count}
      @click=${toggle}
    >
      ${icon(isOpen ? 'chevron-down' : 'chevron-right')}
      <span class="clip">${isOpen ? count : foldedText(todos, done)}</span>
    </button>
    <progress max=${todos.length} .value=${done} aria-hidden="true"></progress>
    ${isOpen ? listView(todos) : nothing}
  </section>`;
}

function foldedText(todos: Todos, done: number): string {
  const current = currentOf(todos);
  if (current === undefined) return l10n.t('All {0} done', todos.length);
  const words = visibleText(current.content.slice(0, FOLDED_LENGTH));
  return l10n.t('{0} of {1} · {2}', done, todos.length, words);
}

/** A list that is too long can be scrolled with the keyboard, so it takes the focus. */
function listView(todos: Todos): TemplateResult {
  return html`<ul class="todos-list" tabindex="0" aria-label=${l10n.t('Todo list')}>
    ${todos.map(({ content, status }) => {
      const state = STATES[status];
      const word = state.word();
      return html`<li data-status=${status}>
        <span title=${word}>${icon(state.icon)}</span>
        <span><span class="sr-only">${word}: </span>${visibleText(content)}</span>
      </li>`;
    })}
  </ul>`;
}

/** What the agent works on, else what comes next; undefined when all is finished. */
function currentOf(todos: Todos): TodoItemView | undefined {
  return todos.find(({ status }) => status === 'in_progress') ?? todos.find(({ status }) => status === 'pending');
}

function isFinished({ status }: TodoItemView): boolean {
  return status === 'completed' || status === 'abandoned';
}
