import type * as piTui from '@mariozechner/pi-tui';
import type { Component, EditorOptions, EditorTheme, TUI } from '@mariozechner/pi-tui';
import type { ShippedTheme } from './themes';

type PiTui = typeof piTui;
type Paint = (text: string) => string;

/** The components from which hooks build their own components. */
export function buildingBlocks(tui: PiTui, theme: () => ShippedTheme): Readonly<Record<string, unknown>> {
  const DynamicBorder = dynamicBorder(theme);
  return { DynamicBorder, BorderedLoader: borderedLoader(tui, DynamicBorder), CustomEditor: customEditor(tui) };
}

/** A class of components that draw a horizontal line over the whole width. */
function dynamicBorder(theme: () => ShippedTheme): new (color?: Paint) => Component {
  return class DynamicBorder implements Component {
    private readonly paint: Paint;
    constructor(color?: Paint) {
      this.paint = color ?? (line => theme().fg('border', line));
    }
    invalidate = (): void => undefined;
    render = (columns: number): string[] => [this.paint(''.padEnd(columns > 0 ? columns : 1, '─'))];
  };
}

function borderedLoader(tui: PiTui, DynamicBorder: new (color?: Paint) => Component): unknown {
  return class BorderedLoader extends tui.Container {
    private readonly loader: InstanceType<PiTui['CancellableLoader']>;
    private readonly cancellable: boolean;
    constructor(ui: TUI, own: ShippedTheme, message: string, options: { readonly cancellable?: boolean } = {}) {
      super();
      this.cancellable = options.cancellable ?? true;
      const border: Paint = text => own.fg('border', text);
      this.loader = new tui.CancellableLoader(
        ui,
        text => own.fg('accent', text),
        text => own.fg('muted', text),
        message,
      );
      this.addChild(new DynamicBorder(border));
      this.addChild(this.loader);
      if (this.cancellable) this.addChild(new tui.Text(own.fg('dim', 'esc to cancel'), 1, 0));
      this.addChild(new DynamicBorder(border));
    }
    get signal(): AbortSignal {
      return this.loader.signal;
    }
    set onAbort(listener: (() => void) | undefined) {
      if (listener === undefined) delete this.loader.onAbort;
      else this.loader.onAbort = listener;
    }
    handleInput(data: string): void {
      if (this.cancellable) this.loader.handleInput(data);
    }
    dispose(): void {
      this.loader.dispose();
    }
  };
}

interface ActionMatcher {
  matches(data: string, action: never): boolean;
}

function customEditor(tui: PiTui): unknown {
  return class CustomEditor extends tui.Editor {
    readonly actionHandlers = new Map<string, () => void>();
    onEscape?: () => void;
    onCtrlD?: () => void;
    onPasteImage?: () => void;
    onExtensionShortcut?: (data: string) => boolean;
    constructor(
      ui: TUI,
      own: EditorTheme,
      private readonly keybindings?: ActionMatcher,
      options?: EditorOptions,
    ) {
      super(ui, own, options);
    }
    onAction(action: string, handler: () => void): void {
      this.actionHandlers.set(action, handler);
    }
    override handleInput(data: string): void {
      if (this.onExtensionShortcut?.(data) === true) return;
      if (this.onEscape !== undefined && tui.matchesKey(data, 'escape') && !this.isShowingAutocomplete()) {
        this.onEscape();
        return;
      }
      if (this.onCtrlD !== undefined && tui.matchesKey(data, 'ctrl+d') && this.getText() === '') {
        this.onCtrlD();
        return;
      }
      const handler = [...this.actionHandlers].find(([action]) => this.keybindings?.matches(data, action as never));
      if (handler === undefined) super.handleInput(data);
      else handler[1]();
    }
  };
}
