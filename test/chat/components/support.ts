import type { Component, TUI } from '@mariozechner/pi-tui';
import type { CustomMount, DialogOrigin } from '../../../src/hook-contract/ui/ui';
import { HookComponents } from '../../../src/chat/components/hook-components';
import type { HookComponent, ComponentFrame, ComponentToPage } from '../../../src/protocol/items/hook-component';

export const ORIGIN: DialogOrigin = { hookPath: '/work/.pi/hooks/game.ts', event: 'command:game' };

/** A page as the host sees one: paints frames into lines and acknowledges them when told to. */
export class Page {
  components: readonly HookComponent[] = [];
  keys: Extract<ComponentToPage, { type: 'keys' }> | undefined;
  readonly frames: ComponentFrame[] = [];
  readonly answers: Extract<ComponentToPage, { type: 'rawKeyDone' }>[] = [];
  private readonly screens = new Map<string, string[]>();
  /** False holds acknowledgements back. */
  acknowledges = true;

  constructor(readonly host: HookComponents) {}

  readonly post = (message: ComponentToPage): void => {
    if (message.type === 'components') this.components = message.components;
    else if (message.type === 'keys') this.keys = message;
    else if (message.type === 'rawKeyDone') this.answers.push(message);
    else this.paint(message.frame);
  };

  /** Lines of a component without escape sequences. */
  lines(id = this.components.at(-1)?.id ?? ''): readonly string[] {
    return (this.screens.get(id) ?? []).map(plain);
  }

  raw(id = this.components.at(-1)?.id ?? ''): readonly string[] {
    return this.screens.get(id) ?? [];
  }

  press(data: string, component = this.components.at(-1)?.id ?? ''): void {
    this.host.receive({ type: 'key', component, data }, this.post);
  }

  acknowledge(): void {
    const last = this.frames.at(-1);
    if (last) this.host.receive({ type: 'ack', component: last.component, sequence: last.sequence }, this.post);
  }

  private paint(frame: ComponentFrame): void {
    this.frames.push(frame);
    const screen = this.screens.get(frame.component) ?? [];
    for (const [row, text] of frame.changes) screen[row] = text;
    screen.length = frame.height;
    this.screens.set(frame.component, screen);
    // As a page does it: later, not within the call.
    if (this.acknowledges) {
      const { component, sequence } = frame;
      setImmediate(() => this.host.receive({ type: 'ack', component, sequence }, this.post));
    }
  }
}

export interface Bench {
  readonly components: HookComponents;
  readonly page: Page;
  readonly reports: string[];
  /** How often the chat was to get the focus, or a notification was to be shown: `reveal` or `offer` each time. */
  readonly told: string[];
}

/** HookComponents with a page of 60 × 20 cells that watches them. */
export function bench(
  options: { readonly watched?: boolean; readonly shortcuts?: readonly string[]; readonly userIsElsewhere?: true } = {},
): Bench {
  const reports: string[] = [];
  const told: string[] = [];
  const components = new HookComponents('chat', {
    report: error => reports.push(String(error)),
    setTitle: title => reports.push(`title ${title}`),
    reveal: () => {
      if (options.userIsElsewhere === undefined) told.push('reveal');
      return options.userIsElsewhere === undefined;
    },
    offer: () => told.push('offer'),
    shortcuts: () => options.shortcuts ?? [],
    runShortcut: key => reports.push(`shortcut ${key}`),
  });
  const page = new Page(components);
  if (options.watched !== false) {
    components.watch(page.post);
    components.receive({ type: 'cells', cells: { columns: 60, rows: 20, cardColumns: 50 } }, page.post);
  }
  return { components, page, reports, told };
}

/** A component of the test with what it was given. */
export class Probe implements Component {
  readonly keys: string[] = [];
  readonly widths: number[] = [];
  disposed = 0;
  invalidated = 0;
  wantsKeyRelease = false;
  constructor(public draw: (width: number) => string[] = () => ['hello']) {}
  render(width: number): string[] {
    this.widths.push(width);
    return this.draw(width);
  }
  handleInput(data: string): void {
    this.keys.push(data);
  }
  invalidate(): void {
    this.invalidated++;
  }
  dispose(): void {
    this.disposed++;
  }
}

/** A mount of a component that is there already; collects what it was told of failures. */
export function mountOf(
  component: Component | ((tui: TUI, close: (value: unknown) => void) => Component | Promise<Component>),
  more: Partial<CustomMount> = {},
): CustomMount & { readonly failures: unknown[]; tui?: TUI } {
  const failures: unknown[] = [];
  const mount: CustomMount & { failures: unknown[]; tui?: TUI } = {
    overlay: false,
    failures,
    create(tui, close) {
      mount.tui = tui;
      return typeof component === 'function' ? component(tui, close) : component;
    },
    failed: error => failures.push(error),
    ...more,
  };
  return mount;
}

export function plain(line: string): string {
  // eslint-disable-next-line no-control-regex -- escape sequences are made of control characters
  return line.replace(/\x1b\[[0-9;:]*m|\x1b\][^\x07\x1b]*(\x07|\x1b\\)/g, '').trimEnd();
}

/** Waits for a condition with a guard against hanging. */
export async function until(condition: () => boolean, what: string): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await new Promise(resolve => setTimeout(resolve, 2));
  }
}

/** Lets everything that is due now happen. */
export async function settle(): Promise<void> {
  for (let round = 0; round < 3; round++) await new Promise(resolve => setTimeout(resolve, 25));
}
