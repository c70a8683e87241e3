import type { ShellEvent, ShellHook, ShellProblem, ShellSettings, ShellSurroundings } from './shell-hook';
import { namesFor, type Naming } from './tool-names';
import { isRecord } from '../../base/json/is-record';

type Members = Readonly<Record<string, unknown>>;
type Path = readonly (string | number)[];

const EVENTS: Readonly<Record<string, readonly [ShellEvent, Naming]>> = {
  PreToolUse: ['PreToolUse', 'claude'],
  PostToolUse: ['PostToolUse', 'claude'],
  UserPromptSubmit: ['UserPromptSubmit', 'claude'],
  SessionStart: ['SessionStart', 'claude'],
  SessionEnd: ['SessionEnd', 'claude'],
  Stop: ['Stop', 'claude'],
  PreCompact: ['PreCompact', 'claude'],
  Notification: ['Notification', 'claude'],
  preToolUse: ['PreToolUse', 'github'],
  postToolUse: ['PostToolUse', 'github'],
  userPromptSubmitted: ['UserPromptSubmit', 'github'],
  sessionStart: ['SessionStart', 'github'],
  sessionEnd: ['SessionEnd', 'github'],
  agentStop: ['Stop', 'github'],
  errorOccurred: ['ErrorOccurred', 'github'],
};

/** Events whose hooks may block something: they run even if their matcher is invalid. */
const GATES: ReadonlySet<ShellEvent> = new Set(['PreToolUse', 'UserPromptSubmit']);
const WITH_TOOL: ReadonlySet<ShellEvent> = new Set(['PreToolUse', 'PostToolUse']);
/** The names that occur here for events without a tool, with which their matchers are compared. */
const SUBJECTS: { readonly [E in ShellEvent]?: readonly string[] } = {
  SessionStart: ['startup', 'resume', 'clear'],
  SessionEnd: ['clear', 'other'],
  PreCompact: ['manual', 'auto'],
  Notification: ['idle_prompt', 'permission_prompt'],
};
/** Members of a group of commands that are used here, or that are only comments. */
const OF_GROUP: ReadonlySet<string> = new Set(['matcher', 'hooks', 'description', 'comment', '$comment']);
const OF_COMMAND: ReadonlySet<string> = new Set([
  ...OF_GROUP,
  ...[
    'type',
    'command',
    'bash',
    'powershell',
    'windows',
    'osx',
    'linux',
    'cwd',
    'env',
    'timeout',
    'timeoutSec',
    'async',
  ],
]);
/** The defaults of the two tools, in s. */
const DEFAULT_TIMEOUT_S: { readonly [N in Naming]: number } = { claude: 60, github: 30 };

/**
 * Reads the `hooks` of a settings file of Claude Code, or of a file of `.github/hooks` (version 1); a file may mix both
 * forms. Each setting that is not supported gives a problem with its place.
 */
export function readShellHooks(content: unknown, surroundings: ShellSurroundings): ShellSettings {
  const reader = new Reader(surroundings);
  reader.read(content);
  return reader;
}

class Reader implements ShellSettings {
  readonly hooks: ShellHook[] = [];
  readonly problems: ShellProblem[] = [];

  constructor(private readonly surroundings: ShellSurroundings) {}

  read(content: unknown): void {
    if (!isRecord(content)) {
      this.report([], 'error', 'This file must contain an object.');
      return;
    }
    const { version, hooks, disableAllHooks } = content;
    if (version !== undefined && version !== 1) {
      this.report(
        ['version'],
        'warning',
        `Version ${JSON.stringify(version)} is unknown; Hookline reads the file as version 1.`,
      );
    }
    if (hooks === undefined) return;
    if (disableAllHooks === true) {
      this.report(['disableAllHooks'], 'info', 'This file turns off all of its hooks, so none of them runs.');
      return;
    }
    if (!isRecord(hooks)) this.report(['hooks'], 'error', '"hooks" must be an object with one list per event.');
    else for (const [event, list] of Object.entries(hooks)) this.readEvent(event, list);
  }

  private readEvent(name: string, list: unknown): void {
    const path = ['hooks', name];
    const known = Object.hasOwn(EVENTS, name) ? EVENTS[name] : undefined;
    if (known === undefined) {
      this.report(path, 'warning', `Hookline has no event like "${name}": these hooks never run.`);
      return;
    }
    if (!Array.isArray(list)) {
      this.report(path, 'error', `"${name}" must be a list.`);
      return;
    }
    const [event, naming] = known;
    if (event === 'Notification') {
      this.report(
        path,
        'info',
        'These hooks run when a run ends and when a shell hook asks. They do not run when another hook asks.',
      );
    }
    (list as readonly unknown[]).forEach((entry, index) => this.readEntry({ event, naming }, entry, [...path, index]));
  }

  /** Reads a group with a matcher and commands, or a single command. */
  private readEntry(about: Pick<ShellHook, 'event' | 'naming'>, entry: unknown, path: Path): void {
    if (!isRecord(entry)) {
      this.report(path, 'error', 'This must be an object.');
      return;
    }
    const matcher = this.matcherOf(about, entry['matcher'], [...path, 'matcher']);
    if (matcher === 'unusable') return;
    if (!Array.isArray(entry['hooks'])) {
      this.readCommand({ ...about, matcher }, entry, path);
      return;
    }
    this.readMembers(entry, OF_GROUP, path);
    (entry['hooks'] as readonly unknown[]).forEach((command, index) =>
      this.readCommand({ ...about, matcher }, command, [...path, 'hooks', index]),
    );
  }

