import { hasProtectedParts, TrustFile, type SavedTrust } from '../../agent/settings/trust-file';
import { messageOf } from '../../base/errors';
import type { Log } from '../../base/log';
import { realPathIfThere } from '../../base/on-disk';
import type { HookRunner } from '../../hooks/dispatch/runner';
import { isWithin } from '../../hooks/host/discover';

/** Why a folder is trusted or not. */
export type TrustReason =
  /** There is no decision against the folder, or it has nothing that needs one. */
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
  | { readonly by: 'setting' }
  /** On the command line: the program was not started in this folder. */
  | { readonly by: 'elsewhere' };

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
  /** Whether the editor trusts the folder; absent on the command line, which trusts the folder it is started in. */
  readonly editorTrusts?: () => boolean;
  /** The command line was started in another folder, so this one is not trusted for that reason. */
  readonly isElsewhere?: boolean;
  /** What `--approve` and `--no-approve` say. */
  readonly flag?: boolean;
  /** The decision of the process above is read from here, and the own one is written here for started processes. */
  readonly env: NodeJS.ProcessEnv;
  readonly log: Log;
}

/** Environment variable for started processes: `yes:` or `no:` and the folder that was decided about. */
const CHILD_VARIABLE = 'HOOKLINE_PROJECT_TRUST';

type TrustHooks = Pick<HookRunner, 'emit' | 'hasHandlers'>;
type DefaultTrust = 'ask' | 'always' | 'never';

/**
 * Decides whether a folder's own hooks, settings and resources count (docs/settings.md, Trust). They do not count
 * before {@link decide} has ended, so that hooks from outside the folder can be asked before any of its files is read.
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

  /** Whether {@link decide} may ask hooks: only if the folder has files that need trust. */
  get mayAskHooks(): boolean {
    return hasProtectedParts(this.parts.cwd);
  }

  /**
   * Decides. Any no counts, except that `--approve` and `--no-approve` override hooks and trust.json. `defaultTrust`
   * counts on the command line when nothing else decides. A trust.json that cannot be read means no. Processes started
   * from now on inherit the decision. No hook is asked when `hooks` is undefined. Never rejects.
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

/**
 * Returns the inherited decision if it is about `cwd` or a folder above it, also by another name; undefined otherwise.
 */
function inheritedFor(cwd: string, inherited: string | undefined): boolean | undefined {
  const [, decision, folder] = /^(yes|no):(.+)$/s.exec(inherited ?? '') ?? [];
  if (folder === undefined) return undefined;
  const isBelow = isWithin(cwd, folder) || isWithin(realPathIfThere(cwd), realPathIfThere(folder));
  return isBelow ? decision === 'yes' : undefined;
}
