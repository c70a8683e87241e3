import type { Component } from '@mariozechner/pi-tui';
import type { CustomHandle, CustomMount, DialogOrigin, OverlayBounds } from '../hook-contract/ui/ui';
import type { HookComponent, ComponentFrame, ComponentPlace } from '../protocol/items/hook-component';
import { hookRef } from '../transcript/hook-ref';
import type { ScreenSize } from './host-terminal';
import { loadPiTui, type PiTui } from './pi-tui';
import { Screen } from './screen';
import { readCalledAs } from '../hook-contract/called-as';

/** What a mounted component depends on. */
export interface MountedComponentParts {
  readonly id: string;
  readonly place: ComponentPlace;
  readonly mount: CustomMount;
  readonly origin: DialogOrigin;
  size(): ScreenSize;
  isWatched(): boolean;
  send(frame: ComponentFrame): void;
  /** Whether, where or how it is shown has changed. */
  changed(): void;
  /** Called when the component was removed permanently. */
  gone(): void;
  report(error: unknown): void;
  setTitle(title: string): void;
  /** The component is there, and shown from now on. */
  created?(component: Component): void;
  /** Whether it gets the keys instead of the component in front of it; absent: it gets them when it wants them. */
  hasKeys?(): boolean;
  /** Keys shall go to another component, if that is mounted. */
  focus?(component: unknown): void;
}

/** A component of a hook with its screen, from the call that opens it until its end. Nothing here throws. */
export class MountedComponent implements CustomHandle {
  readonly closed: Promise<unknown>;
  private readonly settle: (value: unknown) => void;
  private screen: Screen | undefined;
  private component: Component | undefined;
  private isOver = false;
  private hidden = false;
  private takesKeys: boolean;
  /** Counts up each time it comes to the front. */
  order = 0;

  constructor(private readonly parts: MountedComponentParts) {
    let settle: (value: unknown) => void = () => undefined;
    this.closed = new Promise(resolve => (settle = resolve));
    this.settle = settle;
    this.takesKeys = parts.place === 'panel' || parts.place === 'overlay' || parts.place === 'editor';
    void this.open();
  }

  /** How the page sees it; undefined while there is nothing to see. */
  get description(): HookComponent | undefined {
    if (this.screen === undefined || this.component === undefined || this.hidden || !this.fits()) return undefined;
    const { id, place, origin } = this.parts;
    const called = readCalledAs(origin.event);
    const label = called.kind === 'command' ? `/${called.name}` : called.kind === 'tool' ? called.name : origin.event;
    return { id, place, hook: hookRef(origin.hookPath), takesKeys: this.takesKeys, label };
  }

  /** What a user has called for may take the keyboard, wherever they called from. */
  get isByUser(): boolean {
    const { kind } = readCalledAs(this.parts.origin.event);
    return kind === 'command' || kind === 'shortcut';
  }

  close(value?: unknown): void {
    if (this.isOver) return;
    this.isOver = true;
    this.screen?.dispose();
    this.parts.gone();
    this.settle(value);
  }

  requestRender(): void {
    this.screen?.tui.requestRender();
  }

  setHidden(hidden: boolean): void {
    if (this.hidden === hidden) return;
    this.hidden = hidden;
    this.parts.changed();
  }

  isHidden(): boolean {
    return this.hidden;
  }

  /** Keys go to this component, also to one that did not ask for them. */
  focus(): void {
    this.takesKeys = true;
    this.parts.changed();
  }

  unfocus(target?: unknown): void {
    if (!this.isFocused()) return;
    this.takesKeys = false;
    this.parts.changed();
    if (target !== undefined && target !== null) this.parts.focus?.(target);
  }

  isFocused(): boolean {
    return this.parts.hasKeys?.() ?? (this.takesKeys && !this.hidden);
  }

  bounds(): OverlayBounds | undefined {
    return this.description === undefined ? undefined : this.screen?.bounds;
  }

  /** Whether this is the mount of a component, which may be one that a hook keeps. */
  shows(component: unknown): boolean {
    return this.component === component;
  }

  input(data: string): void {
    this.screen?.input(data);
  }

  acknowledge(sequence: number): void {
    this.screen?.acknowledge(sequence);
  }

  restart(): void {
    this.screen?.restart();
  }

  resize(): void {
    this.screen?.resize(this.parts.size());
  }

  restyle(): void {
    this.screen?.restyle();
  }

  private async open(): Promise<void> {
    try {
      const lib = await loadPiTui();
      if (this.isOver) return;
      const screen = (this.screen = this.createScreen(lib));
      const component = await this.parts.mount.create(screen.tui, value => this.close(value));
      // A factory may have called `close` before it gave its component.
      if (this.over) screen.abandon(component);
      else this.show(screen, component);
    } catch (error) {
      this.fail(error);
      this.close();
    }
  }

  // Read again after each wait: the compiler takes a field for unchanged.
  private get over(): boolean {
    return this.isOver;
  }

  private show(screen: Screen, component: Component): void {
    this.component = component;
    const { overlay } = this.parts.mount;
    if (overlay) this.takesKeys = isCapturing(overlayOptions(this.parts.mount.overlayOptions, component));
    this.parts.created?.(component);
    screen.show(component, this.parts.place === 'overlay' || this.takesKeys);
    this.parts.changed();
  }

  private createScreen(lib: PiTui): Screen {
    const { parts } = this;
    const { id, mount } = parts;
    return new Screen(lib, {
      id,
      size: parts.size(),
      isWatched: () => parts.isWatched(),
      send: frame => parts.send(frame),
      setTitle: title => parts.setTitle(title),
      failed: error => this.fail(error),
      dismiss: () => this.close(),
      ...(mount.overlay ? { overlay: () => overlayOptions(mount.overlayOptions, this.component) } : {}),
    });
  }

  private fits(): boolean {
    const { mount } = this.parts;
    if (!mount.overlay) return true;
    const { columns, rows } = this.parts.size();
    try {
      return isVisible(overlayOptions(mount.overlayOptions, this.component), columns, rows);
    } catch {
      // The same options are asked when it is drawn; that tells of the error.
      return true;
    }
  }

  private fail(error: unknown): void {
    const { mount } = this.parts;
    if (mount.failed === undefined) this.parts.report(error);
    else mount.failed(error);
  }
}

type Options = Readonly<Record<string, unknown>>;

/** Options as a hook gave them; a function is asked again each time, as in pi. Foreign code: may throw. */
function overlayOptions(given: unknown, component: Component | undefined): Options {
  const options: unknown = typeof given === 'function' ? Reflect.apply(given, undefined, []) : given;
  if (typeof options === 'object' && options !== null) return options as Options;
  const { width } = (component ?? {}) as { readonly width?: unknown };
  return typeof width === 'number' ? { width } : {};
}

/** Whether an overlay is drawn on a screen of this size. */
function isVisible(options: Options, columns: number, rows: number): boolean {
  const { visible } = options;
  return typeof visible !== 'function' || Reflect.apply(visible, options, [columns, rows]) === true;
}

/** Whether an overlay takes the keyboard when it opens. */
function isCapturing(options: Options): boolean {
  return options['nonCapturing'] !== true;
}
