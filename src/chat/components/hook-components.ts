import type { Component } from '@mariozechner/pi-tui';
import { defined } from '../../base/defined';
import { toDisposable, type Disposable } from '../../base/disposable';
import { Emitter } from '../../base/event';
import type { CustomHandle, CustomMount, DialogOrigin, WidgetPlacement } from '../../hook-contract/ui/ui';
import type {
  PageCells,
  HookComponent,
  ComponentPlace,
  ComponentToHost,
  ComponentToPage,
} from '../../protocol/items/hook-component';
import { hookRef } from '../../transcript/hook-ref';
import { MountedComponent } from '../../components/mounted-component';

/** The least number of rows that components get: many do not draw on fewer. */
const LEAST_ROWS = 40;
/** Lines of a widget given as text, as in pi. */
const WIDGET_LINES = 10;

export interface HookComponentsParts {
  /** Called with failures of a component whose hook does not listen to them. */
  report(error: unknown, origin: DialogOrigin): void;
  setTitle(title: string): void;
  /** Called when the user has called for a component that does not have the focus. False if they went elsewhere since. */
  reveal(): boolean;
  /** Called when a component opens that waits for the user, and no page shows it. */
  offer(): void;
  /** Keys that hooks listen to, such as `ctrl+shift+x`. */
  shortcuts(): readonly string[];
  runShortcut(key: string): void;
}

/** Messages that components answer; the rest of {@link ComponentToHost} concerns the window. */
export type ComponentInput = Extract<
  ComponentToHost,
  { type: 'key' | 'ack' | 'unfocused' | 'closeComponent' | 'cells' | 'shortcut' | 'rawKey' }
>;

interface TextWidget {
  readonly component: HookComponent;
  readonly order: number;
}

interface OpenOptions {
  readonly place: ComponentPlace;
  readonly origin: DialogOrigin;
  readonly order: number;
  readonly created?: (component: Component) => void;
}

/** One page that shows components: what sends it messages. */
type ComponentPage = (message: ComponentToPage) => void;

/** All that hooks have put on the screen of one conversation, and the pages that show it. */
export class HookComponents implements Disposable {
  private readonly mounted = new Map<string, MountedComponent>();
  private readonly texts = new Map<string, TextWidget>();
  /** What holds a place that only one can have: a widget's key, `header`, `footer`, `editor`. */
  private readonly places = new Map<string, { readonly order: number; readonly remove: () => void }>();
  private readonly listeners = new Set<(data: string) => boolean>();
  /** The visible pages, with the room that each has; undefined for one that has not told it. */
  private readonly pages = new Map<ComponentPage, PageCells | undefined>();
  /** Components that the pages know of: only these are drawn. */
  private listed: ReadonlySet<string> = new Set();
  private size: PageCells = { columns: 80, rows: LEAST_ROWS, cardColumns: 76 };
  private hasSize = false;
  private counter = 0;
  private isDisposed = false;
  private wasWaiting = false;
  private readonly resizeEmitter = new Emitter<void>();
  /** The room for drawings has changed. */
  readonly onDidResize = this.resizeEmitter.event;
  private readonly waitEmitter = new Emitter<void>();
  /** A component has begun or ceased to hold the place where the user works. */
  readonly onDidChangeWaiting = this.waitEmitter.event;

  constructor(
    private readonly idPrefix: string,
    private readonly parts: HookComponentsParts,
  ) {}

  /** The size of the smallest page in cells; a default as long as there is no page. */
  get cells(): PageCells {
    return this.size;
  }

  /** A component holds the place where the user works until it is closed. */
  get isWaiting(): boolean {
    return [...this.mounted.values()].some(
      ({ description }) =>
        description?.takesKeys === true && (description.place === 'panel' || description.place === 'overlay'),
    );
  }

  /** Mounts a component where the user works, until it is closed. */
  custom(mount: CustomMount, origin: DialogOrigin): CustomHandle {
    return this.open(mount, { place: mount.overlay ? 'overlay' : 'panel', origin, order: ++this.counter });
  }

