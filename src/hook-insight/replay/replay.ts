import { url as inspectorUrl } from 'node:inspector';
import { basename } from 'node:path';
import { clipped } from '../../base/text/clipped';
import { defined } from '../../base/defined';
import { unlessAborted } from '../../base/async/wait';
import type { HookConversation } from '../../hook-contract/conversation-port';
import { GATE_FILE } from '../../hook-contract/conversation-approvals';
import type { HandlerDelivery } from '../../hook-run/dispatch/deliveries';
import { dryConversation } from '../dry-run/dry-conversation';
import type { HookEvent } from '../../hook-contract/hook-event';
import type { HookInfo } from '../../hook-contract/hook-info';
import type { HookHost } from '../../hook-run/host/host';
import type { OtherAgent } from '../../hook-typings/context/context';
import { entryOf, captureDispatch, type LogEntry } from '../recording/log-entry';
import { redactText } from '../../base/text/redact';
import type { SampleContext } from '../../hook-contract/events/event-row';
import { statusOf, handlerVerdict } from './compare';
import { dispatchesIn, handlerKey, payloadBefore, type RecordedDispatch } from './recorded-dispatch';
import { gapsInAnswers, recordedEvent, type RecordedEvent } from './recorded-event';
import { RecordedAnswers } from './recorded-answers';
import { statusCounts, type ReplayedDispatch, type ReplayedHandler, type ReplayReport } from './report';
import { isRecord } from '../../base/json/is-record';
import { singleLine } from '../../base/text/single-line';
import { calledAs } from '../../hook-contract/called-as';

/** How long to wait for the handlers of an event, in ms; one that never ends would block the replay. */
const WAIT_LIMIT_MS = 10_000;

/** Actions that return nothing a hook could use: its verdict is the same although they are not done in a replay. */
const UNANSWERED: ReadonlySet<string> = new Set([
  'setThinkingLevel',
  'abort',
  'shutdown',
  'sendUserMessage',
  'sendCustomMessage',
  'appendEntry',
  'saveEntry',
  'rebuildContext',
  'setSessionName',
  'setLabel',
  'setActiveTools',
  'reload',
]);

function isAnswered(action: string): boolean {
  return !UNANSWERED.has(action) && !action.startsWith('sessionManager.append');
}

export type ReplayHost = Pick<HookHost, 'runner' | 'records' | 'commands' | 'infos' | 'attach'>;

export interface ReplayOptions {
  readonly facts: SampleContext;
  /** Repeats each entry only with its own handler and that handler's payload; otherwise all handlers get each event. */
  readonly alone?: boolean;
  /** Leaves out the entries of hooks that are not loaded now; otherwise those hooks count as removed. */
  readonly ignoreMissing?: boolean;
  /** When aborted, the replay stops after the current dispatch. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, all: number) => void;
}

/**
 * Sends the events of a recorded run to the hooks of a host and compares their answers with the recorded ones. The host
 * must be made for the replay, with {@link ReplayConversation.conversation} attached before it loads: hooks have state,
 * so the hooks of a real conversation must not be used. Nothing that hooks do makes this reject.
 */
export class Replay {
  private readonly withheld: string[];

  constructor(
    private readonly host: ReplayHost,
    private readonly replayed: ReplayConversation,
    private readonly options: ReplayOptions,
  ) {
    this.withheld = replayed.withheld;
  }

  async run(entries: readonly LogEntry[]): Promise<ReplayReport> {
    const { alone = false, signal, onProgress } = this.options;
    const paths = pathsNow(entries, this.host.infos());
    const ofHooks = entries.filter(entry => paths.has(entry.hook) || !isBuiltInGate(entry.hook));
    const here = ofHooks
      .filter(entry => this.options.ignoreMissing !== true || paths.has(entry.hook))
      .map(entry => ({ ...entry, hook: paths.get(entry.hook) ?? entry.hook }));
    const all = alone
      ? here.map((entry): RecordedDispatch => ({ event: entry.event, entries: [entry] }))
      : dispatchesIn(here);
    const dispatches: ReplayedDispatch[] = [];
    for (const recorded of all) {
      if (signal?.aborted === true) break;
      dispatches.push(await this.repeat(recorded));
      onProgress?.(dispatches.length, all.length);
    }
    const missing = [...new Set(ofHooks.map(entry => entry.hook))].filter(path => !paths.has(path));
    return { dispatches, counts: statusCounts(dispatches), missing };
  }

