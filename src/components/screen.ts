import type { Component, TUI } from '@mariozechner/pi-tui';
import { performance } from 'node:perf_hooks';
import { messageOf } from '../base/errors';
import type { OverlayBounds } from '../hook-contract/ui/ui';
import { DelayedCall } from '../base/async/repeated-calls';
import type { ComponentFrame } from '../protocol/items/hook-component';
import { HostTerminal, type ScreenSize } from './host-terminal';
import { changedRows, checkedLines } from './lines';
import type { PiTui } from './pi-tui';

/** After this many ms without an `ack` a frame counts as lost: the page was thrown away. */
const LOST_AFTER_MS = 3_000;
/** Number of different failures that are reported for one component; after that it is only drawn as failed. */
const MOST_REPORTS = 5;
/** A picture of fixed width up to this many columns, which every terminal has, is shown whole on a narrow page. */
const USUAL_COLUMNS = 80;

export interface ScreenParts {
  readonly id: string;
  readonly size: ScreenSize;
  /** True while a page shows it: without one nothing is drawn. */
  isWatched(): boolean;
  send(frame: ComponentFrame): void;
  /** Called once with each new failure of the component. */
  failed(error: unknown): void;
  /** Escape was pressed at a component that can only be shown as failed. */
  dismiss(): void;
  setTitle(title: string): void;
  /** Options of an overlay, asked at each frame; undefined: the screen is none. */
  readonly overlay?: () => unknown;
}

/** The private members of `TUI` that are used or replaced; held to the shipped version by a test. */
interface TuiInside {
  doRender: () => void;
  readonly focusedComponent: (Component & { readonly wantsKeyRelease?: boolean }) | null;
  readonly overlayStack: readonly unknown[];
  compositeOverlays(lines: readonly string[], width: number, height: number): string[];
  extractCursorPosition(lines: string[], height: number): { readonly row: number; readonly col: number } | null;
  resolveOverlayLayout(
    options: unknown,
    height: number,
    columns: number,
    rows: number,
  ): { readonly width: number; readonly row: number; readonly col: number; readonly maxHeight?: number };
}

interface Picture {
  readonly lines: string[];
  readonly rest: Omit<ComponentFrame, 'component' | 'sequence' | 'changes'>;
}

/**
 * One real `TUI` whose rendering is replaced: lines go to the page as frames of what changed, one
 * at a time, so that neither a page that is slow nor a component that asks for ever more frames can pile up work.
 */
export class Screen {
  readonly tui: TUI;
  private readonly inside: TuiInside;
  private readonly terminal: HostTerminal;
  private shown: readonly string[] = [];
  private described = '';
  private sequence = 0;
  private inFlight: { readonly sequence: number; readonly since: number } | undefined;
  private stale = true;
  private readonly reported = new Set<string>();
  private lastFailure = '';
  private hasFailed = false;
  private restUntil = 0;
  private readonly laterDraw = new DelayedCall(() => this.draw());
  private isDisposed = false;
  private lastBounds: OverlayBounds | undefined;

  constructor(
    private readonly lib: PiTui,
    private readonly parts: ScreenParts,
  ) {
    this.terminal = new HostTerminal(parts.size, title => parts.setTitle(title));
    this.tui = new lib.TuiMainScreen(this.terminal);
    this.inside = this.tui as unknown as TuiInside;
    this.inside.doRender = () => this.draw();
    this.tui.start();
  }

  /** Where an overlay was drawn last; undefined before that, and for a component that is not an overlay. */
  get bounds(): OverlayBounds | undefined {
    return this.lastBounds;
  }

  /** Shows a component; with `keys` it has the focus. */
  show(component: Component, keys: boolean): void {
    this.tui.addChild(component);
    if (keys) this.tui.setFocus(component);
    this.tui.requestRender();
  }

  input(data: string): void {
    if (this.hasFailed && data === '\x1b') {
      this.parts.dismiss();
      return;
    }
    const survived = this.guarded(() => {
      this.terminal.type(data);
      return true;
    });
    // A component that fails at the key that would close it is closed.
    if (survived === undefined && data === '\x1b') this.parts.dismiss();
  }

  resize(size: ScreenSize): void {
    this.terminal.resize(size);
  }

  /** To be called when colors have changed: components forget their cached lines. */
  restyle(): void {
    this.guarded(() => this.tui.invalidate());
    this.tui.requestRender();
  }

  /** The page has drawn a frame. */
  acknowledge(sequence: number): void {
    if (this.inFlight?.sequence !== sequence) return;
    this.inFlight = undefined;
    if (this.stale) this.tui.requestRender();
  }

  /** A new page knows nothing: the next frame is a full one. */
  restart(): void {
    this.inFlight = undefined;
    this.shown = [];
    this.described = '';
    this.tui.requestRender();
  }

