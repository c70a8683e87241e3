import { stripVTControlCharacters } from 'node:util';
import { defined } from '../../../base/defined';
import { isRecord } from '../../../base/json/is-record';
import { anySignal } from '../../../base/async/wait';
import { editorMount, mountCustom, placedMount } from './custom-mount';
import type { ConversationMode } from '../../../hook-contract/conversation-port';
import type { HandlerRun } from '../../dispatch/handler-run';
import type { HookFunction } from '../../../hook-contract/loaded-hook';
import { seenBy } from '../seen-by';
import type { HookServices } from '../services';
import { reportOnce } from './report-once';
import { HookTheme } from '../../../hook-contract/ui/theme';
import { footerData, noteStatus, ownMark } from './ui-marks';
import { MOST_SHOWN, refuseTooLarge } from '../../../hook-contract/given-size';
import { levelOf, oneLine, optionalText, shownText } from './ui-text';
import {
  noUi,
  type Answer,
  type CustomMount,
  type DialogKind,
  type HookQuestion,
  type HookUIContext,
  type WidgetPlacement,
  type WorkingFrames,
} from '../../../hook-contract/ui/ui';

interface GivenOptions {
  readonly signal?: AbortSignal;
  readonly timeout?: number;
}

/**
 * The `ctx.ui` of one call: the conversation's UI, with cancel values and forms of the hook's dialect. Members are
 * created when read and need no `this`, because hooks destructure it.
 */
export class HookUi {
  readonly #run: HandlerRun;
  readonly #services: HookServices;

  constructor(run: HandlerRun, services: HookServices) {
    this.#run = run;
    this.#services = services;
  }

