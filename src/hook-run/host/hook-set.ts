import { defined } from '../../base/defined';
import type { Problem } from '../../base/result';
import { activateHook } from './activate';
import type { Discovery, HookFile } from '../../hook-load/files/discover';
import type { HookError } from '../../hook-contract/record';
import type { HookRunner } from '../dispatch/runner';
import type { HookSessions } from './hook-sessions';
import { findGate, mayGuardTools, mentionsToolCall } from '../../hook-load/files/find-gate';
import { isUnchanged, type Live, type Slot } from '../../hook-load/files/hook-slot';
import type { StopRecord } from '../../hook-load/files/stop-record';
import type { StopMemory } from '../black-box/black-box';
import type { HookScope } from '../../hook-contract/loaded-hook';
import type { SourceReads } from '../../hook-load/graph/source-reads';
import type { WaitingFields, Plan } from '../../gate/held-changes/hold-changes';
import type { HookModule, LoadResult } from '../../hook-load/graph/hook-module';
import type { ApprovedContent } from '../../hook-load/graph/module-imports';
import { LoopStopped } from '../../hook-load/ownership/loop-limit';
import type { HookServices } from '../api/services';
import type { LoadDetails } from '../../hook-load/hook-loader';
import type { LoadHistory } from '../../gate/held-changes/hook-approvals';

/** What the host needs of the loader; `HookLoader` answers it for `OwnershipScope`s. */
export interface HookModuleLoader<S extends HookScope = HookScope> {
  /** Compiles and evaluates a file and its imports, all newly loaded. On failure the scope has been released. */
  load(
    file: Pick<HookFile, 'path' | 'group' | 'unsupported'>,
    scope: S,
    about?: LoadDetails,
  ): Promise<LoadResult<HookModule>>;
  /** The same for the version that was approved. */
  loadStored(
    file: Pick<HookFile, 'path' | 'group'>,
    approved: ApprovedContent,
    scope: S,
  ): Promise<LoadResult<HookModule>>;
  /** Reads a file and its imports; nothing of it runs. What cannot be read is left out. */
  read(file: Pick<HookFile, 'path' | 'group'>): Promise<Pick<HookModule, 'sources' | 'packageFiles' | 'imports'>>;
  /** Evaluates the code of an earlier load again. */
  restart(module: HookModule, scope: S): Promise<LoadResult<HookModule>>;
}

/** Settings of the runtime, read at each use. */
export interface HookRuntimeSettings {
  /** ms a timed handler may take */
  readonly hookTimeout: number;
  /** Dialect by absolute path, set by the user. */
  readonly dialects: Readonly<Record<string, string>>;
  /** Whether tools ask while a hook that guards them does not load. */
  readonly confirmWithoutGates: boolean;
  /** `all`: each change that was not saved in the editor waits. Undefined: the value of the last window, else `agent`. */
  readonly approveChanges: 'agent' | 'all' | undefined;
}

/** What the host is given to load hooks with. */
export interface LoadingOptions<S extends HookScope> {
  readonly loader: HookModuleLoader<S>;
  createScope(owner: string, onDidThrow: (error: unknown, where: string) => void): S;
  settings(): HookRuntimeSettings;
  /** Records of hooks that froze or ended a process; undefined: there are none, and no watchdog runs. */
  readonly blackBox: StopMemory | undefined;
}

/** The parts that build a complete set. */
export interface SetBuilder<S extends HookScope> {
  readonly options: LoadingOptions<S>;
  readonly services: HookServices;
  readonly runner: Pick<HookRunner, 'beginSwap'>;
  readonly sessions: Pick<HookSessions, 'retire'>;
  report(error: HookError): void;
}

/** A file of the next set, before the current set changes. */
type Candidate<S> =
  | { readonly type: 'kept'; readonly slot: Slot }
  | {
      readonly type: 'loaded';
      readonly file: HookFile;
      readonly before: Slot | undefined;
      readonly module: HookModule;
      readonly scope: S;
      readonly held?: WaitingFields;
    };

/** What a reload knows before it loads. */
export interface ReloadFacts extends LoadHistory {
  /** Which files are to be reloaded although they have not changed; by path. */
  readonly fresh: Pick<ReadonlySet<string>, 'has'>;
  /** What overrides the files on disk; by path. */
  readonly plans: ReadonlyMap<string, Plan>;
  readonly reads: SourceReads;
}

export interface NextSet {
  readonly slots: readonly Slot[];
  /** Instances that were started: they get their dialect's start event. */
  readonly started: readonly Live[];
}

/** How long a factory may take, ms. */
const FACTORY_TIMEOUT_MS = 30_000;

/**
 * Builds the next set from the current one in this order: first everything new is compiled and evaluated, so that a
 * file that fails changes nothing; only then, hook by hook, the old instance ends and the new factory runs, and the
 * last good version is started again where that fails.
 */
