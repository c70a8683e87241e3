import type {
  HookComponent,
  ComponentPlace,
  ComponentToHost,
  ComponentToPage,
} from '../../src/protocol/items/hook-component';
import { ChatKeys } from './chat-keys';
import { useMetrics } from './lines-element';
import { FontMetrics } from './metrics';
import { ScreenView } from './screen-view';
import { watchTheme } from './theme-colors';

/** Elements of the page that contain components or determine their size. */
export interface ComponentHosts {
  readonly root: HTMLElement;
  /** The list of the conversation; its width determines the width of cards. */
  readonly items: HTMLElement;
  readonly places: { readonly [P in ComponentPlace]: HTMLElement };
  /** What the agent does now, and texts of hooks. */
  readonly activity: HTMLElement;
  /** The page's own input box. */
  readonly composer: HTMLElement;
}

/** Width of a card's paddings and borders, px. */
const CARD_CHROME = 16 + 22;
/** Width of a panel's paddings and scrollbar, px. */
const PANEL_CHROME = 40;
/** Usual height of the page's header and composer together, px. */
const FRAME_HEIGHT = 130;

/** Creates, arranges and removes the components of hooks on the page, and gives the focus to the right one. */
export class ComponentsView {
  private readonly views = new Map<string, ScreenView>();
  private readonly metrics: FontMetrics;
  private readonly keys: ChatKeys;
  private columns = 80;
  private sentCells = '';
  /** A component that opened while another part of VS Code had the focus. It gets the focus when the page does. */
  private owedFocus: ScreenView | undefined;

  constructor(
    private readonly hosts: ComponentHosts,
    private readonly send: (message: ComponentToHost) => void,
    /** Focuses the composer, which has the focus when no component wants it. */
    private readonly focusComposer: () => void,
  ) {
    this.metrics = new FontMetrics(hosts.root);
    useMetrics(this.metrics);
    this.keys = new ChatKeys(hosts.root, send);
    window.addEventListener('focus', () => {
      if (this.owedFocus !== undefined && this.owedFocus === this.current) this.focusCurrent();
      else if (document.activeElement === document.body) this.focusCurrent();
    });
    // Selecting text of a component takes the focus from it.
    document.addEventListener('keydown', event => {
      if (document.activeElement === document.body) this.current?.take(event);
    });
  }

  /** Sends the available size and the theme's colors to the host, now and after each change. */
  start(): void {
    const observer = new ResizeObserver(() => this.fit());
    for (const element of [this.hosts.root, this.hosts.items, this.metrics.element]) observer.observe(element);
    const scrollers = new ResizeObserver(entries => entries.forEach(({ target }) => letScroll(target)));
    const { header, above, below, footer } = this.hosts.places;
    for (const element of [this.hosts.activity, header, above, below, footer]) scrollers.observe(element);
    this.fit();
    watchTheme((kind, colors) => this.send({ type: 'theme', kind, colors }));
  }

  /** Applies a message of the host about components. */
  receive(message: ComponentToPage): void {
    switch (message.type) {
      case 'components':
        this.update(message.components);
        return;
      case 'frame':
        this.views.get(message.frame.component)?.receive(message.frame);
        return;
      case 'keys':
        this.keys.update(message);
        return;
      case 'rawKeyDone':
        this.keys.answered(message);
        return;
    }
  }

  /** Focuses the component that takes keys. False when there is none. */
  focusCurrent(): boolean {
    const current = this.current;
    this.owedFocus = undefined;
    current?.focus();
    return current !== undefined;
  }

  private get current(): ScreenView | undefined {
    return [...this.views.values()].findLast(view => view.component.takesKeys && !view.element.hidden);
  }

  private update(components: readonly HookComponent[]): void {
    const before = this.current;
    const hadFocus = [...this.views.values()].some(view => view.holdsFocus);
    const wanted = new Set(components.map(({ id }) => id));
    for (const [id, view] of this.views) if (!wanted.has(id)) this.remove(id, view);
    const ordered = components.map(component => {
      const view = this.views.get(component.id) ?? this.create(component);
      view.update(component);
      return [component.id, view] as const;
    });
    this.views.clear();
    for (const [id, view] of ordered) this.views.set(id, view);
    this.arrange();
    this.moveFocus(before, hadFocus);
  }

  private create(component: HookComponent): ScreenView {
    const parts = {
      metrics: this.metrics,
      send: this.send,
      columns: () => this.columns,
    };
    const view = new ScreenView(component, parts);
    this.hosts.places[component.place].append(view.element);
    return view;
  }

  private remove(id: string, view: ScreenView): void {
    view.dispose();
    this.views.delete(id);
  }

  /** Puts the elements into the order of the components. Of several panels, only the last is visible. */
  private arrange(): void {
    const { places, composer } = this.hosts;
    const views = [...this.views.values()];
    for (const place of Object.keys(places) as ComponentPlace[]) {
      const elements = views.flatMap(view => (view.component.place === place ? [view.element] : []));
      elements.forEach((element, index) => {
        if (places[place].children[index] !== element) {
          places[place].insertBefore(element, places[place].children[index] ?? null);
        }
      });
    }
    const panels = views.filter(view => view.component.place === 'panel');
    for (const view of panels) view.element.hidden = view !== panels.at(-1);
    composer.hidden = views.some(view => view.component.place === 'editor');
  }

  private moveFocus(before: ScreenView | undefined, hadFocus: boolean): void {
    const { current } = this;
    if (current === before) return;
    this.owedFocus = undefined;
    if (current === undefined) {
      if (hadFocus && document.hasFocus()) this.focusComposer();
    } else if (document.hasFocus()) current.focus();
    else {
      // Another part of VS Code has the focus. Only the host knows whether the component may take it.
      this.owedFocus = current;
      this.send({ type: 'unfocused', component: current.component.id });
    }
  }

  private fit(): void {
    const { items, root } = this.hosts;
    const changed = this.metrics.measure();
    const { width, height } = this.metrics.cell;
    if (width <= 0 || height <= 0 || items.clientWidth <= 0) return;
    if (changed) root.style.setProperty('--cell-height', `${height}px`);
    const cellsIn = (pixels: number, size: number): number => Math.max(1, Math.floor(pixels / size));
    this.columns = cellsIn(root.clientWidth - PANEL_CHROME, width);
    const cells = {
      columns: this.columns,
      // The log's own height is not used: components make the log smaller, which would then make the components smaller.
      rows: cellsIn(root.clientHeight - FRAME_HEIGHT, height),
      cardColumns: cellsIn(items.clientWidth - CARD_CHROME, width),
    };
    for (const view of this.views.values()) view.refit();
    const now = JSON.stringify(cells);
    if (now === this.sentCells) return;
    this.sentCells = now;
    this.send({ type: 'cells', cells });
  }
}

/** Makes an element reachable by keyboard while its content does not fit. */
function letScroll(element: Element): void {
  if (element.scrollHeight > element.clientHeight) element.setAttribute('tabindex', '0');
  else element.removeAttribute('tabindex');
}
