import type { AutocompleteItem, AutocompleteProvider, AutocompleteSuggestions } from '@mariozechner/pi-tui';
import { toDisposable, type Disposable } from '../../../base/disposable';
import { Emitter } from '../../../base/event';
import { isRecord } from '../../../base/json/is-record';
import { unlessAborted, withTimeout } from '../../../base/async/wait';
import type { CompletionSource } from '../../../hook-contract/ui/ui';
import type { BuiltInCompletions } from './built-in-completions';
import { caretOf, caretPlace, type TextPlace } from './text-place';

/** How long a provider of a hook may take before what comes without it is offered, ms. */
const WAIT_MS = 2_000;
/** Most lines that are taken of one list. */
const MOST_ITEMS = 100;
/** Characters that begin a word which is completed, whatever providers say; as in pi. */
const TRIGGERS = ['@', '#'];

interface Layer {
  readonly source: CompletionSource;
  provider: unknown;
}

/** Items that hooks offer for a text, and the typed part of them; kept until one is chosen. */
export interface OfferedItems {
  readonly items: readonly AutocompleteItem[];
  readonly prefix: string;
}

/**
 * Completion as hooks extend it (`addAutocompleteProvider`). Each provider wraps the earlier ones; the innermost is the
 * composer's own. A provider that fails, gives an invalid answer or takes longer than {@link WAIT_MS} is reported and
 * skipped.
 */
export class HookCompletions implements Disposable {
  private layers: readonly Layer[] = [];
  private session: object | undefined;
  private readonly changeEmitter = new Emitter<void>();
  /** Fires when a provider was added or removed. */
  readonly onDidChange = this.changeEmitter.event;

  constructor(
    private readonly builtIn: BuiltInCompletions,
    private readonly waitMs = WAIT_MS,
  ) {}

  /** Characters that begin a word which hooks may complete; undefined when no hook does. */
  get triggers(): string | undefined {
    if (this.layers.length === 0) return undefined;
    return [...TRIGGERS, ...this.layers.map(triggersOf)].join('');
  }

  /** Adds a provider before the others, until the result is disposed. */
  add(source: CompletionSource): Disposable {
    const layer: Layer = { source, provider: undefined };
    const at = this.layers.length;
    this.layers = [...this.layers, layer];
    try {
      layer.provider = source.create(this.before(layer));
      if (!isRecord(layer.provider)) throw new TypeError('the factory must return a provider');
    } catch (error) {
      this.layers = this.layers.toSpliced(at, 1);
      source.failed(error);
      return toDisposable(() => undefined);
    }
    this.changeEmitter.fire();
    return toDisposable(() => this.remove(layer));
  }

  /** Removes all providers for another session: hooks add them again when they get its start event. */
  follow(session: object): void {
    const isOther = this.session !== undefined && this.session !== session;
    this.session = session;
    if (!isOther || this.layers.length === 0) return;
    this.layers = [];
    this.changeEmitter.fire();
  }

  /** What hooks offer for a text. Never rejects. */
  async suggest(text: string, caret: number, signal: AbortSignal): Promise<OfferedItems> {
    const found = await this.ask(this.layers.length - 1, caretPlace(text, caret), signal);
    return found === null ? { items: [], prefix: '' } : found;
  }

  /** The text with an item in place of its typed part, and the new place of the caret. */
  complete(
    text: string,
    caret: number,
    item: AutocompleteItem,
    prefix: string,
  ): { readonly text: string; readonly caret: number } {
    const done = this.apply(this.layers.length - 1, caretPlace(text, caret), item, prefix);
    return { text: done.lines.join('\n'), caret: caretOf(done) };
  }

  dispose(): void {
    this.layers = [];
    this.changeEmitter.dispose();
  }

  private remove(layer: Layer): void {
    if (!this.layers.includes(layer)) return;
    this.layers = this.layers.filter(other => other !== layer);
    this.changeEmitter.fire();
  }

  /** What a factory gets: whatever is before its provider at the time of a call. */
  private before(layer: Layer): AutocompleteProvider {
    const index = (): number => {
      const at = this.layers.indexOf(layer);
      return at < 0 ? -1 : at - 1;
    };
    return {
      triggerCharacters: [...TRIGGERS],
      getSuggestions: (lines, line, column, { signal }) => this.ask(index(), { lines, line, column }, signal),
      applyCompletion: (lines, line, column, item, prefix) => {
        const done = this.apply(index(), { lines, line, column }, item, prefix);
        return { lines: done.lines, cursorLine: done.line, cursorCol: done.column };
      },
      shouldTriggerFileCompletion: () => true,
    };
  }