export async function buildNextSet<S extends HookScope>(
  builder: SetBuilder<S>,
  discovery: Discovery & { readonly heldBack?: readonly HookFile[] },
  current: readonly Slot[],
  facts: ReloadFacts,
): Promise<NextSet> {
  const stops = builder.options.blackBox?.read();
  const before = new Map(current.map(slot => [slot.file.path, slot]));
  const candidates = await Promise.all(
    discovery.files.map(file => prepare(builder, file, before.get(file.path), stops?.get(file.path), facts)),
  );
  // Until the new set is in place, no instance guards.
  builder.runner.beginSwap();
  await retireLeaving(builder, discovery, current);
  const slots: Slot[] = [];
  const started: Live[] = [];
  for (const candidate of candidates) {
    const slot =
      candidate.type === 'kept' ? candidate.slot : { ...(await swapIn(builder, candidate)), ...candidate.held };
    slots.push(slot);
    if (candidate.type === 'loaded' && slot.live !== undefined) started.push(slot.live);
  }
  for (const file of discovery.heldBack ?? []) {
    slots.push({ file, heldBack: true, gatesTools: file.claimsGate === true || (await mayGuardTools(file.path)) });
  }
  return { slots, started };
}

/** Ends the hooks that are not in the next set. */
async function retireLeaving<S extends HookScope>(
  { sessions }: SetBuilder<S>,
  { files, heldBack = [] }: Discovery & { readonly heldBack?: readonly HookFile[] },
  current: readonly Slot[],
): Promise<void> {
  const wanted = new Set(files.filter(file => file.disabled !== true).map(file => file.path));
  const listed = new Set([...files, ...heldBack].map(file => file.path));
  const leaving = current.filter(slot => slot.live !== undefined && !wanted.has(slot.file.path));
  // Files that are still listed were turned off or lost their approval.
  for (const { file, live } of leaving) if (listed.has(file.path)) live?.hook.turnOff();
  for (const { live } of leaving) if (live !== undefined) await sessions.retire(live.hook);
}

type ApprovedPlan = Exclude<Plan, { readonly type: 'kept' }>;

async function prepare<S extends HookScope>(
  builder: SetBuilder<S>,
  file: HookFile,
  before: Slot | undefined,
  recordedStop: StopRecord | undefined,
  facts: ReloadFacts,
): Promise<Candidate<S>> {
  const { plans } = facts;
  const plan = plans.get(file.path);
  if (plan?.type === 'kept') return plan;
  const stop = before?.live === undefined ? recordedStop : undefined;
  if (stop !== undefined && file.disabled !== true && (await isStoppedCode(stop, plan))) {
    return { type: 'kept', slot: await stoppedSlot(file, stop, plan) };
  }
  const candidate =
    plan !== undefined
      ? await prepareApproved(builder, file, plan)
      : await prepareFromDisk(builder, file, before, facts);
  if (stop !== undefined) builder.options.blackBox?.forget(file.path);
  return candidate;
}

/** Whether the code that was stopped is the code that would run now. */
async function isStoppedCode({ sources }: StopRecord, plan: ApprovedPlan | undefined): Promise<boolean> {
  if (plan?.type !== 'stored') return await isUnchanged({ sources });
  return sources.every(({ path, hash }) =>
    plan.approved.sources.some(kept => kept.path === path && kept.hash === hash),
  );
}

async function stoppedSlot(file: HookFile, stop: StopRecord, plan: ApprovedPlan | undefined): Promise<Slot> {
  return { file, stop, gatesTools: stop.gatesTools || (await guardsUnlessKnown(file, [])), ...plan?.held };
}

async function prepareFromDisk<S extends HookScope>(
  builder: SetBuilder<S>,
  file: HookFile,
  before: Slot | undefined,
  { fresh, reads, earlierOf, mayBeAgents }: ReloadFacts,
): Promise<Candidate<S>> {
  if (file.disabled === true) {
    return { type: 'kept', slot: { file, gatesTools: await mayGuardTools(file.path) } };
  }
  const live = before?.live;
  const isSamePackage = before?.file.packaged?.content === file.packaged?.content;
  if (!fresh.has(file.path) && isSamePackage && before !== undefined && live !== undefined) {
    if (await isUnchanged(live.module)) return { type: 'kept', slot: { file, live } };
    if (before.rejected !== undefined && (await isUnchanged(before.rejected))) {
      return { type: 'kept', slot: { ...before, file } };
    }
  }
  builder.options.blackBox?.announce(file.path, [{ path: file.path }], false);
  const scope = scopeFor(builder, file);
  const about = { reads, earlier: earlierOf(file.path), mayBeAgents };
  const loaded = await builder.options.loader.load(file, scope, about);
  if (loaded.ok) return { type: 'loaded', file, before, module: loaded.value, scope };
  return { type: 'kept', slot: await failedSlot(file, before, loaded) };
}

