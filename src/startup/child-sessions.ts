import { realpathSync } from 'node:fs';
import type { ModelRegistry } from '../agent/models/registry';
import { defined } from '../base/defined';
import type { Disposable } from '../base/disposable';
import { messageOf } from '../base/errors';
import type { Log } from '../base/log';
import type { ApprovalSettings } from '../gate/approval-settings';
import type { ChildSessions, ChildSessionRequest, InlineHook } from '../hook-contract/child-session';
import type { HookConversation } from '../hook-contract/conversation-port';
import { runningCall, type RunningCall } from '../hook-run/api/tools/running-call';
import type { ChildStep } from '../hook-run/host/child-call';
import { discoverHooks, type Discovery } from '../hook-load/files/discover';
import type { HookHost } from '../hook-run/host/host';
import type { HookHostOptions } from '../hook-run/host/host-options';
import { isUnchanged, type LiveFile } from '../hook-load/files/hook-slot';
import { inlineFile } from '../hook-run/host/inline-hooks';
import { isRefused } from '../hook-load/ownership/live-scope';
import type { HookScope } from '../hook-contract/loaded-hook';
import type { Packages } from '../packages/packages';
import type { SettingsPlace, SettingsSource } from './live-settings';
import type { ParentServer } from './parent/parent-server';
import { LiveResources } from './resources';
import { SystemPrompt } from './system-prompt';
import { ProjectTrust } from './trust/project-trust';

/** What the conversation of a session that a hook made is built from. */
export interface ChildParts {
  /** Id of the conversation. */
  readonly id: string;
  readonly host: HookHost;
  readonly place: SettingsPlace;
  readonly models: ModelRegistry;
  readonly settings: SettingsSource;
  readonly prompt: SystemPrompt;
  readonly resources: LiveResources;
  /** The conversation that the session belongs to. */
  readonly around: HookConversation;
  /** Whether the built-in gate decides about calls. */
  readonly hasApprovals: boolean;
  /** Shows a step of a tool call in the card of the call that made the session. */
  readonly reportStep: (step: ChildStep) => void;
  /** Is called when the hook disposes the session. */
  readonly dispose: () => void;
  readonly log: Log;
}

/** An open session that a hook made. */
export interface OpenedChild {
  /** The object that the hook gets. */
  readonly session: object;
  /** Ends the run, emits the end to its hooks and closes its file. A later prompt fails with `why`. Never rejects. */
  end(why: string): Promise<void>;
}

/** Opens the conversation of a session whose hooks are loaded. */
export type OpenChild = (parts: ChildParts, request: ChildSessionRequest) => Promise<OpenedChild>;

/** How the hooks of a session depend on the hooks of the host that made it. */
export interface ChildSetup extends Required<Pick<HookHostOptions, 'duringCall'>> {
  /** The hook files to load; no others are searched for. */
  readonly files: () => Discovery;
  readonly inline: readonly InlineHook[];
  /** Distinguishes the providers of these hooks from those that the same files registered in the host around them. */
  readonly name: string;
}

/** The parts of a {@link HookSetup} that differ for the hooks of a session that a hook made. */
export interface ChildHostSetup {
  readonly place: SettingsPlace;
  readonly approvals?: ApprovalSettings;
  readonly child: ChildSetup;
}

/** What {@link OwnChildSessions} work with. */
export interface ChildSessionsParts {
  readonly place: SettingsPlace;
  readonly settings: SettingsSource;
  readonly models: ModelRegistry;
  readonly packages: Packages;
  readonly approvals?: ApprovalSettings | undefined;
  /** The host whose hooks make the sessions. */
  readonly host: HookHost;
  readonly parentServer: ParentServer;
  /** Creates the hook host of one session; no hook is loaded yet. */
  readonly createHost: (setup: ChildHostSetup) => { readonly host: HookHost; readonly dependencies: Disposable };
  readonly open: OpenChild;
  readonly log: Log;
}