  private async repeat(recorded: RecordedDispatch): Promise<ReplayedDispatch> {
    const [first] = recorded.entries;
    const base = {
      run: first.run,
      seq: first.seq,
      at: first.at,
      event: first.event,
      ...defined({ tool: first.tool }),
      brief: briefOf(first),
    };
    const broken = new Set(this.host.infos().flatMap(({ path, state }) => (state.type === 'failed' ? [path] : [])));
    if (recorded.entries.every(({ hook }) => broken.has(hook))) {
      const names = new Set(recorded.entries.map(({ hook }) => tailOf(hook)));
      return {
        ...base,
        status: 'skipped',
        why: [...names].map(name => `${name} does not load`).join(', '),
        handlers: [],
      };
    }
    const source = recordedEvent(first, this.options.facts);
    if (source.type === 'none') return { ...base, status: 'skipped', why: source.why, handlers: [] };
    const { after, notes, byHook, withheld } = await this.perform(source, recorded);
    const gaps = new Set([...source.gaps, ...recorded.entries.flatMap(gapsInAnswers)]);
    const shared = [...gaps, ...notes];
    const handlers = this.handlersOf(recorded.entries, after, hook => [
      ...(broken.has(hook) ? ['the hook does not load'] : []),
      ...shared,
      ...(byHook.get(hook) ?? []),
    ]);
    return { ...base, status: worst(handlers), handlers, ...(withheld.length === 0 ? {} : { withheld }) };
  }

  /** Sends one event. Returns the new entries and the actions that were not done. */
  private async perform(
    source: Exclude<RecordedEvent, { type: 'none' }>,
    recorded: RecordedDispatch,
  ): Promise<{
    after: readonly LogEntry[];
    notes: readonly string[];
    byHook: ReadonlyMap<string, readonly string[]>;
    withheld: readonly string[];
  }> {
    const { host, replayed } = this;
    const after: LogEntry[] = [];
    this.withheld.length = 0;
    replayed.ready(recorded.entries);
    const listening = host.records.onDidDispatch(record => {
      after.push(entryOf(captureDispatch(record), ''));
    });
    // Whoever stops at a breakpoint takes longer.
    const signal = inspectorUrl() === undefined ? AbortSignal.timeout(WAIT_LIMIT_MS) : new AbortController().signal;
    try {
      if (source.type === 'command') {
        const running = host.commands.run(source.name, source.args, replayed.conversation, { signal });
        await unlessAborted(running, signal, () => undefined);
      } else await this.send(source.event, recorded, signal);
    } finally {
      listening.dispose();
    }
    const late = signal.aborted ? [`it did not finish within ${WAIT_LIMIT_MS / 1_000} s`] : [];
    const withheld = [...new Set(this.withheld)];
    const telling = withheld.filter(isAnswered).map(action => `${action} was not done`);
    return { after, notes: [...late, ...telling], byHook: replayed.unanswered(), withheld };
  }

  private async send(event: HookEvent, { entries }: RecordedDispatch, signal: AbortSignal): Promise<void> {
    const { runner } = this.host;
    if (this.options.alone !== true) {
      await runner.emit(event, this.replayed.conversation, { signal });
      return;
    }
    const [{ hook, registeredAs, nth }] = entries;
    const isWanted = ({ hook: { path }, handler }: HandlerDelivery): boolean =>
      path === hook && handler.name === registeredAs && handler.nth === nth;
    await runner.emitThrough(runner.deliveries(event).filter(isWanted), event, this.replayed.conversation, { signal });
  }

  private handlersOf(
    before: readonly LogEntry[],
    after: readonly LogEntry[],
    notesFor: (hookPath: string) => readonly string[],
  ): readonly ReplayedHandler[] {
    const now = new Map(after.map(entry => [handlerKey(entry), entry]));
    const known = new Set(before.map(handlerKey));
    const fresh = after.filter(entry => !known.has(handlerKey(entry)));
    return [...before, ...fresh].map(entry => {
      const was = known.has(handlerKey(entry)) ? handlerVerdict(entry) : undefined;
      const answered = now.get(handlerKey(entry));
      const is = answered === undefined ? undefined : handlerVerdict(answered);
      const notes = notesFor(entry.hook);
      const { hook: hookPath, registeredAs, nth } = entry;
      return {
        hookPath,
        registeredAs,
        nth,
        ...placeOf(this.host.infos(), entry),
        status: statusOf(was, is, notes),
        ...defined({ before: was, after: is }),
        notes,
      };
    });
  }
}

/** The conversation of a replay: its facts are those of `real`, dialogs get recorded answers, and no action is done. */
export class ReplayConversation {
  private readonly answers = new RecordedAnswers();
  private hasUI = true;
  private agent: OtherAgent | undefined;
  readonly conversation: HookConversation;

