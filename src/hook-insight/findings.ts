import { defined } from '../base/defined';
import { type Disposable, DisposableStore } from '../base/disposable';
import { Emitter } from '../base/event';
import type { Problem } from '../base/result';
import { deprecatedIn } from '../hook-authoring/deprecated';
import { nearestEventName } from '../hook-contract/events/event-names';
import { EVENT_NAMES } from '../hook-contract/events/event-table';
import type { HandlerInfo, HookInfo } from '../hook-contract/hook-info';
import type { HookHost } from '../hook-run/host/host';
import type { LoadedHook } from '../hook-contract/loaded-hook';
import type { DispatchRecord, HookError, NoEffect } from '../hook-contract/record';
import { calledAs } from '../hook-contract/called-as';

export type FindingCode =
  'threw' | 'late' | 'wrong-shape' | 'ignored-answer' | 'unknown-event' | 'nobody-to-ask' | 'deprecated' | 'no-effect';

/** A mistake of a hook, seen in its source or while it ran, with the line that it is about. */
export interface Finding extends Problem {
  readonly code: FindingCode;
  readonly severity: 'error' | 'warning' | 'info' | 'hint';
  readonly hookPath: string;
  readonly file: string;
  readonly line: number;
  /** The wrong word on the line, as it is in the source. */
  readonly word?: string;
  /** How often the mistake was seen since the hook was loaded. */
  readonly count: number;
}

/** How many different findings of a hook are kept at most. */
const MOST_PER_HOOK = 50;

type Watched = Pick<HookHost, 'onError' | 'onNoEffect' | 'onDidChange' | 'records' | 'runner' | 'infos' | 'sourcesOf'>;

/** Collects the findings of each hook since it was loaded; loading it again removes its earlier findings. */
export class HookFindings implements Disposable {
  private readonly store = new DisposableStore();
  private readonly changeEmitter = this.store.add(new Emitter<void>());
  readonly onDidChange = this.changeEmitter.event;
  private readonly deprecatedUses = new WeakMap<
    LoadedHook,
    { readonly dialect: string; readonly findings: readonly Finding[] }
  >();
  private readonly found = new Map<LoadedHook, Map<string, Finding>>();

  constructor(private readonly host: Watched) {
    this.store.add(host.onError(error => this.addError(error)));
    this.store.add(host.onNoEffect(noEffect => this.addNoEffect(noEffect)));
    this.store.add(host.records.onDidDispatch(record => this.addRecord(record)));
    this.store.add(host.onDidChange(() => this.forgetOld()));
  }

  /** All findings: first unknown event names, then deprecated members, then what was seen while hooks ran. */
  list(): readonly Finding[] {
    const seen = [...this.found.values()].flatMap(findings => [...findings.values()]);
    const infos = this.host.infos();
    return [...infos.flatMap(unknownEvents), ...infos.flatMap(info => this.deprecated(info)), ...seen];
  }

  dispose(): void {
    this.store.dispose();
  }

  /** Searches the source once per load, as the source of a loaded hook does not change. */
  private deprecated({ path, dialect }: HookInfo): readonly Finding[] {
    const hook = this.host.runner.loaded.find(loaded => loaded.path === path);
    if (hook === undefined || dialect === undefined) return [];
    const known = this.deprecatedUses.get(hook);
    if (known?.dialect === dialect.id) return known.findings;
    const findings = this.host.sourcesOf(path).flatMap(source =>
      deprecatedIn(source.text, dialect.id).map(({ line, word, message, isOwn }): Finding => ({
        code: 'deprecated',
        severity: isOwn ? 'hint' : 'info',
        hookPath: path,
        message,
        file: source.path,
        line,
        word,
        count: 1,
      })),
    );
    this.deprecatedUses.set(hook, { dialect: dialect.id, findings });
    return findings;
  }

  private addError(error: HookError): void {
    // The state of the file already shows that a version does not load.
    if (error.event === 'load') return;
    const { hookPath, event } = error;
    const kind = error.kind === 'late' || error.kind === 'wrong-shape' ? error.kind : 'threw';
    const place: Partial<Pick<HookError, 'file' | 'line' | 'column'>> =
      error.line === undefined ? this.placeOf(hookPath, event) : error;
    this.add({
      code: kind,
      severity: kind === 'threw' ? 'error' : 'warning',
      hookPath,
      message: `${event}: ${error.message}`,
      file: place.file ?? hookPath,
      line: place.line ?? 1,
      ...defined({ column: place.column }),
    });
  }

