import type * as piTui from '@mariozechner/pi-tui';

export type PiTui = typeof piTui;

let loading: Promise<PiTui> | undefined;
let loaded: PiTui | undefined;

/**
 * The library that hooks build their components with; the same instance as theirs. Loaded when the first hook mounts
 * something. Rejects when it cannot be read.
 */
export function loadPiTui(): Promise<PiTui> {
  loading ??= import('@mariozechner/pi-tui').then(tui => {
    // The page shows text only, whatever terminal VS Code was started from.
    tui.setCapabilities({ images: null, trueColor: true, hyperlinks: true });
    loaded = tui;
    return tui;
  });
  return loading;
}

/** The library when it is loaded already. */
export function loadedPiTui(): PiTui | undefined {
  return loaded;
}