  get select() {
    const { text } = dialogs(this.#run, this.#services);
    return async (title: unknown, options: unknown, given?: GivenOptions): Promise<unknown> => {
      const items: readonly unknown[] = Array.isArray(options) ? options : [];
      const shown = items.map(shownOption);
      const answer = await text(title, () => ({ type: 'select', options: shown }), given);
      const at = shown.findIndex(each => each === answer);
      // The option itself, as in pi: some hooks pass objects.
      return at < 0 ? answer : items[at];
    };
  }

  get confirm() {
    const { confirmation } = dialogs(this.#run, this.#services);
    return (title: unknown, message?: unknown, given?: GivenOptions) => confirmation(title, message, given);
  }

  get input() {
    const { text } = dialogs(this.#run, this.#services);
    return (title: unknown, placeholder?: unknown, given?: GivenOptions) =>
      text(title, () => ({ type: 'input', placeholder: optionalText(placeholder) ?? '' }), given);
  }

  get editor() {
    const { text } = dialogs(this.#run, this.#services);
    return (title: unknown, prefill?: unknown, given?: GivenOptions) =>
      text(title, () => ({ type: 'editor', prefill: optionalText(prefill) ?? '' }), given);
  }

  get custom() {
    const run = this.#run;
    const services = this.#services;
    return (...given: readonly unknown[]): unknown => mountCustom(run, services, portOf(run, services), given);
  }

  get notify() {
    const run = this.#run;
    const services = this.#services;
    return (message: unknown, type?: unknown): void => {
      portOf(run, services).notify(shownText(message), levelOf(type), run.origin);
    };
  }

  get setStatus() {
    const run = this.#run;
    const services = this.#services;
    return (key: unknown, text?: unknown): void => {
      const port = portOf(run, services);
      const name = String(key);
      const line = text === undefined || text === null ? undefined : oneLine(shownText(text));
      port.setStatus(name, line, run.origin);
      noteStatus(port, name, line);
      ownMark(run.hook, port, `status ${name}`, line !== undefined, () => {
        port.setStatus(name, undefined, run.origin);
        noteStatus(port, name, undefined);
      });
    };
  }

  get setWidget() {
    const run = this.#run;
    const services = this.#services;
    return (key: unknown, content?: unknown, options?: { placement?: unknown }): void => {
      const port = portOf(run, services);
      const name = String(key);
      const placement: WidgetPlacement = options?.placement === 'belowEditor' ? 'belowEditor' : 'aboveEditor';
      const shown = widgetContent(run, services, content);
      port.setWidget(name, shown, placement, run.origin);
      ownMark(run.hook, port, `widget ${name}`, shown !== undefined, () =>
        port.setWidget(name, undefined, placement, run.origin),
      );
    };
  }

  get setHeader() {
    return this.#place('header', (port, mount) => port.setHeader(mount, this.#run.origin));
  }

  get setFooter() {
    return this.#place('footer', (port, mount) => port.setFooter(mount, this.#run.origin));
  }

  get setEditorComponent() {
    const put = (port: HookUIContext, mount: CustomMount | undefined): void => {
      if (mount === undefined) editorFactories.delete(port);
      port.setEditorComponent?.(mount, this.#run.origin);
    };
    return this.#place('editor', put, factory => {
      const port = portOf(this.#run, this.#services);
      if (port.setEditorComponent !== undefined) editorFactories.set(port, factory);
      return editorMount(this.#run, this.#services, factory);
    });
  }

  /** The factory that replaces the input box, of any hook; undefined for the usual input box. */
  get getEditorComponent() {
    const port = this.#port();
    return (): HookFunction | undefined => editorFactories.get(port());
  }

  get onTerminalInput() {
    const run = this.#run;
    const services = this.#services;
    return (listener: unknown): (() => void) => {
      if (typeof listener !== 'function') throw new TypeError('onTerminalInput needs a function');
      const heard = (data: string): boolean => {
        try {
          return consumes(listener as HookFunction, data);
        } catch (error) {
          services.report(run.hook, 'terminal input', error);
          return false;
        }
      };
      const listening = portOf(run, services).onTerminalInput?.(heard, run.origin);
      const owned =
        listening &&
        run.hook.identity.scope.own({
          what: 'terminal input listener',
          kind: 'listener',
          close: () => listening.dispose(),
        });
      return () => {
        owned?.dispose();
        listening?.dispose();
      };
    };
  }

  get addAutocompleteProvider() {
    const run = this.#run;
    const services = this.#services;
    return (factory: unknown): void => {
      if (typeof factory !== 'function') throw new TypeError('addAutocompleteProvider needs a function');
      const { conversation } = run.subject;
      const added = portOf(run, services).addAutocompleteProvider?.({
        create: current => services.within(conversation, () => (factory as HookFunction)(current)),
        run: code => services.within(conversation, code),
        failed: error => reportOnce(run.hook, services, 'addAutocompleteProvider', error),
      });
      if (added === undefined) return;
      run.hook.identity.scope.own({ what: 'autocomplete provider', kind: 'listener', close: () => added.dispose() });
    };
  }

  get setWorkingMessage() {
    const port = this.#port();
    return (message?: unknown): void => {
      port().setWorkingMessage(optionalText(message));
    };
  }

  get setWorkingVisible() {
    const hiddenIn = (given: unknown): true | undefined => (given === false ? true : undefined);
    return this.#mark('hidden working row', hiddenIn, (port, hidden) => port.setWorkingVisible(hidden !== true));
  }

  get setWorkingIndicator() {
    return this.#mark('working indicator', framesIn, (port, frames) => port.setWorkingIndicator(frames));
  }

  get setHiddenThinkingLabel() {
    const labelIn = (given: unknown): string | undefined => {
      const text = optionalText(given);
      return text === undefined ? undefined : oneLine(text);
    };
    return this.#mark('label of thoughts', labelIn, (port, label) => port.setHiddenThinkingLabel(label));
  }

  get setTitle() {
    const port = this.#port();
    return (title: unknown): void => {
      port().setTitle(shownText(title));
    };
  }

  get setEditorText() {
    const port = this.#port();
    return (text: unknown): void => {
      port().setEditorText(shownText(text));
    };
  }

  get getEditorText() {
    const port = this.#port();
    return (): string => port().getEditorText();
  }

  get pasteToEditor() {
    const port = this.#port();
    return (text: unknown): void => {
      port().pasteToEditor(shownText(text));
    };
  }

  get getToolsExpanded() {
    const port = this.#port();
    return (): boolean => port().getToolsExpanded();
  }

  get setToolsExpanded() {
    const port = this.#port();
    return (expanded: unknown): void => {
      port().setToolsExpanded(Boolean(expanded));
    };
  }

  get theme(): HookTheme {
    return this.#services.theme.current;
  }

  get getAllThemes() {
    const { theme } = this.#services;
    const mode = this.#mode();
    return (): object[] => (mode() === 'tui' ? theme.names().map(name => ({ name, path: undefined })) : []);
  }

  get getTheme() {
    const { theme } = this.#services;
    const mode = this.#mode();
    return (name: unknown): HookTheme | undefined => (mode() === 'tui' ? theme.named(String(name)) : undefined);
  }

  get setTheme() {
    const { theme } = this.#services;
    const mode = this.#mode();
    return (nameOrTheme: unknown): { success: boolean; error?: string } => {
      if (mode() === 'rpc') return { success: false, error: 'Theme switching not supported in RPC mode' };
      if (mode() !== 'tui') return { success: false, error: 'UI not available' };
      const name = nameOrTheme instanceof HookTheme ? nameOrTheme.name : String(nameOrTheme);
      return theme.choose(name) ? { success: true } : { success: false, error: `Theme not found: ${name}` };
    };
  }

  /** A setter whose value is removed with the hook's load; undefined is the usual state. */
  #mark<V>(
    what: string,
    read: (given: unknown) => V | undefined,
    put: (port: HookUIContext, value: V | undefined) => void,
  ) {
    const run = this.#run;
    const services = this.#services;
    return (given?: unknown): void => {
      const port = portOf(run, services);
      const value = read(given);
      put(port, value);
      ownMark(run.hook, port, what, value !== undefined, () => put(port, undefined));
    };
  }

  #port(): () => HookUIContext {
    const run = this.#run;
    const services = this.#services;
    return () => portOf(run, services);
  }

  /** Undefined where there is no user. */
  #mode(): () => ConversationMode | undefined {
    const run = this.#run;
    const services = this.#services;
    return () => {
      const conversation = services.conversationFor(run.subject.conversation);
      return conversation?.hasUI === true ? conversation.mode : undefined;
    };
  }

  #place(
    what: string,
    put: (port: HookUIContext, mount: CustomMount | undefined) => void,
    mountOf?: (factory: HookFunction) => CustomMount,
  ) {
    const run = this.#run;
    const services = this.#services;
    return (factory?: unknown): void => {
      const port = portOf(run, services);
      const build =
        mountOf ??
        ((code: HookFunction): CustomMount => placedMount(run, services, code, footerData(port, run, services)));
      const mount = typeof factory === 'function' ? build(factory as HookFunction) : undefined;
      put(port, mount);
      ownMark(run.hook, port, what, mount !== undefined, () => put(port, undefined));
    };
  }
}

/** What hooks gave to `setEditorComponent`, for hooks that wrap it. */
const editorFactories = new WeakMap<HookUIContext, HookFunction>();

/** Default and minimum time of one frame, in ms, as in pi. */
const FRAME_MS = 80;
const LEAST_FRAME_MS = 50;

function framesIn(given: unknown): WorkingFrames | undefined {
  if (!isRecord(given) || !Array.isArray(given['frames'])) return undefined;
  const { frames, intervalMs } = given;
  const time = typeof intervalMs === 'number' && intervalMs > 0 ? Math.max(LEAST_FRAME_MS, intervalMs) : FRAME_MS;
  return { frames: frames.map(frame => stripVTControlCharacters(shownText(frame))), intervalMs: time };
}

function shownOption(option: unknown): string {
  return isRecord(option) && typeof option['label'] === 'string' ? option['label'] : String(option);
}

function portOf(run: HandlerRun, services: HookServices): HookUIContext {
  return seenBy(run.hook, services.conversationFor(run.subject.conversation))?.ui ?? noUi;
}

interface Dialogs {
  readonly text: (
    title: unknown,
    dialog: () => DialogKind,
    given: GivenOptions | undefined,
  ) => Promise<string | null | undefined>;
  readonly confirmation: (title: unknown, message: unknown, given: GivenOptions | undefined) => Promise<boolean>;
}

/** Asks, and converts the answer to the hook's dialect. Arguments without a text reject the promise. */
function dialogs(run: HandlerRun, services: HookServices): Dialogs {
  const ask = <V>(question: HookQuestion, read: (answer: Answer) => V): Promise<V> => {
    const { title, message, dialog } = question;
    refuseTooLarge([title, message, dialog], MOST_SHOWN);
    const hint = dialog.type === 'input' ? dialog.placeholder : undefined;
    const answered = async (): Promise<V> => {
      const answer = await portOf(run, services).ask(question);
      if (answer !== undefined) run.noteAnswer();
      return read(answer);
    };
    const about = { kind: dialog.type, title };
    const opened = { ...about, hint, ...textsOf({ title, message, dialog }) };
    return run.asks(() => services.asking(run.subject.conversation, about, answered), opened);
  };
  return {
    text: async (title, dialog, given) => {
      const question = { title: String(title), message: '', dialog: dialog(), ...circumstances(run, given) };
      return (
        (await ask(question, answer => (typeof answer === 'string' ? answer : undefined))) ?? run.hook.dialect.none
      );
    },
    confirmation: async (title, message, given) => {
      const dialog = { type: 'confirm' } as const;
      const question = { title: String(title), message: shownText(message), dialog, ...circumstances(run, given) };
      return ask(question, answer => answer === true);
    },
  };
}

/** What a dialog shows whose answer can approve a call. */
function textsOf({ title, message, dialog }: Pick<HookQuestion, 'title' | 'message' | 'dialog'>): {
  readonly texts?: readonly string[];
} {
  switch (dialog.type) {
    case 'confirm':
      return { texts: [title, message] };
    case 'select':
      return { texts: [title, message, ...dialog.options] };
    case 'input':
    case 'editor':
      return {};
  }
}

function circumstances(
  run: HandlerRun,
  given: GivenOptions | undefined,
): Pick<HookQuestion, 'asker' | 'origin' | 'signal' | 'timeout'> {
  const own: unknown = given?.signal;
  const signal = anySignal(run.subject.signal, run.hook.turnedOff, own instanceof AbortSignal ? own : undefined);
  return {
    asker: run.asker,
    origin: run.origin,
    ...defined({ signal }),
    ...(typeof given?.timeout === 'number' ? { timeout: given.timeout } : {}),
  };
}

function widgetContent(
  run: HandlerRun,
  services: HookServices,
  content: unknown,
): readonly string[] | CustomMount | undefined {
  if (Array.isArray(content)) return content.map(shownText);
  return typeof content === 'function' ? placedMount(run, services, content as HookFunction, undefined) : undefined;
}

function consumes(listener: HookFunction, data: string): boolean {
  const answer = listener(data);
  if (typeof answer !== 'object' || answer === null) return answer === true;
  return (answer as { consume?: unknown }).consume === true;
}