  private addRecord(record: DispatchRecord): void {
    const problem = record.askedInVain === true ? NOBODY : ignoredAnswer(record);
    if (problem === undefined) return;
    const { hookPath, registeredAs } = record;
    const { file = hookPath, line = 1 } = this.placeOf(hookPath, registeredAs, record.nth);
    this.add({ ...problem, message: `${registeredAs}: ${problem.message}`, hookPath, file, line });
  }

  /** Once for each hook, member and agent, at the first line of the source with the member. */
  private addNoEffect({ hookPath, member, agent }: NoEffect): void {
    // The last name in it: of `on("context")`, the event. What is in words is on no line.
    const word = member.includes(' ') ? '' : (/\w+(?=\W*$)/.exec(member)?.[0] ?? '');
    const places = this.host.sourcesOf(hookPath).map(({ path, text }) => {
      const index = text.split('\n').findIndex(line => word !== '' && line.split(/[^\w$]+/).includes(word));
      return { file: path, line: index + 1 };
    });
    const place = places.find(({ line }) => line > 0) ?? { file: hookPath, line: 1 };
    const message = `"${member}" has no effect in sessions of ${agent}.`;
    this.add({ code: 'no-effect', severity: 'info', hookPath, message, ...place });
  }

  private add(finding: Omit<Finding, 'count'>): void {
    const hook = this.host.runner.loaded.find(loaded => loaded.path === finding.hookPath);
    if (hook === undefined) return;
    const findings = this.found.get(hook) ?? new Map<string, Finding>();
    this.found.set(hook, findings);
    const key = `${finding.code}\n${finding.file}\n${finding.line}\n${finding.message}`;
    const known = findings.get(key);
    if (known === undefined && findings.size >= MOST_PER_HOOK) return;
    findings.set(key, { ...finding, count: (known?.count ?? 0) + 1 });
    this.changeEmitter.fire();
  }

  private placeOf(hookPath: string, event: string, nth = 0): Pick<HandlerInfo, 'file' | 'line'> {
    const info = this.host.infos().find(hook => hook.path === hookPath);
    const command = info?.commands.find(({ name }) => event === calledAs('command', name));
    return command ?? info?.handlers.filter(handler => handler.event === event)[nth] ?? {};
  }

  private forgetOld(): void {
    const loaded = new Set(this.host.runner.loaded);
    for (const hook of this.found.keys()) if (!loaded.has(hook)) this.found.delete(hook);
    this.changeEmitter.fire();
  }
}

function unknownEvents({ path, handlers }: HookInfo): readonly Finding[] {
  return handlers
    .filter(({ event }) => !EVENT_NAMES.has(event))
    .map(({ event, line = 1, file = path }) => {
      const nearest = nearestEventName(event);
      const advice = nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
      return {
        code: 'unknown-event',
        severity: 'warning',
        hookPath: path,
        message: `There is no event "${event}": this handler never runs.${advice}`,
        file,
        line,
        word: event,
        count: 1,
      };
    });
}

type FindingText = Pick<Finding, 'code' | 'severity' | 'message'>;

const NOBODY: FindingText = {
  code: 'nobody-to-ask',
  severity: 'warning',
  message: 'The handler opened a dialog that nobody could answer, so it got the default answer. Check ctx.hasUI first.',
};

/**
 * A finding about a returned value that has no effect; undefined for values that arrow functions return by accident.
 */
function ignoredAnswer({ event, outcome }: DispatchRecord): FindingText | undefined {
  if (outcome.type !== 'ignored') return undefined;
  const { why } = outcome;
  if (/^returned a (string|boolean)$/.test(why)) {
    const wanted = event === 'tool_call' ? ' To block, return { block: true, reason }.' : '';
    return { code: 'wrong-shape', severity: 'warning', message: `The handler ${why}, which has no effect.${wanted}` };
  }
  if (!/^(nothing|failed results)/.test(why)) return undefined;
  return { code: 'ignored-answer', severity: 'info', message: `Hookline ignores what the handler returned: ${why}.` };
}
