import { protectedParts, TrustFile, type SavedTrust } from '../../agent/settings/trust-file';
import { messageOf } from '../../base/errors';
import type { Log } from '../../base/log';
import { realPathIfThere } from '../../base/files/on-disk';
import type { HookRunner } from '../../hook-run/dispatch/runner';
import { isWithin } from '../../base/files/is-within';

/** Why a folder is trusted or not. */
export type TrustReason =
  /** The folder has nothing that needs a decision. */
  | { readonly by: 'nothing' }
  /** Nobody has decided. */
  | { readonly by: 'nobody' }
  /** VS Code's workspace trust. */
  | { readonly by: 'editor' }
  /** The process that started this one decided. */
  | { readonly by: 'parent' }
  /** `--approve` or `--no-approve`. */
  | { readonly by: 'flag' }
  /** A `project_trust` handler; `path` is its file. */
  | { readonly by: 'hook'; readonly path: string }
  /** `trust.json`, where `folder` has an entry. */
  | { readonly by: 'file'; readonly path: string; readonly folder: string }
  /** `trust.json` cannot be read. */
  | { readonly by: 'unreadable'; readonly path: string; readonly problem: string }
  /** `defaultProjectTrust` in settings.json of the agent folder. */
  | { readonly by: 'setting' };

/** Whether the hooks, settings and resources of a folder count, and why. */
export interface TrustDecision {
  readonly trusted: boolean;
  readonly reason: TrustReason;
}

/** What {@link ProjectTrust} decides from. */
export interface TrustParts {
  readonly agentDir: string;
  /** Absolute path of the folder. */
  readonly cwd: string;
  /** Whether the editor trusts the folder; absent on the command line, where somebody has to decide. */
  readonly editorTrusts?: () => boolean;
  /** Paths from the folder that settings of the user name; what is there needs a decision, too. */
  readonly named?: () => readonly string[];
  /** What `--approve` and `--no-approve` say. */
  readonly flag?: boolean;
  /** The environment that this process got; a decision of the process above is in it. */
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly log: Log;
}

/** Environment variable for started processes: `yes:` or `no:` and the folder that was decided about. */
export const CHILD_VARIABLE = 'HOOKLINE_PROJECT_TRUST';

type TrustHooks = Pick<HookRunner, 'emit' | 'hasHandlers'>;
type DefaultTrust = 'ask' | 'always' | 'never';

const UNDECIDED: TrustDecision = { trusted: false, reason: { by: 'nobody' } };

/**
 * Decides whether a folder's own hooks, settings and resources count (docs/settings.md, Trust). They do not count
 * before {@link decide} has ended, so that hooks from outside the folder can be asked before any of its files is read.
 */
export class ProjectTrust {
  private readonly file: TrustFile;
  private decision = UNDECIDED;

  constructor(private readonly parts: TrustParts) {
    this.file = new TrustFile(parts.agentDir);
  }

  get isTrusted(): boolean {
    return this.current.trusted;
  }

  /** The decision. One about a folder that had nothing to decide about ends when the folder gets something. */
  get current(): TrustDecision {
    if (this.parts.editorTrusts?.() === false) return { trusted: false, reason: { by: 'editor' } };
    return this.decision.reason.by === 'nothing' && this.hasProtectedParts ? UNDECIDED : this.decision;
  }

  /** The variables with which processes that are started for the folder inherit the decision; none if nobody has decided. */
  get variables(): Readonly<Record<string, string>> {
    const { trusted, reason } = this.current;
    if (reason.by === 'nothing' || reason.by === 'nobody') return {}; // They look for themselves.
    return { [CHILD_VARIABLE]: `${trusted ? 'yes' : 'no'}:${this.parts.cwd}` };
  }

  /** What of the folder trust decides about, as paths from there. */
  get protectedParts(): readonly string[] {
    return protectedParts(this.parts.cwd, this.parts.named?.());
  }

  /** Whether {@link decide} may ask hooks: only if the folder has files that need trust. */
  get mayAskHooks(): boolean {
    return this.hasProtectedParts;
  }

  private get hasProtectedParts(): boolean {
    return this.protectedParts.length > 0;
  }