/** What a session belongs to: when the conversation ends or the hook is disposed, the session ends. */
interface Ties {
  readonly conversation: HookConversation;
  readonly scope: HookScope | undefined;
}

const DISPOSED = 'This session was disposed.';
const CHANGED = 'The hooks of the conversation changed, so this session has ended.';
const CLOSED = 'The conversation that this session belongs to has ended.';
const RELEASED = 'The hook that made this session was reloaded or turned off.';

/** The sessions that hooks of one host make (docs/hooks.md, "Agents that hooks start"). */
export class OwnChildSessions implements ChildSessions, Disposable {
  private readonly opened = new Set<(why: string) => Promise<void>>();
  private count = 0;

  constructor(private readonly parts: ChildSessionsParts) {}

  async open(request: ChildSessionRequest, scope: HookScope | undefined): Promise<object> {
    const { host, parentServer, open, createHost } = this.parts;
    if (isRefused('createAgentSession')) throw refused('a test with an event starts no agent.');
    const conversation = host.conversationMeant();
    if (conversation === undefined) throw refused('it needs an open conversation, and none is open.');
    const missing = host.missingGate();
    if (missing !== undefined) throw refused(`${missing}.`);
    const call = runningCall();
    const guards = host.liveFiles();
    const ended = new AbortController();
    let close = (): Promise<void> => Promise.resolve();
    let finish = (_why: string): Promise<void> => Promise.resolve();
    // From here on, because a gate may come while the session is being opened.
    const end = this.tie({ conversation, scope }, guards, why => {
      ended.abort(why);
      return finish(why);
    });
    try {
      await refuseChanged(guards);
      const place = await this.placeOf(request);
      const above = this.approvalsFrom(call, conversation);
      const id = `child-${++this.count}`;
      const found = filesFor(request, place, guards);
      const [problem] = found.problems;
      if (problem !== undefined) throw refused(problem.message);
      const { host: own, dependencies } = createHost({
        place,
        ...defined({ approvals: above }),
        child: {
          name: `in ${id}`,
          inline: request.hooks.inline,
          files: () => found,
          duringCall: (tool, toolCall) => host.duringCall(tool, toolCall),
        },
      });
      close = async () => {
        await own.dispose();
        dependencies.dispose();
      };
      await own.reload();
      refuseBroken(own);
      const { settings, models, packages, log } = this.parts;
      const { skills, prompts, changes } = request.resources;
      const [prompt, resources] = await Promise.all([
        SystemPrompt.open(place, request.prompt),
        LiveResources.open({ place, settings, packages, hooks: own.runner, named: { skills, prompts }, changes, log }),
      ]);
      const hasApprovals = above !== undefined;
      const reportStep = parentServer.stepsFrom(call);
      const dispose = (): void => void end(DISPOSED);
      const shown = { id, host: own, place, models, settings, prompt, resources, around: conversation, log };
      const child = await open({ ...shown, hasApprovals, reportStep, dispose }, request);
      const endChild = async (why: string): Promise<void> => {
        await child.end(why);
        resources.dispose();
      };
      if (ended.signal.aborted) {
        const why = String(ended.signal.reason);
        await endChild(why);
        throw refused(why);
      }
      finish = async why => {
        await endChild(why);
        await close();
      };
      return child.session;
    } catch (error) {
      await end(DISPOSED);
      await close();
      throw error;
    }
  }

  dispose(): void {
    for (const end of [...this.opened]) void end(CLOSED);
  }

