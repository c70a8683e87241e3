import { render } from 'lit';
import type { ChangedFile } from '../../src/protocol/changes';
import type { ChatState } from '../chat/reducer';
import { emit } from '../controls/emit';
import { changesView, type ChangesLook } from './changes-view';

/** Keeps which parts of the list of changed files are open, and asks the host for the differences they show. */
export class ChangesPanel {
  private isOpen = false;
  private conversation = '';
  private readonly opened = new Set<string>();
  /** Versions asked for, by path. */
  private readonly asked = new Map<string, number>();
  private state: Pick<ChatState, 'changes' | 'diffs' | 'conversation'> | undefined;

  constructor(private readonly host: HTMLElement) {}

  /** Draws the list when something of it is new. */
  update(state: Pick<ChatState, 'changes' | 'diffs' | 'conversation'>): void {
    const { changes, diffs, conversation } = state;
    const before = this.state;
    if (before?.changes === changes && before.diffs === diffs && before.conversation === conversation) return;
    this.state = state;
    if (conversation !== this.conversation) this.forget(conversation);
    for (const file of changes.files) if (this.opened.has(file.path)) this.ask(file, diffs[file.path]?.version);
    this.draw();
  }

  private forget(conversation: string): void {
    this.conversation = conversation;
    this.opened.clear();
    this.asked.clear();
  }

  private ask({ path, version }: ChangedFile, known: number | undefined): void {
    if (known === version || this.asked.get(path) === version) return;
    this.asked.set(path, version);
    emit(this.host, { type: 'loadDiff', path });
  }

  private draw(): void {
    const { state } = this;
    if (state === undefined) return;
    const look: ChangesLook = {
      isOpen: this.isOpen,
      opened: this.opened,
      diffs: state.diffs,
      toggleList: () => {
        this.isOpen = !this.isOpen;
        this.draw();
      },
      toggleFile: file => {
        if (this.opened.delete(file.path)) this.asked.delete(file.path);
        else {
          this.opened.add(file.path);
          this.ask(file, state.diffs[file.path]?.version);
        }
        this.draw();
      },
    };
    render(changesView(state.changes, look), this.host);
  }
}
