import type { Component } from '@mariozechner/pi-tui';

type Options = Readonly<Record<string, unknown>>;

/** Options as a hook gave them; a function is asked anew each time, as in pi. Foreign code: may throw. */
export function overlayOptions(given: unknown, component: Component | undefined): Options {
  const options: unknown = typeof given === 'function' ? Reflect.apply(given, undefined, []) : given;
  if (typeof options === 'object' && options !== null) return options as Options;
  const { width } = (component ?? {}) as { readonly width?: unknown };
  return typeof width === 'number' ? { width } : {};
}

/** Whether an overlay is drawn on a screen of this size. */
export function isVisible(options: Options, columns: number, rows: number): boolean {
  const { visible } = options;
  return typeof visible !== 'function' || Reflect.apply(visible, options, [columns, rows]) === true;
}

/** Whether an overlay takes the keyboard when it opens. */
export function isCapturing(options: Options): boolean {
  return options['nonCapturing'] !== true;
}
