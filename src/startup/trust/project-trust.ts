import { isAbsolute, relative } from 'node:path';
import { hasProtectedParts, TrustFile, type SavedTrust } from '../../agent/settings/trust-file';
import { messageOf } from '../../base/errors';
import type { Log } from '../../base/log';
import type { HookRunner } from '../../hooks/dispatch/runner';

/** What a decision about a folder rests on. */
export type TrustReason =
  /** Nothing of the folder waits for a decision, or nobody said no. */
  | { readonly by: 'nobody' }
  /** VS Code's workspace trust. */
  | { readonly by: 'editor' }
  /** The process that started this one, which told what it had decided. */
  | { readonly by: 'parent' }
  /** `--approve` or `--no-approve`. */
  | { readonly by: 'flag' }
  /** A `project_trust` handler; `path` is its file. */
  | { readonly by: 'hook'; readonly path: string }
  /** `trust.json`, where `folder` has an entry. */
  | { readonly by: 'file'; readonly path: string; readonly folder: string }
  /** `trust.json`, which cannot be read. */
  | { readonly by: 'unreadable'; readonly path: string; readonly problem: string }
  /** `defaultProjectTrust` in settings.json of the agent folder. */
  | { readonly by: 'setting' }
  /** On the command line: it is not the folder that the program was started in. */
  | { readonly by: 'elsewhere' };

/** Whether the hooks, settings and resources of a folder count, and why. */
export interface TrustDecision {
  readonly trusted: boolean;
  readonly reason: TrustReason;
}

/** What {@link ProjectTrust} asks. */
export interface TrustParts {
  readonly agentDir: string;
  /** Absolute path of the folder. */
  readonly cwd: string;
  /** Whether the editor trusts the folder; absent on the command line, which trusts where it is started. */
  readonly editorTrusts?: () => boolean;
  /** The command line was started in another folder, which says nothing about this one. */
  readonly isElsewhere?: boolean;
  /** What `--approve` and `--no-approve` say. */
  readonly flag?: boolean;
  /** What a process above may have told is read from here, and what children are to know written. */
  readonly env: NodeJS.ProcessEnv;
  readonly log: Log;
}

/** `yes:` or `no:` with the folder that was decided about; processes started here find it in their environment. */
const CHILD_VARIABLE = 'HOOKLINE_PROJECT_TRUST';

type TrustHooks = Pick<HookRunner, 'emit' | 'hasHandlers'>;
type DefaultTrust = 'ask' | 'always' | 'never';

/**
 * Whether a folder's own hooks, settings and resources count (docs/settings.md, Trust). Until {@link decide} is through they
 * do not, so that hooks from outside of the folder can be asked before anything of it is read.
 */
export class ProjectTrust {
  private readonly file: TrustFile;
  private decision: TrustDecision = { trusted: false, reason: { by: 'nobody' } };

  constructor(private readonly parts: TrustParts) {
    this.file = new TrustFile(parts.agentDir);
  }

  get isTrusted(): boolean {
    return this.decision.trusted && this.parts.editorTrusts?.() !== false;
  }

  get current(): TrustDecision {
    if (this.parts.editorTrusts?.() === false) return { trusted: false, reason: { by: 'editor' } };
    return this.decision;
  }

  /** Whether {@link decide} may ask hooks: only about a folder that has something to decide about. */
  get mayAskHooks(): boolean {
    return hasProtectedParts(this.parts.cwd);
  }

  /**
   * Decides: every no counts, except that `--approve` is the last word. `defaultTrust` counts where the editor has no say
   * and nobody said yes. What is wrong with trust.json means no. Processes that are started from now on inherit the
   * decision. Without hooks, none is asked. Never rejects.
   */
  async decide(hooks: TrustHooks | undefined, defaultTrust: DefaultTrust): Promise<void> {
    this.decision = await this.ask(hooks, defaultTrust);
    const { env, cwd } = this.parts;
    env[CHILD_VARIABLE] = `${this.isTrusted ? 'yes' : 'no'}:${cwd}`;
  }

  private async ask(hooks: TrustHooks | undefined, defaultTrust: DefaultTrust): Promise<TrustDecision> {
    const { flag, editorTrusts, isElsewhere, cwd, env } = this.parts;
    if (editorTrusts?.() === false) return { trusted: false, reason: { by: 'editor' } };
    if (flag !== undefined) return { trusted: flag, reason: { by: 'flag' } };
    const inherited = editorTrusts === undefined ? inheritedFor(cwd, env[CHILD_VARIABLE]) : undefined;
    if (inherited !== undefined) return { trusted: inherited, reason: { by: 'parent' } };
    const hasParts = hasProtectedParts(cwd);
    const fromHook = hasParts ? await this.askHooks(hooks) : undefined;
    if (fromHook?.trusted === false) return fromHook;
    const saved = await this.saved();
    if (saved?.trusted === false) return saved;
    const yes = fromHook ?? saved;
    if (yes !== undefined) return yes;
    if (hasParts && editorTrusts === undefined) {
      if (defaultTrust === 'never') return { trusted: false, reason: { by: 'setting' } };
      if (isElsewhere === true && defaultTrust !== 'always') return { trusted: false, reason: { by: 'elsewhere' } };
    }
    return { trusted: true, reason: { by: editorTrusts === undefined ? 'nobody' : 'editor' } };
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

/** What was decided about this folder or one above it; undefined for other folders. */
function inheritedFor(cwd: string, told: string | undefined): boolean | undefined {
  const match = /^(yes|no):(.+)$/s.exec(told ?? '');
  if (match?.[2] === undefined) return undefined;
  const below = relative(match[2], cwd);
  return below.startsWith('..') || isAbsolute(below) ? undefined : match[1] === 'yes';
}