  setWidget(
    key: string,
    content: readonly string[] | CustomMount | undefined,
    placement: WidgetPlacement,
    origin: DialogOrigin,
  ): void {
    const place = placement === 'belowEditor' ? 'below' : 'above';
    const open = (order: number): { readonly remove: () => void } => {
      if (!Array.isArray(content)) return this.remover(this.open(content as CustomMount, { place, origin, order }));
      return this.showText(`${this.idPrefix}/widget/${key}`, content as readonly string[], { place, origin, order });
    };
    this.put(`widget ${key}`, content === undefined ? undefined : open);
  }

  /** Header, footer or input box; undefined restores what was there. */
  setPlace(
    place: 'header' | 'footer' | 'editor',
    mount: CustomMount | undefined,
    origin: DialogOrigin,
    created?: (component: Component) => void,
  ): void {
    const more = defined({ created });
    const open = (order: number): { readonly remove: () => void } =>
      this.remover(this.open(mount as CustomMount, { place, origin, order, ...more }));
    this.put(place, mount === undefined ? undefined : open);
  }

  /** Adds a listener that gets all input before the components; true consumes the input. */
  listen(listener: (data: string) => boolean): Disposable {
    this.listeners.add(listener);
    this.publishKeys();
    return toDisposable(() => {
      this.listeners.delete(listener);
      this.publishKeys();
    });
  }

  /** Sends the shortcuts of hooks, and whether there are listeners, to the pages. */
  publishKeys(): void {
    this.post({ type: 'keys', shortcuts: this.parts.shortcuts(), listening: this.listeners.size > 0 });
  }

  /**
   * Shows everything on one more page, which knows nothing yet, until it is hidden or closed. All pages get the same, as large as
   * fits into each.
   */
  watch(page: ComponentPage): Disposable {
    this.pages.set(page, undefined);
    this.listed = new Set();
    this.publishComponents();
    this.publishKeys();
    return toDisposable(() => {
      this.pages.delete(page);
      if (this.pages.size === 0) this.listed = new Set();
      else this.fit();
    });
  }

  /** Takes a message of one of the pages. */
  receive(message: ComponentInput, page: ComponentPage): void {
    switch (message.type) {
      case 'key':
        if (!this.isKept(message.data)) this.mounted.get(message.component)?.input(message.data);
        return;
      case 'ack':
        this.mounted.get(message.component)?.acknowledge(message.sequence);
        return;
      case 'unfocused':
        if (this.mounted.get(message.component)?.isByUser === true) this.parts.reveal();
        return;
      case 'closeComponent':
        this.mounted.get(message.component)?.close();
        return;
      case 'cells':
        if (this.pages.has(page)) this.pages.set(page, message.cells);
        this.fit();
        return;
      case 'shortcut':
        if (this.parts.shortcuts().includes(message.key)) this.parts.runShortcut(message.key);
        return;
      case 'rawKey':
        page({ type: 'rawKeyDone', id: message.id, consumed: this.isKept(message.data) });
        return;
    }
  }

  /** Colours changed: everything is redrawn. */
  restyle(): void {
    for (const one of this.mounted.values()) one.restyle();
  }

  /** Closes all; what waits for a component goes on with undefined. */
  dispose(): void {
    this.isDisposed = true;
    this.pages.clear();
    this.listed = new Set();
    for (const one of [...this.mounted.values()]) one.close();
    this.listeners.clear();
    this.resizeEmitter.dispose();
  }

  private put(what: string, open: ((order: number) => { readonly remove: () => void }) | undefined): void {
    const before = this.places.get(what);
    before?.remove();
    this.places.delete(what);
    if (open === undefined || this.isDisposed) return;
    // A component that is set again keeps its place among the others of its kind.
    const order = before?.order ?? ++this.counter;
    this.places.set(what, { order, ...open(order) });
  }

