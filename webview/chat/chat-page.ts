import * as l10n from '@vscode/l10n';
import { html, nothing, render } from 'lit';
import type { HostToWebview, PageStep, WebviewToHost } from '../../src/protocol/messages';
import { announcements, say } from './announce';
import { ChangesPanel } from '../status/changes-panel';
import { drawRunningCommands } from '../status/running-commands';
import { Composer } from '../composer/composer';
import { acceptDrops } from '../composer/drops';
import { shownItems, type ShownItems } from '../cards/item';
import { DraftKeeper, type ChatBridge } from './draft-keeper';
import { linkTarget } from '../markdown/links';
import { EMPTY_STATE, reduce, type ChatState } from './reducer';
import { ComponentsView } from '../terminal/components-view';
import { emptyView } from './empty-view';
import { onEmitted } from '../controls/emit';
import { activityView, headerView } from '../status/header';
import { layout, type Layout } from './layout';
import { focusWithPage, pageKey } from './keyboard';
import { icon } from '../controls/controls';
import { Reading } from '../transcript/reading';
import { isUsagePanel, openUsage } from '../status/usage';
import { tabsView } from '../status/tabs';
import { TodoPanel } from '../status/todo-panel';
import { TailFollower } from '../transcript/tail-follower';
import { Transcript } from '../transcript/transcript';

/** Messages after which the host needs the current draft: it may show another conversation or change the draft. */
const LEAVES: ReadonlySet<string> = new Set([
  // These two put unsent messages back into the composer, before the draft.
  'editQueued',
  'stop',
  'newSession',
  'resumeSession',
  'newConversation',
  'showConversation',
  'closeConversation',
  'editMessage',
]);
/** Messages that end a question, whose card had the focus. */
const ANSWERS: ReadonlySet<string> = new Set(['answer', 'answerFromTab', 'deny']);
/** A scroll position is saved when the user has not scrolled for this long, ms. */
const SCROLL_REST = 200;

/** The chat page. It applies messages of the host at once, and draws at most once per frame. */
export class ChatPage {
  private state: ChatState = EMPTY_STATE;
  private painted: ChatState = EMPTY_STATE;
  private frame = 0;
  private scrollTimer = 0;
  /** Gives the focus to an element of the page; called when the page is first drawn. */
  private takeFocus: (() => void) | undefined;
  /** Called once after the next paint, for example to restore the scroll position. */
  private afterPaint: (() => void) | undefined;
  /** The card of the open question about a plan. */
  private shownPlan: HTMLElement | undefined;
  private shown: ShownItems & { readonly of: ChatState['items'] } = { of: [], ...shownItems([]) };
  private readonly parts: Layout;
  private readonly drafts: DraftKeeper;
  private readonly transcript: Transcript;
  private readonly tail: TailFollower;
  private readonly composer: Composer;
  private readonly todos: TodoPanel;
  private readonly changes: ChangesPanel;
  private readonly components: ComponentsView;
  private readonly reading: Reading;

  constructor(
    private readonly root: HTMLElement,
    private readonly bridge: ChatBridge,
  ) {
    this.parts = layout(root);
    this.drafts = new DraftKeeper(bridge);
    const { log, items, composer } = this.parts;
    this.todos = new TodoPanel(this.parts.todos, this.drafts);
    this.changes = new ChangesPanel(this.parts.changes);
    this.transcript = new Transcript(log, items, () => this.afterScroll());
    this.tail = new TailFollower(log, items, () => this.afterScroll());
    this.composer = new Composer(composer, this.state, text => this.drafts.draftChanged(text));
    this.components = new ComponentsView(
      { root, items, activity: this.parts.activity, composer, places: this.parts.components },
      message => this.bridge.send(message),
      () => this.composer.focus(),
    );
    this.reading = new Reading(this.parts, this.transcript, this.tail, {
      send: message => this.bridge.send(message),
      focusComposer: () => this.composer.focus(),
    });
    this.listen();
  }

  /** Starts to receive messages and asks the host for a snapshot. */
  start(): void {
    this.bridge.onMessage(message => this.receive(message));
    this.bridge.send({ type: 'ready' });
    // The browser fires no focus event for a page that has the focus from the start.
    if (document.hasFocus()) this.bridge.send({ type: 'focused', focused: true });
    this.components.start();
    this.takeFocus = focusWithPage(() => this.focusComposer());
  }

