import type { PackageOrigin } from '../agent/resources/package-origin';
import type { Disposable } from '../base/disposable';
import type { AnyTool } from '../agent/tools/tool';
import type { Problem } from '../base/result';
import { sourceOfHook } from './source-info';
import type { HookGroup, HandlerInfo, HookCommandInfo, HookOrigin, HookToolInfo } from './hook-info';
import type { Dialect, HookFeatures } from './dialect';
import type { StackMap, HookPlace } from './source-place';
import type { DialectTag } from './dialect-id';

/** Code of a hook, called with whatever its dialect promises; may return, throw or never settle. */
export type HookFunction = (...args: readonly unknown[]) => unknown;

/** The default export of a hook file; it is called with the API object of the file's dialect. */
export type HookFactory = (api: unknown) => unknown;

/** A place in the hook's source, computed when it is read. */
export class Registration {
  private place: HookPlace | undefined | null = null;

  constructor(
    private readonly trace: Error,
    private readonly placeIn: (stack: string) => HookPlace | undefined,
  ) {}

  /** 1-based line of the registering call in the TypeScript source. */
  get line(): number | undefined {
    return this.found?.line;
  }

  /** Absolute path of the file that registers: the hook's entry, or a module that it imports. */
  get file(): string | undefined {
    return this.found?.file;
  }

  private get found(): HookPlace | undefined {
    if (this.place === null) this.place = this.placeIn(this.trace.stack ?? '');
    return this.place;
  }
}

export interface RegisteredHandler {
  /** Event name as registered. */
  readonly name: string;
  /** Counts the handlers of this name from 0. */
  readonly nth: number;
  readonly run: HookFunction;
  /** It is one of ours, and gets the `HandlerRun` in the place of `ctx`. */
  readonly takesRun?: true;
  readonly at: Registration;
}

export interface RegisteredCommand {
  readonly name: string;
  readonly description: string;
  readonly run: HookFunction;
  readonly completions: HookFunction | undefined;
  /** `pi.command` passes an array of arguments, `registerCommand` the text (docs/dialects.md, C13). */
  readonly form: 'command' | 'registerCommand';
  readonly at: Registration;
}

export interface RegisteredShortcut {
  readonly key: string;
  readonly description: string;
  readonly run: HookFunction;
}

export interface RegisteredFlag {
  readonly name: string;
  readonly description: string;
  readonly type: 'boolean' | 'string';
  readonly default: boolean | string | undefined;
}

/** A tool as a hook defines it, checked when registered. */
export interface RegisteredTool {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  /** JSON Schema. */
  readonly parameters: object;
  /** The check of the library that made the schema, if it has one: the arguments to execute, or a rejection. */
  readonly parse?: (args: unknown) => Promise<unknown>;
  readonly promptSnippet?: string;
  readonly promptGuidelines?: readonly string[];
  /** Called with `definition` as `this`. */
  readonly prepareArguments?: HookFunction;
  /** Members that the agent takes as they are. */
  readonly traits: Pick<
    AnyTool,
    'executionMode' | 'exposure' | 'defaultActive' | 'outputSchema' | 'constrainedSampling'
  >;
  readonly prepareLoadout?: HookFunction;
  readonly definition: Readonly<Record<string, unknown>>;
  readonly execute: HookFunction;
  readonly at: Registration;
}

/** Texts that a hook's transformer changes for the eye, in pi's words. */
export type MarkdownKind = 'user' | 'assistant' | 'assistant-thinking' | 'custom' | 'summary' | 'changelog';

export interface RegisteredTransformer {
  readonly run: HookFunction;
  readonly kinds: ReadonlySet<string>;
}

/** Code of a hook that was stopped in an endless loop, and where: an absolute path, and a 1-based line of the source. */
export interface StoppedCode extends Error {
  readonly file: string;
  readonly line: number;
}