  private showText(
    id: string,
    lines: readonly string[],
    { place, origin, order }: OpenOptions,
  ): { readonly remove: () => void } {
    const text = lines.length > WIDGET_LINES ? [...lines.slice(0, WIDGET_LINES), '\x1b[2m…\x1b[22m'] : lines;
    const component = { id, place, hook: hookRef(origin.hookPath), takesKeys: false, label: origin.event, text };
    this.texts.set(id, { component, order });
    this.publishComponents();
    return {
      remove: () => {
        this.texts.delete(id);
        this.publishComponents();
      },
    };
  }

  private remover(handle: CustomHandle): { readonly remove: () => void } {
    return {
      remove: () => handle.close(),
    };
  }

  private open(mount: CustomMount, { place, origin, order, created }: OpenOptions): CustomHandle {
    const id = `${this.idPrefix}/hook-component-${++this.counter}`;
    const isModal = place === 'panel' || place === 'overlay';
    const one: MountedComponent = new MountedComponent({
      id,
      place,
      mount,
      origin,
      size: () => ({ columns: this.size.columns, rows: Math.max(LEAST_ROWS, this.size.rows) }),
      isWatched: () => this.hasSize && this.listed.has(id),
      send: frame => {
        this.post({ type: 'frame', frame });
      },
      changed: () => {
        if (isModal) one.order = ++this.counter;
        this.publishComponents();
      },
      gone: () => {
        this.mounted.delete(id);
        this.publishComponents();
      },
      report: error => this.parts.report(error, origin),
      hasKeys: () => this.keyHolder === one,
      focus: component => [...this.mounted.values()].find(other => other.shows(component))?.focus(),
      setTitle: title => this.parts.setTitle(title),
      created,
    });
    one.order = order;
    this.mounted.set(id, one);
    if (this.isDisposed) one.close();
    else if (isModal && this.pages.size === 0 && !(one.isByUser && this.parts.reveal())) this.parts.offer();
    return one;
  }

  /** The component that gets the keys of the page: the last one that wants them. */
  private get keyHolder(): MountedComponent | undefined {
    const wanting = [...this.mounted.values()].filter(({ description }) => description?.takesKeys === true);
    return wanting.sort((a, b) => a.order - b.order).at(-1);
  }

  private publishComponents(): void {
    if (this.isWaiting !== this.wasWaiting) {
      this.wasWaiting = !this.wasWaiting;
      this.waitEmitter.fire();
    }
    if (this.pages.size === 0) return;
    const drawn = [...this.mounted.values()].flatMap(one => {
      const { description, order } = one;
      return description === undefined ? [] : [{ component: description, order }];
    });
    const components = [...drawn, ...this.texts.values()].sort((a, b) => a.order - b.order);
    this.post({ type: 'components', components: components.map(({ component }) => component) });
    const known = this.listed;
    this.listed = new Set(drawn.map(({ component }) => component.id));
    for (const id of this.listed) if (!known.has(id)) this.mounted.get(id)?.restart();
  }

  private post(message: ComponentToPage): void {
    for (const page of this.pages.keys()) page(message);
  }

  /** Makes everything as large as fits into each of the pages. */
  private fit(): void {
    const rooms = [...this.pages.values()].filter(room => room !== undefined);
    if (rooms.length === 0) return;
    const least = (side: keyof PageCells): number => Math.min(...rooms.map(room => room[side]));
    const cells = { columns: least('columns'), rows: least('rows'), cardColumns: least('cardColumns') };
    const { columns, rows, cardColumns } = this.size;
    const isFirst = !this.hasSize;
    if (!isFirst && columns === cells.columns && rows === cells.rows && cardColumns === cells.cardColumns) return;
    this.size = cells;
    this.hasSize = true;
    for (const one of this.mounted.values()) one.resize();
    this.publishComponents();
    if (isFirst || cardColumns !== cells.cardColumns) this.resizeEmitter.fire();
  }

  private isKept(data: string): boolean {
    // All listeners get the input, because each may count the typed keys.
    return [...this.listeners].map(listener => listener(data)).includes(true);
  }
}