  /**
   * `withheld` collects the actions that were not done since the last event; the scopes of the hooks also add to it.
   */
  constructor(
    real: HookConversation,
    readonly withheld: string[],
  ) {
    const dry = dryConversation(real, ({ action, args }) => {
      const [first] = args;
      this.withheld.push(action === 'exec' && typeof first === 'string' ? `exec ${redactText(first)}` : action);
    });
    const { ui } = this.answers;
    const hasUI = (): boolean => this.hasUI;
    const agent = (): OtherAgent | undefined => this.agent;
    this.conversation = new Proxy(dry, {
      get(target, name) {
        if (name === 'ui') return ui;
        if (name === 'hasUI') return hasUI();
        if (name === 'agent') return agent();
        return Reflect.get(target, name, target) as unknown;
      },
    });
  }

  /** Prepares for the event of these entries: uses its recorded answers and its agent from now on. */
  ready(entries: readonly LogEntry[]): void {
    this.hasUI = entries.every(entry => entry.noUi !== true);
    this.agent = entries[0]?.agent;
    this.answers.useAnswers(entries.flatMap(({ hook, dialogs = [] }) => dialogs.map(dialog => ({ hook, dialog }))));
  }

  /** Notes by hook path about the questions that the recording has no answer to. */
  unanswered(): ReadonlyMap<string, readonly string[]> {
    const notes = new Map<string, readonly string[]>();
    if (!this.hasUI) return notes;
    for (const { hookPath, question } of this.answers.unanswered) {
      const note = `it asked ${redactText(question)}, and the recording has no answer to this`;
      notes.set(hookPath, [...(notes.get(hookPath) ?? []), note]);
    }
    return notes;
  }
}

/** Maps each recorded path to the path of a present hook: the same, or the only one with the same name. */
function pathsNow(entries: readonly LogEntry[], infos: readonly HookInfo[]): ReadonlyMap<string, string> {
  const recorded = [...new Set(entries.map(entry => entry.hook))];
  const known = new Set(infos.map(({ path }) => path));
  const taken = new Set(recorded.filter(path => known.has(path)));
  const paths = new Map<string, string>();
  for (const path of recorded) {
    const alike = infos.filter(info => !taken.has(info.path) && tailOf(info.path) === tailOf(path));
    const [only] = alike;
    if (known.has(path)) paths.set(path, path);
    else if (only !== undefined && alike.length === 1) paths.set(path, only.path);
  }
  return paths;
}

/**
 * Whether this is the built-in gate. It is not replayed: it decides by rules and the user's answers, not by code of a
 * hook.
 */
function isBuiltInGate(path: string): boolean {
  return basename(path.replaceAll('\\', '/')) === GATE_FILE;
}

/** The name of a hook for the user: its file name, with the folder if the file is an index. */
function tailOf(path: string): string {
  const parts = path.split(/[\\/]/);
  const name = parts.at(-1) ?? '';
  return name.startsWith('index.') ? parts.slice(-2).join('/') : name;
}

function placeOf(
  infos: readonly HookInfo[],
  { hook, registeredAs, nth, line }: LogEntry,
): { readonly file: string; readonly line?: number } {
  const info = infos.find(({ path }) => path === hook);
  const command = info?.commands.find(({ name }) => registeredAs === calledAs('command', name));
  const now = command ?? info?.handlers.filter(handler => handler.event === registeredAs)[nth];
  const at = now === undefined ? line : now.line;
  return { file: now?.file ?? hook, ...defined({ line: at }) };
}

function worst(handlers: readonly ReplayedHandler[]): ReplayedDispatch['status'] {
  const all = handlers.map(({ status }) => status);
  if (all.includes('changed')) return 'changed';
  return all.includes('unsure') ? 'unsure' : 'same';
}

/** Says in one line what an event was about, such as its command, path or text. */
function briefOf(entry: LogEntry): string {
  const payload = payloadBefore(entry);
  const { input, text, prompt, command, args, reason } = payload;
  const about = [input, args, text, prompt, command, reason].find(value => value !== undefined);
  if (about === undefined) return '';
  const all: readonly unknown[] = isRecord(about) ? Object.values(about) : [about];
  const [first] = all;
  return clipped(singleLine(typeof first === 'string' ? first : JSON.stringify(about)), 120);
}