  private receive(message: HostToWebview): void {
    if (message.type === 'completions' || message.type === 'completed' || message.type === 'mentioned') {
      this.composer.answered(message);
      return;
    }
    const isState = message.type === 'conversations' || message.type === 'context' || message.type === 'editorChips';
    if (!('revision' in message) && !isState) {
      if (message.type === 'found') this.reading.found(message);
      else if (message.type === 'navigate') this.go(message.to);
      else if (message.type === 'typed') this.transcript.typedElsewhere(message.typed);
      else this.components.receive(message);
      return;
    }
    const before = this.state;
    this.state = reduce(before, message);
    if (this.state === before) return;
    if (this.state.sync === 'lost') {
      this.bridge.send({ type: 'ready' });
      return;
    }
    if (message.type === 'snapshot') this.adopt(message, before);
    else if (message.type === 'composer') {
      this.drafts.hostHas(message.draft);
      this.composer.giveBack(message);
    } else if (message.type === 'draft') {
      const { text, ...others } = message;
      this.composer.follow({ ...others, ...(text === undefined ? {} : { text: this.drafts.follow(text) }) });
    } else if (message.type === 'reveal') this.reveal(message.id);
    this.schedule();
  }

  private go(to: PageStep): void {
    if (to === 'context') openUsage();
    else if (to === 'composer') this.focusComposer();
    else this.reading.go(to);
  }

  /** A component of a hook may have taken its place. */
  private focusComposer(): void {
    if (!this.components.focusCurrent()) this.composer.focus();
  }

  /** Shows a card after the next paint, when all messages received so far are drawn. */
  private reveal(id: string): void {
    const before = this.afterPaint;
    this.afterPaint = () => {
      before?.();
      void this.reading.show(id);
    };
  }

  private adopt(snapshot: Extract<HostToWebview, { type: 'snapshot' }>, before: ChatState): void {
    const again = before.conversation === snapshot.conversation;
    const top = this.tail.following ? undefined : this.transcript.topItem();
    if (!again && before.sync === 'live') this.drafts.scrolled(top);
    const place = again && top ? top : (snapshot.scroll ?? this.drafts.scrollOf(snapshot.conversation));
    this.reading.restart();
    const draft = this.drafts.adopt(snapshot);
    if (draft !== this.composer.text) this.composer.put(draft, 'replace');
    const { attachments = [], files = [], editing, typed = [] } = snapshot;
    this.transcript.adoptTyped(typed);
    this.composer.adopt(snapshot.conversation, { images: attachments, files }, editing);
    this.afterPaint = () => {
      if (!place || (again && this.tail.following)) this.tail.follow();
      else void this.reading.restore(place);
    };
  }