  private async ask(index: number, place: TextPlace, signal: AbortSignal): Promise<AutocompleteSuggestions | null> {
    const layer = this.layers[index];
    if (layer === undefined) return this.builtIn.suggestions(place, signal);
    const { source } = layer;
    try {
      const { lines, line, column } = place;
      const asked = source.run(() =>
        call(layer, 'getSuggestions', [[...lines], line, column, { signal, force: false }]),
      );
      const late = (): never => {
        throw new Error(`getSuggestions gave no answer within ${this.waitMs} ms`);
      };
      const given = await unlessAborted(withTimeout(asked, this.waitMs, late), signal, () => null);
      return given === null || given === undefined ? null : checkedSuggestions(given);
    } catch (error) {
      if (signal.aborted) return null;
      source.failed(error);
      return this.ask(index - 1, place, signal);
    }
  }

  private apply(index: number, place: TextPlace, item: AutocompleteItem, prefix: string): TextPlace {
    const layer = this.layers[index];
    if (layer === undefined) return replaced(place, item, prefix);
    const { lines, line, column } = place;
    try {
      return checkedPlace(
        layer.source.run(() => call(layer, 'applyCompletion', [[...lines], line, column, item, prefix])),
      );
    } catch (error) {
      layer.source.failed(error);
      return this.apply(index - 1, place, item, prefix);
    }
  }
}

function call({ provider }: Layer, name: 'getSuggestions' | 'applyCompletion', given: readonly unknown[]): unknown {
  const code: unknown = isRecord(provider) ? provider[name] : undefined;
  if (typeof code !== 'function') throw new TypeError(`the provider has no ${name}`);
  return Reflect.apply(code, provider, given);
}

function triggersOf({ provider, source }: Layer): string {
  try {
    const given = isRecord(provider) ? provider['triggerCharacters'] : undefined;
    if (given === undefined) return '';
    if (!Array.isArray(given)) throw new TypeError('triggerCharacters must be an array of characters');
    return given.filter((one): one is string => typeof one === 'string' && /^\S$/u.test(one)).join('');
  } catch (error) {
    source.failed(error);
    return '';
  }
}

/** @throws TypeError for any value that is not a list */
function checkedSuggestions(given: unknown): AutocompleteSuggestions {
  const { items, prefix } = isRecord(given) ? given : {};
  if (!Array.isArray(items) || typeof prefix !== 'string') {
    throw new TypeError('getSuggestions must give { items, prefix } or null');
  }
  const isItem = (item: unknown): item is AutocompleteItem =>
    isRecord(item) && typeof item['value'] === 'string' && typeof item['label'] === 'string';
  const wrong = items.findIndex(item => !isItem(item));
  if (wrong >= 0) throw new TypeError(`getSuggestions: items[${wrong}] must have the texts "value" and "label"`);
  return { items: (items as AutocompleteItem[]).slice(0, MOST_ITEMS), prefix };
}

/** @throws TypeError for any value that is not a text with a caret in it */
function checkedPlace(given: unknown): TextPlace {
  const { lines, cursorLine, cursorCol } = isRecord(given) ? given : {};
  const isText = Array.isArray(lines) && lines.length > 0 && lines.every(line => typeof line === 'string');
  if (!isText || typeof cursorLine !== 'number' || typeof cursorCol !== 'number') {
    throw new TypeError('applyCompletion must give { lines, cursorLine, cursorCol }');
  }
  const line = Math.min(Math.max(0, Math.trunc(cursorLine)), lines.length - 1);
  const column = Math.min(Math.max(0, Math.trunc(cursorCol)), lines[line]?.length ?? 0);
  return { lines, line, column };
}

/** As pi puts a line of its own list into the text: files and commands are followed by a blank. */
function replaced({ lines, line, column }: TextPlace, { value }: AutocompleteItem, prefix: string): TextPlace {
  const text = lines[line] ?? '';
  const start = Math.max(0, column - prefix.length);
  const isWhole = /^[@/]/.test(prefix) && !value.endsWith('/') && !text.slice(column).startsWith(' ');
  const inserted = isWhole ? `${value} ` : value;
  const all = lines.with(line, text.slice(0, start) + inserted + text.slice(column));
  return { lines: all, line, column: start + inserted.length };
}