/** Holds what a load has opened; `OwnershipScope` answers it. */
export interface HookScope {
  readonly isReleased: boolean;
  /** No handler of the load runs. */
  readonly isIdle: boolean;
  /** Set once code of the load was stopped in an endless loop: from then on it answers nothing, and its gates block. */
  readonly stopped?: StoppedCode | undefined;
  /** Marks that a handler runs, until disposed; `event` is the event that it handles. */
  begin(event: string): Disposable;
  /** Takes responsibility for something open; the result forgets it again. */
  own(thing: { readonly what: string; readonly kind: 'listener' | 'work'; close(): void | Promise<void> }): Disposable;
  release(): Promise<void>;
}

/** The constant facts of one load of one file. */
export interface HookIdentity {
  /** Absolute path of the entry. */
  readonly path: string;
  readonly origin: HookOrigin;
  readonly package?: PackageOrigin;
  readonly group: HookGroup;
  readonly scope: HookScope;
  readonly map: StackMap;
}

/**
 * One load of one hook file: all it registered, and how it is to be treated. Registration works at any time, as in
 * the older dialects (docs/dialects.md), and notifies the runner, whose plans are stale then.
 */
export class LoadedHook {
  readonly handlers: RegisteredHandler[] = [];
  readonly commands = new Map<string, RegisteredCommand>();
  readonly tools = new Map<string, RegisteredTool>();
  /** Renderers of messages, by message type. */
  readonly renderers = new Map<string, HookFunction>();
  /** Renderers of the hook's own entries, by entry type. */
  readonly entryRenderers = new Map<string, HookFunction>();
  /** Say how calls of any tool are drawn. */
  readonly toolResolvers: HookFunction[] = [];
  transformer: RegisteredTransformer | undefined;
  readonly shortcuts = new Map<string, RegisteredShortcut>();
  readonly flags = new Map<string, RegisteredFlag>();
  /** What the hook registered wrongly; it runs anyway. */
  readonly problems: Problem[] = [];
  /** False until the factory is through: actions of `pi` are refused before (docs/dialects.md, C28). */
  started = false;
  /** A handler of this load had everything reloaded: even what is left of that handler counts as over. */
  isLeft = false;
  private readonly switchedOff = new AbortController();
  /** Counts registrations, for callers that cache results about them. */
  revision = 0;
  private readonly changeListeners: (() => void)[] = [];

  constructor(
    readonly identity: HookIdentity,
    public tag: DialectTag,
    public dialect: Dialect,
    readonly features: HookFeatures,
  ) {}

  get path(): string {
    return this.identity.path;
  }

  /** Fires when the hook is turned off while it runs: what it was asked and has not answered, it refuses. */
  get turnedOff(): AbortSignal {
    return this.switchedOff.signal;
  }

  turnOff(): void {
    this.switchedOff.abort();
  }

  /** Another load took the place of this one, and no handler that began before it is at work any more. */
  get isGone(): boolean {
    const { scope } = this.identity;
    return scope.isReleased && (this.isLeft || scope.isIdle);
  }

  /** Called after each registration; one runner listens. */
  onRegistered(listener: () => void): void {
    this.changeListeners.push(listener);
  }

  changed(): void {
    this.revision += 1;
    for (const listener of this.changeListeners) listener();
  }

  handlerInfos(): readonly HandlerInfo[] {
    return this.handlers.map(({ name, at }) => ({ event: name, ...this.placeOf(at) }));
  }

  commandInfos(): readonly HookCommandInfo[] {
    return [...this.commands.values()].map(command => this.commandInfo(command));
  }

  /** The place is found when it is read, because that decodes a source map. */
  commandInfo({ name, description, at }: RegisteredCommand): HookCommandInfo {
    const { path } = this;
    return {
      name,
      description,
      hookPath: path,
      sourceInfo: sourceOfHook(this.identity),
      get line() {
        return at.line;
      },
      get file() {
        return at.file === path ? undefined : at.file;
      },
    };
  }

  toolInfos(): readonly HookToolInfo[] {
    return [...this.tools.values()].map(({ name, description, at }) => ({ name, description, ...this.placeOf(at) }));
  }

  private placeOf({ line, file }: Registration): { readonly line?: number; readonly file?: string } {
    if (line === undefined) return {};
    return file === undefined || file === this.path ? { line } : { line, file };
  }
}