/** Loads the approved version: the texts that were stored, or the copy of the package. */
async function prepareApproved<S extends HookScope>(
  builder: SetBuilder<S>,
  file: HookFile,
  plan: ApprovedPlan,
): Promise<Candidate<S>> {
  const { held } = plan;
  const approved = plan.type === 'stored' ? plan.approved : undefined;
  const sources = approved?.sources ?? [];
  builder.options.blackBox?.announce(file.path, sources, false);
  const scope = scopeFor(builder, file);
  const { loader } = builder.options;
  const loaded =
    plan.type === 'stored'
      ? await loader.loadStored(file, plan.approved, scope)
      : await loader.load({ path: plan.path, group: file.group }, scope);
  if (loaded.ok) return { type: 'loaded', file, before: undefined, module: loaded.value, scope, ...defined({ held }) };
  const { problems } = loaded;
  const gatesTools =
    plan.type === 'copied' ||
    sources.some(({ text }) => mentionsToolCall(text)) ||
    (await guardsUnlessKnown(file, problems));
  return { type: 'kept', slot: { file, problems, gatesTools, ...defined({ approved }), ...held } };
}

type LoadFailure = Extract<LoadResult<unknown>, { readonly ok: false }>;

async function failedSlot(
  file: HookFile,
  before: Slot | undefined,
  { problems, searched = [] }: LoadFailure,
): Promise<Slot> {
  if (before?.live !== undefined) return { file, live: before.live, problems };
  const gatesTools =
    before?.gatesTools === true ||
    searched.some(({ text }) => mentionsToolCall(text)) ||
    (await guardsUnlessKnown(file, problems));
  return { file, problems, gatesTools };
}

/** A team's hook counts as a gate even if its text does not show that it is one. */
async function guardsUnlessKnown(file: HookFile, problems: readonly Problem[]): Promise<boolean> {
  const places = problems.flatMap(problem => problem.file ?? []);
  const says = await findGate(file.path, places);
  const isTheTeams = file.origin === 'workspace' || file.package?.scope === 'project';
  return says === 'gate' || (says === 'unknown' && isTheTeams);
}

function scopeFor<S extends HookScope>(builder: SetBuilder<S>, file: HookFile): S {
  return builder.options.createScope(file.path, (error, where) =>
    builder.report({
      hookPath: file.path,
      event: where,
      message: error instanceof Error ? error.message : String(error),
      ...(error instanceof LoopStopped ? ({ kind: 'stopped', file: error.file, line: error.line } as const) : {}),
    }),
  );
}

async function swapIn<S extends HookScope>(
  builder: SetBuilder<S>,
  candidate: Extract<Candidate<S>, { type: 'loaded' }>,
): Promise<Slot> {
  const { file, before, module, scope } = candidate;
  const old = before?.live;
  if (old !== undefined) await builder.sessions.retire(old.hook);
  const fresh = await start(builder, file, module, scope);
  if (fresh.ok) return { file, live: fresh.live };
  if (old === undefined) return await failedSlot(file, before, fresh);
  const gatesTools = old.hook.features.events.has('tool_call');
  const again = await restart(builder, file, old.module);
  if (again === undefined) return { file, problems: fresh.problems, gatesTools };
  builder.report({
    hookPath: file.path,
    event: 'load',
    message: 'The new version failed to start; the last good one was started again, and its state was reset.',
  });
  return { file, live: again, problems: fresh.problems, rejected: module };
}

async function restart<S extends HookScope>(
  builder: SetBuilder<S>,
  file: HookFile,
  module: HookModule,
): Promise<Live | undefined> {
  const scope = scopeFor(builder, file);
  const loaded = await builder.options.loader.restart(module, scope);
  if (!loaded.ok) return undefined;
  const again = await start(builder, file, loaded.value, scope);
  return again.ok ? again.live : undefined;
}

async function start<S extends HookScope>(
  builder: SetBuilder<S>,
  file: HookFile,
  module: HookModule,
  scope: S,
): Promise<{ readonly ok: true; readonly live: Live } | LoadFailure> {
  const { dialects } = builder.options.settings();
  const made = await activateHook({
    file,
    module,
    scope,
    services: builder.services,
    dialectSetting: dialects[file.path] ?? dialects[file.entry] ?? module.dialect,
    timeoutMs: FACTORY_TIMEOUT_MS,
  });
  if (made.ok) {
    builder.options.blackBox?.announce(file.path, module.sources, made.value.features.events.has('tool_call'));
    return { ok: true, live: { hook: made.value, module } };
  }
  await scope.release();
  return made;
}