  private matcherOf(
    { event, naming }: Pick<ShellHook, 'event' | 'naming'>,
    given: unknown,
    path: Path,
  ): RegExp | undefined | 'unusable' {
    if (given === undefined || given === '' || given === '*') return undefined;
    if (typeof given !== 'string') {
      return this.unusable(event, path, 'A matcher must be a text');
    }
    let pattern: RegExp;
    try {
      pattern = new RegExp(`^(?:${given})$`);
    } catch (error) {
      const why = error instanceof Error ? error.message : '';
      return this.unusable(event, path, `This matcher is not a regular expression (${why})`);
    }
    const { tools } = this.surroundings;
    const names = tools?.flatMap(tool => namesFor(tool, naming));
    if (WITH_TOOL.has(event) && names !== undefined && !names.some(name => pattern.test(name))) {
      this.report(path, 'warning', `"${given}" matches the name of no tool.`);
    }
    const subjects = SUBJECTS[event];
    if (subjects !== undefined && !subjects.some(name => pattern.test(name))) {
      const known = subjects.map(name => `"${name}"`).join(', ');
      this.report(path, 'warning', `"${given}" never occurs, so these hooks never run. Possible values: ${known}.`);
    }
    return pattern;
  }

  /** A gate with an invalid matcher is always called, since otherwise it would block nothing. Other hooks never run. */
  private unusable(event: ShellEvent, path: Path, what: string): undefined | 'unusable' {
    const isGate = GATES.has(event);
    this.report(path, 'error', `${what}: these hooks ${isGate ? 'run every time' : 'never run'}.`);
    return isGate ? undefined : 'unusable';
  }

  private readCommand(about: Pick<ShellHook, 'event' | 'naming' | 'matcher'>, entry: unknown, path: Path): void {
    if (!isRecord(entry)) {
      this.report(path, 'error', 'This must be an object with a command.');
      return;
    }
    const { type = 'command', cwd } = entry;
    if (type !== 'command') {
      this.report(
        [...path, 'type'],
        'warning',
        `Hooks of the type "${typeof type === 'string' ? type : JSON.stringify(type)}" do not run: only commands do.`,
      );
      return;
    }
    const found = this.commandOf(entry, path);
    if (found === undefined) return;
    this.readMembers(entry, OF_COMMAND, path);
    if (cwd !== undefined && typeof cwd !== 'string') {
      this.report([...path, 'cwd'], 'warning', '"cwd" must be a text; the command runs in the workspace folder.');
    }
    if (entry['async'] === true) {
      this.report([...path, 'async'], 'info', 'Hookline waits for this hook as for any other.');
    }
    this.hooks.push({
      ...about,
      ...found,
      cwd: typeof cwd === 'string' ? cwd : undefined,
      env: this.envOf(entry['env'], [...path, 'env']),
      timeoutMs: this.timeoutOf(about.naming, entry, path),
    });
  }

  /** The command for this operating system, or else the common one. */
  private commandOf(entry: Members, path: Path): Pick<ShellHook, 'command' | 'shell'> | undefined {
    const { platform } = this.surroundings;
    const text = (name: string): string | undefined => {
      const value = entry[name];
      return typeof value === 'string' && value.trim() !== '' ? value : undefined;
    };
    const here = platform === 'win32' ? 'windows' : platform === 'darwin' ? 'osx' : 'linux';
    const powershell = text('powershell');
    const bash = text('bash');
    if (platform === 'win32' && powershell !== undefined) return { command: powershell, shell: 'powershell' };
    const plain = text(here) ?? text('command');
    if (plain !== undefined) return { command: plain, shell: 'sh' };
    if (bash !== undefined) return { command: bash, shell: 'bash' };
    const others = ['powershell', 'windows', 'osx', 'linux'].filter(name => text(name) !== undefined);
    if (others.length > 0) {
      this.report(
        [...path, others[0] ?? ''],
        'warning',
        'This command is for another system and never runs on this one.',
      );
    } else this.report(path, 'error', 'The command is missing.');
    return undefined;
  }

  private readMembers(entry: Members, known: ReadonlySet<string>, path: Path): void {
    for (const name of Object.keys(entry).filter(each => !known.has(each))) {
      this.report([...path, name], 'info', `"${name}" is unknown and has no effect.`);
    }
  }

  private envOf(given: unknown, path: Path): Readonly<Record<string, string>> {
    if (given === undefined) return {};
    if (!isRecord(given)) {
      this.report(path, 'warning', '"env" must be an object of texts; Hookline ignores it.');
      return {};
    }
    const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
    return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, text(value)]));
  }

  private timeoutOf(naming: Naming, { timeoutSec, timeout }: Members, path: Path): number {
    const given = timeoutSec ?? timeout;
    if (given === undefined) return DEFAULT_TIMEOUT_S[naming] * 1000;
    if (typeof given === 'number' && given > 0) return given * 1000;
    const name = timeoutSec === undefined ? 'timeout' : 'timeoutSec';
    this.report(
      [...path, name],
      'warning',
      `A timeout must be a number of seconds above 0; Hookline uses ${DEFAULT_TIMEOUT_S[naming]}.`,
    );
    return DEFAULT_TIMEOUT_S[naming] * 1000;
  }

  private report(path: Path, severity: ShellProblem['severity'], message: string): void {
    this.problems.push({ path, severity, message });
  }
}