  /** Disposes a component: at the end, or when it came too late to be shown. */
  abandon(component: Component): void {
    this.guarded(() => {
      const { dispose } = component as Component & { dispose?: unknown };
      if (typeof dispose === 'function') Reflect.apply(dispose, component, []);
    });
  }

  dispose(): void {
    if (this.isDisposed) return;
    this.isDisposed = true;
    this.laterDraw.dispose();
    for (const child of this.tui.children) this.abandon(child);
    this.tui.stop();
  }

  private draw(): void {
    this.stale = true;
    const now = performance.now();
    if (this.isDisposed || this.isWaiting(now)) return;
    if (now < this.restUntil) {
      this.laterDraw.schedule(this.restUntil - now);
      return;
    }
    const picture = this.guarded(() => this.picture()) ?? this.failure();
    // A component that takes long may take at most half of the host's time.
    const took = performance.now() - now;
    if (took > 8) this.restUntil = performance.now() + took;
    this.stale = false;
    this.post(picture);
  }

  private isWaiting(now: number): boolean {
    if (!this.parts.isWatched()) return true;
    if (this.inFlight === undefined) return false;
    if (now - this.inFlight.since < LOST_AFTER_MS) return true;
    this.inFlight = undefined;
    this.shown = [];
    this.described = '';
    return false;
  }

  private post({ lines, rest }: Picture): void {
    const changes = changedRows(this.shown, lines);
    const described = JSON.stringify(rest);
    if (changes.length === 0 && described === this.described) return;
    this.sequence += 1;
    const { sequence } = this;
    this.inFlight = { sequence, since: performance.now() };
    this.shown = lines;
    this.described = described;
    this.parts.send({ component: this.parts.id, sequence, changes, ...rest });
  }

  private picture(): Picture {
    const { columns, rows } = this.terminal;
    const box = this.overlayBox(0);
    const width = box?.width ?? columns;
    let lines = this.tui.children.flatMap(child => checkedLines(child.render(width)));
    if (box?.maxHeight !== undefined) lines = lines.slice(0, box.maxHeight);
    if (this.inside.overlayStack.length > 0) {
      lines = checkedLines(this.inside.compositeOverlays(lines, width, box === undefined ? rows : lines.length));
    }
    const cursor = this.inside.extractCursorPosition(lines, lines.length);
    const placed = this.overlayBox(lines.length);
    this.lastBounds =
      placed === undefined ? undefined : { row: placed.row, col: placed.col, width, height: lines.length };
    const needed = Math.max(...lines.map(line => this.lib.visibleWidth(line)), 0);
    const isWider = box === undefined && needed > width && needed <= USUAL_COLUMNS;
    const rest = {
      height: lines.length,
      ...(isWider ? { columns: needed } : {}),
      ...(cursor === null ? {} : { cursor: { row: cursor.row, column: cursor.col } }),
      wantsReleases: this.inside.focusedComponent?.wantsKeyRelease === true,
      ...(placed === undefined ? {} : { overlay: { row: placed.row, column: placed.col, width, columns, rows } }),
    };
    const cut = lines.map(line => this.cut(line, isWider ? needed : width));
    this.hasFailed = false;
    return { lines: cut, rest };
  }

  private overlayBox(height: number): ReturnType<TuiInside['resolveOverlayLayout']> | undefined {
    if (this.parts.overlay === undefined) return undefined;
    const { columns, rows } = this.terminal;
    return this.inside.resolveOverlayLayout(this.parts.overlay(), height, columns, rows);
  }

  private cut(line: string, width: number): string {
    return this.lib.visibleWidth(line) > width ? this.lib.truncateToWidth(line, width, '') : line;
  }

  private failure(): Picture {
    this.hasFailed = true;
    const { columns, rows } = this.terminal;
    const text = `\x1b[31mThis component failed: ${this.lastFailure}\x1b[39m`;
    const lines = [...this.lib.wrapTextWithAnsi(text, columns).slice(0, 6), '\x1b[2mEscape closes it.\x1b[22m'];
    const overlay = { row: 0, column: 0, width: columns, columns, rows };
    const rest = { height: lines.length, wantsReleases: false };
    return { lines, rest: this.parts.overlay === undefined ? rest : { ...rest, overlay } };
  }

  private guarded<V>(code: () => V): V | undefined {
    try {
      return code();
    } catch (error) {
      const [message = ''] = messageOf(error).split('\n', 1);
      this.lastFailure = message;
      if (!this.reported.has(message) && this.reported.size < MOST_REPORTS) {
        this.reported.add(message);
        this.parts.failed(error);
      }
      return undefined;
    }
  }
}