  /**
   * Ends the session when what it belongs to ends or its gates change. Returns a function that ends it, at most once.
   */
  private tie(
    ties: Ties,
    guards: readonly LiveFile[],
    close: (why: string) => Promise<void>,
  ): (why: string) => Promise<void> {
    const { host, log } = this.parts;
    const before = guardsIn(guards);
    let ending: Promise<void> | undefined;
    const end = (why: string): Promise<void> => {
      ending ??= (async () => {
        for (const tie of heard) tie.dispose();
        await close(why).catch((error: unknown) => {
          log.error(`A session of a hook ended with an error: ${messageOf(error)}`, error);
        });
        this.opened.delete(end);
        owned?.dispose();
      })();
      return ending;
    };
    this.opened.add(end);
    const heard = [
      host.onDidChange(() => {
        if (guardsIn(host.liveFiles()) !== before || host.missingGate() !== undefined) void end(CHANGED);
      }),
      host.onDidClose(closed => {
        if (closed === ties.conversation) void end(CLOSED);
      }),
    ];
    // A load that is over already ends it at once.
    const owned = ties.scope?.own({ what: 'session of an agent', kind: 'work', close: () => end(RELEASED) });
    return end;
  }

  /** In another folder, its settings and resources count if it is trusted; its hooks are never loaded. */
  private async placeOf({ cwd }: ChildSessionRequest): Promise<SettingsPlace> {
    const { place, settings, log } = this.parts;
    if (cwd === undefined || isSame(cwd, place.cwd)) return place;
    const { agentDir } = place;
    const trust = new ProjectTrust({ agentDir, cwd, env: { ...process.env, ...place.variables?.() }, log });
    await trust.decide(undefined, settings.current.defaultProjectTrust);
    return {
      ...{ agentDir, cwd },
      includeProject: () => place.includeProject() && trust.isTrusted,
      variables: () => trust.variables,
    };
  }

  /** The approval settings of the session: its calls are decided about in the conversation that it belongs to. */
  private approvalsFrom(call: RunningCall | undefined, conversation: HookConversation): ApprovalSettings | undefined {
    const { approvals, host } = this.parts;
    const from = call ?? { conversation: conversation.id, toolCallId: '' };
    const never = new AbortController().signal;
    return (
      approvals && {
        ...approvals,
        above: (asked, state, signal = never) => host.decideForChild(from, asked, state, signal),
      }
    );
  }
}

function filesFor({ hooks }: ChildSessionRequest, place: SettingsPlace, live: readonly LiveFile[]): Discovery {
  const own = live.filter(({ isGate }) => isGate || hooks.inherits).map(({ file }) => file);
  const { agentDir, cwd } = place;
  const settingsPaths = hooks.paths.map(
    path => ({ path, from: 'additionalExtensionPaths', group: 'extensions' }) as const,
  );
  const named = discoverHooks({
    agentDir,
    cwd,
    settingsPaths,
    includeProject: place.includeProject(),
    onlyNamed: true,
  });
  const known = new Set(own.map(({ path }) => path));
  const others = named.files.filter(({ path }) => !known.has(path));
  return { files: [...hooks.inline.map(inlineFile), ...others, ...own], problems: named.problems };
}

/** @throws Error when the file of a gate differs from the version that runs: the change may wait for approval */
async function refuseChanged(files: readonly LiveFile[]): Promise<void> {
  for (const { file, isGate, sources } of files) {
    if (isGate && sources.length > 0 && !(await isUnchanged({ sources }))) {
      throw refused(`${file.path} was changed after it was loaded. Approve the change, then try again.`);
    }
  }
}

/** @throws Error when one of the hooks does not run */
function refuseBroken(host: HookHost): void {
  for (const { path, state } of host.infos()) {
    if (state.type === 'live') continue;
    const why = 'problems' in state ? state.problems[0]?.message : undefined;
    throw refused(`${path} was not loaded: ${why ?? state.type}`);
  }
}

function guardsIn(files: readonly LiveFile[]): string {
  const gates = files.filter(({ isGate }) => isGate);
  return JSON.stringify(gates.map(({ file, sources }) => [file.path, ...sources.map(({ hash }) => hash)]));
}

function isSame(one: string, other: string): boolean {
  try {
    return realpathSync(one) === realpathSync(other);
  } catch {
    return one === other;
  }
}

function refused(why: string): Error {
  return new Error(`createAgentSession: ${why}`);
}
