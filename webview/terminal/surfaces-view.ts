import type { Surface, SurfacePlace, SurfaceToHost, SurfaceToPage } from '../../src/protocol/surface';
import { ChatKeys } from './chat-keys';
import { useMetrics } from './lines-element';
import { FontMetrics } from './metrics';
import { ScreenView } from './screen-view';
import { watchTheme } from './theme-colors';

/** Elements of the page that hold surfaces. */
export interface SurfaceHosts {
  readonly root: HTMLElement;
  /** The conversation's list, for the width of its cards. */
  readonly items: HTMLElement;
  readonly places: { readonly [P in SurfacePlace]: HTMLElement };
  /** The page's own input box. */
  readonly composer: HTMLElement;
}

/** What a card takes of the list's width beside its text, in px: paddings and borders. */
const CARD_CHROME = 16 + 22;
/** Paddings of a panel and its scrollbar, in px. */
const PANEL_CHROME = 40;
/** The page's header and composer as they usually are, in px. */
const FRAME_HEIGHT = 130;

/** All surfaces of the conversation on the page: makes, places and removes them, and gives the keyboard to the right one. */
export class SurfacesView {
  private readonly views = new Map<string, ScreenView>();
  private readonly metrics: FontMetrics;
  private readonly keys: ChatKeys;
  private columns = 80;
  private told = '';
  /** Opened while the keyboard was in another part of VS Code: gets it when it comes here. */
  private owedFocus: ScreenView | undefined;

  constructor(
    private readonly hosts: SurfaceHosts,
    private readonly send: (message: SurfaceToHost) => void,
    /** Puts the keyboard where it is when no surface has it. */
    private readonly focusComposer: () => void,
  ) {
    this.metrics = new FontMetrics(hosts.root);
    useMetrics(this.metrics);
    this.keys = new ChatKeys(hosts.root, send);
    window.addEventListener('focus', () => {
      if (this.owedFocus !== undefined && this.owedFocus === this.current) this.focusCurrent();
      else if (document.activeElement === document.body) this.focusCurrent();
    });
  }

  /** The host listens now: tells it of room and colours, from now on. */
  start(): void {
    const observer = new ResizeObserver(() => this.fit());
    for (const element of [this.hosts.root, this.hosts.items, this.metrics.element]) observer.observe(element);
    this.fit();
    watchTheme((kind, colors) => this.send({ type: 'theme', kind, colors }));
  }

  /** True when the message was for surfaces. */
  receive(message: SurfaceToPage): void {
    switch (message.type) {
      case 'surfaces':
        this.update(message.surfaces);
        return;
      case 'frame':
        this.views.get(message.frame.surface)?.receive(message.frame);
        return;
      case 'keys':
        this.keys.update(message);
        return;
      case 'rawKeyDone':
        this.keys.answered(message);
        return;
    }
  }

  /** Gives the keyboard to the surface that wants it, if any does. */
  focusCurrent(): boolean {
    const current = this.current;
    this.owedFocus = undefined;
    current?.focus();
    return current !== undefined;
  }

  private get current(): ScreenView | undefined {
    return [...this.views.values()].findLast(view => view.surface.takesKeys && !view.element.hidden);
  }

  private update(surfaces: readonly Surface[]): void {
    const before = this.current;
    const hadFocus = [...this.views.values()].some(view => view.holdsFocus);
    const wanted = new Set(surfaces.map(({ id }) => id));
    for (const [id, view] of this.views) if (!wanted.has(id)) this.remove(id, view);
    const ordered = surfaces.map(surface => {
      const view = this.views.get(surface.id) ?? this.create(surface);
      view.update(surface);
      return [surface.id, view] as const;
    });
    this.views.clear();
    for (const [id, view] of ordered) this.views.set(id, view);
    this.arrange();
    this.moveFocus(before, hadFocus);
  }

  private create(surface: Surface): ScreenView {
    const parts = {
      metrics: this.metrics,
      send: this.send,
      columns: () => this.columns,
    };
    const view = new ScreenView(surface, parts);
    this.hosts.places[surface.place].append(view.element);
    return view;
  }

  private remove(id: string, view: ScreenView): void {
    view.dispose();
    this.views.delete(id);
  }

  /** Elements stand in the order of the list; of the panels only the last is seen. */
  private arrange(): void {
    const { places, composer } = this.hosts;
    const views = [...this.views.values()];
    for (const place of Object.keys(places) as SurfacePlace[]) {
      const elements = views.flatMap(view => (view.surface.place === place ? [view.element] : []));
      elements.forEach((element, index) => {
        if (places[place].children[index] !== element) {
          places[place].insertBefore(element, places[place].children[index] ?? null);
        }
      });
    }
    const panels = views.filter(view => view.surface.place === 'panel');
    for (const view of panels) view.element.hidden = view !== panels.at(-1);
    composer.hidden = views.some(view => view.surface.place === 'editor');
  }

  private moveFocus(before: ScreenView | undefined, hadFocus: boolean): void {
    const { current } = this;
    if (current === before) return;
    this.owedFocus = undefined;
    if (current === undefined) {
      if (hadFocus) this.focusComposer();
    } else if (document.hasFocus()) current.focus();
    else {
      // A hook may open something at any time; the host knows whether it may take the keyboard from elsewhere.
      this.owedFocus = current;
      this.send({ type: 'unfocused', surface: current.surface.id });
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
      // Not the log's own height: it shrinks with what is shown beside it, which would shrink that in turn.
      rows: cellsIn(root.clientHeight - FRAME_HEIGHT, height),
      cardColumns: cellsIn(items.clientWidth - CARD_CHROME, width),
    };
    for (const view of this.views.values()) view.refit();
    const now = JSON.stringify(cells);
    if (now === this.told) return;
    this.told = now;
    this.send({ type: 'cells', cells });
  }
}
