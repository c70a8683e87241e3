import { render } from 'lit';
import type { ImageRef } from '../../src/protocol/chat-item';
import type { Delivery, SlashCommand } from '../../src/protocol/messages';
import type { ChatState } from '../reducer';
import { emit } from '../view/emit';
import { composerView, type ComposerHandlers } from './composer-view';
import { caretAtEdge, sentTexts, walkHistory, type HistoryWalk } from './history';
import { imageProblem, readImage } from './images';
import { completeCommand, matchCommands, slashKey, slashQuery, type SlashList } from './slash';

/** Where a message is typed. Its text lives in the textarea only; everything else is drawn from fields here. */
export class Composer {
  private state: ChatState;
  private list: SlashList | undefined;
  private walk: HistoryWalk | undefined;
  private images: readonly ImageRef[] = [];
  private problem = '';
  private readonly on: ComposerHandlers = {
    input: () => {
      this.typed();
    },
    keydown: event => {
      this.keyed(event);
    },
    paste: event => {
      this.pasted(event);
    },
    blur: () => {
      this.show({ list: undefined });
    },
    send: () => {
      this.send('steer');
      this.focus();
    },
    removeImage: index => {
      this.images = this.images.filter((_, at) => at !== index);
      this.draw();
      this.focus();
    },
    pick: command => {
      this.accept(command);
    },
  };

  /** `textChanged` hears each change of the text, typed or not. */
  constructor(
    private readonly host: HTMLElement,
    state: ChatState,
    private readonly textChanged: (text: string) => void,
  ) {
    this.state = state;
    this.draw();
  }

  get text(): string {
    return this.area.value;
  }

  update(state: ChatState): void {
    const commandsChanged = state.commands !== this.state.commands;
    if (!commandsChanged && state.status === this.state.status) {
      this.state = state;
      return;
    }
    this.state = state;
    if (commandsChanged && this.list) this.suggest();
    this.draw();
  }

  /** Replaces the text, or inserts at the caret. */
  put(text: string, mode: 'replace' | 'insert'): void {
    if (mode === 'replace') this.area.value = text;
    else this.area.setRangeText(text, this.area.selectionStart, this.area.selectionEnd, 'end');
    if (mode === 'replace') this.area.setSelectionRange(text.length, text.length);
    this.walk = undefined;
    this.list = undefined;
    this.afterChange();
  }

  /** Takes what the host puts here, images of a message that was not sent included. */
  giveBack(back: {
    readonly text: string;
    readonly mode: 'replace' | 'insert';
    readonly images?: readonly ImageRef[];
  }): void {
    this.images = [...(back.images ?? []), ...this.images];
    this.put(back.text, back.mode);
  }

  focus(): void {
    this.area.focus();
  }

  /** Takes dropped or pasted files; those that cannot be sent are named. */
  async attach(files: readonly File[]): Promise<void> {
    const problems = files.flatMap(file => imageProblem(file) ?? []);
    const good = files.filter(file => imageProblem(file) === undefined);
    const read = await Promise.allSettled(good.map(readImage));
    this.images = [...this.images, ...read.flatMap(one => (one.status === 'fulfilled' ? [one.value] : []))];
    for (const one of read) if (one.status === 'rejected') problems.push(String(one.reason));
    this.show({ problem: problems.join(' ') });
  }

  private get area(): HTMLTextAreaElement {
    const area = this.host.querySelector('textarea');
    if (!area) throw new Error('The composer has no text field.');
    return area;
  }

  private get canSend(): boolean {
    if (this.state.sync === 'waiting' || this.state.status.blocked !== undefined) return false;
    return this.images.length > 0 || (this.host.querySelector('textarea')?.value.trim() ?? '') !== '';
  }

  private draw(): void {
    const { list, images, problem, canSend } = this;
    render(composerView({ status: this.state.status, list, images, problem, canSend }, this.on), this.host);
    this.host.querySelector('.option.active')?.scrollIntoView({ block: 'nearest' });
  }

  private show(change: { readonly list?: SlashList | undefined; readonly problem?: string }): void {
    if ('list' in change) this.list = change.list;
    if (change.problem !== undefined) this.problem = change.problem;
    this.draw();
  }

  private typed(): void {
    this.walk = undefined;
    this.problem = '';
    this.suggest();
    this.afterChange();
  }

  /** After any change of the text: size, buttons, draft. */
  private afterChange(): void {
    const { area } = this;
    area.style.height = 'auto';
    area.style.height = `${area.scrollHeight}px`;
    this.draw();
    this.textChanged(area.value);
  }

  private suggest(): void {
    const query = slashQuery(this.area.value, this.area.selectionStart);
    const matches = query === undefined ? [] : matchCommands(this.state.commands, query);
    this.list = matches.length > 0 ? { matches, active: 0 } : undefined;
  }

  private accept(command: SlashCommand): void {
    const { text, caret } = completeCommand(this.area.value, command);
    this.put(text, 'replace');
    this.area.setSelectionRange(caret, caret);
    this.focus();
  }

  private keyed(event: KeyboardEvent): void {
    // While an input method composes, its keys are not ours; 229 is how older ones say it.
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- no other sign exists for those
    if (event.isComposing || event.keyCode === 229) return;
    if (this.keyForList(event)) return;
    if (event.key === 'Enter' && !event.shiftKey && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      this.send(event.altKey ? 'followUp' : 'steer');
    } else if (event.key === 'ArrowUp' || event.key === 'ArrowDown') this.keyForHistory(event);
  }

  private keyForList(event: KeyboardEvent): boolean {
    if (!this.list || event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return false;
    const query = slashQuery(this.area.value, this.area.selectionStart) ?? '';
    const step = slashKey(this.list, event.key, query);
    if (step.type === 'pass') return false;
    event.preventDefault();
    event.stopPropagation();
    if (step.type === 'accept') this.accept(step.command);
    else this.show({ list: step.list });
    return true;
  }

  private keyForHistory(event: KeyboardEvent): void {
    const { area } = this;
    const step = event.key === 'ArrowUp' ? 'older' : 'newer';
    if (event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return;
    if (area.selectionStart !== area.selectionEnd || !caretAtEdge(area.value, area.selectionStart, step)) return;
    const result = walkHistory(sentTexts(this.state.items), this.walk, step, area.value);
    if (!result) return;
    event.preventDefault();
    this.put(result.text, 'replace');
    this.walk = result.walk;
    if (step === 'older') area.setSelectionRange(0, 0);
  }

  private pasted(event: ClipboardEvent): void {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    void this.attach(files);
  }

  private send(delivery: Delivery): void {
    const { blocked } = this.state.status;
    if (blocked !== undefined) {
      this.show({ problem: `Not sent: ${blocked}` });
      return;
    }
    if (!this.canSend) return;
    emit(this.host, { type: 'submit', text: this.area.value, delivery, images: this.images });
    this.images = [];
    this.problem = '';
    this.put('', 'replace');
  }
}
