import { AGENT, TUI, type HelperName } from '../pass';

/** A function that is added to converted code, for what an older dialect did and the newest one does not. */
export interface Helper {
  readonly code: (typed: boolean) => string;
  /** The imports that the function needs in TypeScript: pairs of a module and an import clause. */
  readonly imports: readonly (readonly [module: string, clause: string])[];
}

export const HELPERS: { readonly [N in HelperName]: Helper } = {
  splitArguments: {
    imports: [],
    code: typed => `/** Splits the text after a command's name into words; quotes keep spaces together. */
function splitArguments(text${typed ? ': string' : ''})${typed ? ': string[]' : ''} {
  const words${typed ? ': string[]' : ''} = [];
  let word${typed ? ': string | undefined' : ''};
  let quote = '';
  for (const letter of text) {
    if (quote !== '') {
      if (letter === quote) quote = '';
      else word = (word ?? '') + letter;
    } else if (letter === '"' || letter === "'") {
      quote = letter;
      word ??= '';
    } else if (/\\s/.test(letter)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + letter;
  }
  if (word !== undefined) words.push(word);
  return words;
}`,
  },
  messagesToKeep: {
    imports: [[AGENT, 'type { SessionBeforeCompactEvent }']],
    code: typed => `/** The messages that the compaction keeps: those from the first kept entry on. */
function messagesToKeep(event${typed ? ': SessionBeforeCompactEvent' : ''}) {
  const from = event.branchEntries.findIndex(({ id }) => id === event.preparation.firstKeptEntryId);
  return event.branchEntries.slice(from).flatMap(entry => (entry.type === 'message' ? [entry.message] : []));
}`,
  },
  apiKeyResolver: {
    imports: [[AGENT, 'type { ExtensionContext }']],
    code: typed => `/** Returns a function that gives the API key of a model's provider. */
function apiKeyResolver(ctx${typed ? ': ExtensionContext' : ''}) {
  return (model${typed ? ': { provider: string }' : ''}) => ctx.modelRegistry.getApiKeyForProvider(model.provider);
}`,
  },
  mountComponent: {
    imports: [
      [AGENT, 'type { ExtensionUIContext }'],
      [TUI, 'type { Component }'],
    ],
    code: typed => `/** Shows a component and returns its handle at once; \`onClose\` is called when the component closes. */
function mountComponent(ui${typed ? ': ExtensionUIContext' : ''}, component${typed ? ': Component' : ''}, onClose${typed ? '?: () => void' : ''}) {
  let redraw = () => {};
  let finish = () => {};
  const closed = new Promise${typed ? '<void>' : ''}(resolve => {
    finish = () => resolve();
  });
  const shown = ui.custom${typed ? '<void>' : ''}((tui, _theme, _keybindings, done) => {
    redraw = () => tui.requestRender();
    void closed.then(() => done());
    return component;
  });
  void shown.then(() => onClose?.());
  return { close: () => finish(), requestRender: () => redraw() };
}`,
  },
};