  private schedule(): void {
    if (this.frame !== 0) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.paint();
    });
  }

  private paint(): void {
    const { state, painted, parts } = this;
    this.painted = state;
    if (state.status !== painted.status || state.sync !== painted.sync) {
      render(headerView(state.status), parts.header);
      render(activityView(state.status), parts.activity);
      this.transcript.nameThoughts(state.status.thinkingLabel);
    }
    if (state.tabs !== painted.tabs) {
      render(tabsView(state.tabs), parts.tabs);
      parts.tabs.querySelector('.tab-shown')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    }
    if (state.conversation !== painted.conversation) this.transcript.clear();
    render(state.items.length === 0 ? emptyView(state, this.fill) : nothing, parts.empty);
    this.reading.update(state, painted, this.shownItems(state.items));
    this.afterPaint?.();
    this.afterPaint = undefined;
    if (this.root.dataset['ready'] !== 'true') this.takeFocus?.();
    this.reading.settle();
    this.tail.stick();
    if (state.running !== painted.running) {
      drawRunningCommands(state.running, parts.commands, () => this.composer.focus());
    }
    this.todos.update(state.todos);
    this.showPlanFromTop();
    this.changes.update(state);
    this.composer.update(state);
    this.afterScroll();
    say(parts.announcer, announcements(painted, state));
    this.root.dataset['ready'] = 'true';
    this.root.dataset['phase'] = state.status.phase.type;
    this.root.dataset['revision'] = String(state.revision);
  }

  /** A plan that has just come and does not fit into the list is shown from its beginning, until it is answered. */
  private showPlanFromTop(): void {
    const { log } = this.parts;
    const gate = this.transcript.openGate();
    const plan = gate?.querySelector('.plan-gate') == null ? undefined : gate;
    if (plan === this.shownPlan) return;
    this.shownPlan = plan;
    if (plan === undefined || !this.tail.following || plan.offsetHeight <= log.clientHeight) return;
    log.scrollTop = plan.offsetTop;
    this.tail.release();
  }

  /** The cards to show. Returns the same object while the items are the same. */
  private shownItems(items: ChatState['items']): ShownItems {
    if (this.shown.of !== items) this.shown = { of: items, ...shownItems(items) };
    return this.shown;
  }

  private readonly fill = (text: string): void => {
    this.composer.put(text, 'replace');
    this.composer.focus();
  };

  private listen(): void {
    const { root, parts } = this;
    onEmitted(root, message => this.send(message));
    root.addEventListener('click', event => this.openLink(event));
    // What the context was when the panel was open is not shown as what it is now.
    root.addEventListener('beforetoggle', ({ target }) => this.forgetContext(target), { capture: true });
    root.addEventListener('keydown', event => this.keyed(event));
    // When the user opens a folded part, the page stops following the end, so that the part stays in view. A menu opens no part.
    parts.items.addEventListener('click', event => {
      const opens = 'summary, [aria-expanded]:not([aria-haspopup])';
      if (event.target instanceof Element && event.target.closest(opens)) this.tail.release();
    });
    parts.jump.addEventListener('click', () => {
      this.tail.follow();
      this.afterScroll();
      this.composer.focus();
    });
    acceptDrops(root, this.composer);
    for (const change of ['focus', 'blur'] as const) {
      window.addEventListener(change, () => this.bridge.send({ type: 'focused', focused: change === 'focus' }));
    }
    window.addEventListener('pagehide', () => this.drafts.flush());
  }

  private send(message: WebviewToHost): void {
    // Sends the draft first, see `LEAVES`.
    if (LEAVES.has(message.type)) this.drafts.flush();
    const { conversation } = this.state;
    this.bridge.send(message.type === 'submit' ? { ...message, conversation } : message);
    if (message.type === 'submit') {
      this.drafts.hostHas('');
      this.tail.follow();
    }
    if (!ANSWERS.has(message.type)) return;
    this.composer.focus();
    if (this.shownPlan !== undefined) this.tail.follow();
  }

  private forgetContext(toggled: EventTarget | null): void {
    if (this.state.context === undefined || !isUsagePanel(toggled)) return;
    this.state = { ...this.state, context: undefined };
    this.schedule();
  }

  private openLink(event: Event): void {
    const link = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-href]') : null;
    const target = link ? linkTarget(link.dataset['href'] ?? '') : undefined;
    if (!target) return;
    event.preventDefault();
    if (target.type === 'web') this.bridge.send({ type: 'openLink', href: target.href });
    else {
      const { path, line, column } = target;
      this.bridge.send({
        type: 'openFile',
        path,
        line,
        column,
      });
    }
  }

  private keyed(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.isComposing) return;
    const message = pageKey(event, this.state);
    if (message !== undefined) {
      event.preventDefault();
      // VS Code listens for keys on the window and may have a key binding for this one.
      event.stopPropagation();
      this.send(message);
    } else if (this.reading.keyed(event)) event.preventDefault();
    else if (event.key === 'Enter') this.openLink(event);
    else if (event.key === 'Escape' && !event.repeat && this.state.status.phase.type !== 'idle') {
      event.preventDefault();
      this.send({ type: 'stop' });
    }
  }

  private afterScroll(): void {
    this.transcript.settle();
    this.reading.scrolled();
    const { log, jump, gateHint } = this.parts;
    jump.hidden = this.tail.following || this.tail.distance < 60;
    const gate = this.transcript.openGate();
    render(gate && isOutOfView(gate, log) ? gateHintView(gate) : nothing, gateHint);
    window.clearTimeout(this.scrollTimer);
    this.scrollTimer = window.setTimeout(
      () => this.drafts.scrolled(this.tail.following ? undefined : this.transcript.topItem()),
      SCROLL_REST,
    );
  }
}

function isOutOfView(element: HTMLElement, scroller: HTMLElement): boolean {
  const top = element.offsetTop - scroller.scrollTop;
  return top + element.offsetHeight < 40 || top > scroller.clientHeight - 40;
}

function gateHintView(gate: HTMLElement): unknown {
  const go = (): void => {
    gate.scrollIntoView({ block: 'center' });
    // Never a button that allows something.
    (gate.querySelector<HTMLElement>('[data-first]') ?? gate.querySelector<HTMLElement>('.card.gate'))?.focus();
  };
  return html`<button type="button" class="button secondary" @click=${go}>
    ${icon('question')} ${l10n.t('Go to Question')}
  </button>`;
}