  /**
   * Decides. Any no counts, except that `--approve` and `--no-approve` override hooks and trust.json. On the command
   * line, `defaultTrust` counts when nothing else decides, and `ask` means no. A trust.json that cannot be read means no.
   * No hook is asked when `hooks` is undefined. Never rejects.
   */
  async decide(hooks: TrustHooks | undefined, defaultTrust: DefaultTrust): Promise<void> {
    this.decision = await this.ask(hooks, defaultTrust);
  }

  private async ask(hooks: TrustHooks | undefined, defaultTrust: DefaultTrust): Promise<TrustDecision> {
    const { flag, editorTrusts, cwd, env } = this.parts;
    if (editorTrusts?.() === false) return { trusted: false, reason: { by: 'editor' } };
    if (flag !== undefined) return { trusted: flag, reason: { by: 'flag' } };
    const inherited = editorTrusts === undefined ? inheritedFor(cwd, env[CHILD_VARIABLE]) : undefined;
    if (inherited !== undefined) return refusesBelow(await this.saved(), inherited.folder) ?? inherited.decision;
    return (await this.decidedBySomebody(hooks)) ?? this.withoutDecision(defaultTrust);
  }

  private async decidedBySomebody(hooks: TrustHooks | undefined): Promise<TrustDecision | undefined> {
    const fromHook = this.hasProtectedParts ? await this.askHooks(hooks) : undefined;
    if (fromHook?.trusted === false) return fromHook;
    const saved = await this.saved();
    return saved?.trusted === false ? saved : (fromHook ?? saved);
  }

  private withoutDecision(defaultTrust: DefaultTrust): TrustDecision {
    if (this.parts.editorTrusts !== undefined) return { trusted: true, reason: { by: 'editor' } };
    if (defaultTrust === 'always') return { trusted: true, reason: { by: 'setting' } };
    if (!this.hasProtectedParts) return { trusted: true, reason: { by: 'nothing' } };
    return defaultTrust === 'never' ? { trusted: false, reason: { by: 'setting' } } : UNDECIDED;
  }

  private async askHooks(hooks: TrustHooks | undefined): Promise<TrustDecision | undefined> {
    const { cwd, log } = this.parts;
    if (hooks?.hasHandlers('project_trust') !== true) return undefined;
    const { decision } = await hooks.emit({ type: 'project_trust', cwd }, undefined);
    if (decision === undefined) return undefined;
    const { trusted, remember, by } = decision;
    if (remember) {
      await this.file.save(cwd, trusted).catch((error: unknown) => {
        log.error(`The decision of ${by} about ${cwd} could not be saved: ${messageOf(error)}`, error);
      });
    }
    return { trusted, reason: { by: 'hook', path: by } };
  }

  private async saved(): Promise<TrustDecision | undefined> {
    const { path } = this.file;
    let found: SavedTrust | undefined;
    try {
      found = await this.file.nearest(this.parts.cwd);
    } catch (error) {
      return { trusted: false, reason: { by: 'unreadable', path, problem: messageOf(error) } };
    }
    return found && { trusted: found.trusted, reason: { by: 'file', path, folder: found.folder } };
  }
}

interface Inherited {
  readonly decision: TrustDecision;
  /** The folder that was decided about. */
  readonly folder: string;
}

/**
 * Returns the inherited decision if it is about `cwd` or a folder above it, also by another name; undefined otherwise.
 */
function inheritedFor(cwd: string, inherited: string | undefined): Inherited | undefined {
  const [, answer, folder] = /^(yes|no):(.+)$/s.exec(inherited ?? '') ?? [];
  if (folder === undefined) return undefined;
  const isBelow = isWithin(cwd, folder) || isWithin(realPathIfThere(cwd), realPathIfThere(folder));
  return isBelow ? { decision: { trusted: answer === 'yes', reason: { by: 'parent' } }, folder } : undefined;
}

/** The saved decision if it is a no about a folder below `folder`: it is closer than what was decided about that one. */
function refusesBelow(saved: TrustDecision | undefined, folder: string): TrustDecision | undefined {
  if (saved?.trusted !== false || saved.reason.by !== 'file') return undefined;
  const above = realPathIfThere(folder);
  return saved.reason.folder !== above && isWithin(saved.reason.folder, above) ? saved : undefined;
}
