import { THINKING_LEVELS, type ThinkingLevel } from '../../../agent/thinking-levels';

/** A parsed command line of pi; it has no member for a flag that was not given. */
interface ParsedArgs {
  readonly messages: string[];
  readonly fileArgs: string[];
  readonly unknownFlags: Map<string, boolean | string>;
  readonly diagnostics: { type: 'warning' | 'error'; message: string }[];
  [flag: string]: unknown;
}

type Read = (args: ParsedArgs, next: () => string | undefined) => void;

const yes =
  (name: string, value = true): Read =>
  args =>
    void (args[name] = value);
const text =
  (name: string): Read =>
  (args, next) =>
    void (args[name] = next());
const listed =
  (name: string): Read =>
  (args, next) =>
    void (args[name] = [...((args[name] as string[] | undefined) ?? []), next()]);
const split =
  (name: string): Read =>
  (args, next) => {
    const parts = (next() ?? '').split(',').map(part => part.trim());
    args[name] = parts.filter(part => part !== '');
  };

const tools: Read = (args, next) => {
  split('tools')(args, next);
  const chosen = args['tools'] as string[];
  const changes = chosen.filter(entry => /^[+-]/.test(entry));
  const problem =
    changes.length > 0 && changes.length < chosen.length
      ? 'tool names cannot be mixed with +name or -name entries'
      : changes.some(entry => entry.includes('*'))
        ? '+name and -name entries take exact tool names, not patterns'
        : undefined;
  if (problem === undefined) return;
  delete args['tools'];
  args.diagnostics.push({ type: 'error', message: `--tools: ${problem}` });
};

const thinking: Read = (args, next) => {
  const level = next() ?? '';
  if (THINKING_LEVELS.includes(level as ThinkingLevel)) args['thinking'] = level;
  else {
    const message = `Invalid thinking level "${level}". Valid values: ${THINKING_LEVELS.join(', ')}`;
    args.diagnostics.push({ type: 'warning', message });
  }
};

const oneOf =
  (name: string, ...values: readonly string[]): Read =>
  (args, next) => {
    const value = next() ?? '';
    if (values.includes(value)) args[name] = value;
    else {
      const message = `Invalid ${name} "${value}". Valid values: ${values.join(', ')}`;
      args.diagnostics.push({ type: 'error', message });
    }
  };

/** Flags without a value, and below flags with one; several words in a key are names of the same flag. */
const SWITCHES: Readonly<Record<string, Read>> = byName({
  '--help -h': yes('help'),
  '--version -v': yes('version'),
  '--continue -c': yes('continue'),
  '--resume -r': yes('resume'),
  '--no-session': yes('noSession'),
  '--no-tools -nt': yes('noTools'),
  '--no-builtin-tools -nbt': yes('noBuiltinTools'),
  '--no-extensions -ne': yes('noExtensions'),
  '--no-mcp': yes('noMcp'),
  '--no-skills -ns': yes('noSkills'),
  '--no-prompt-templates -np': yes('noPromptTemplates'),
  '--no-themes': yes('noThemes'),
  '--no-context-files -nc': yes('noContextFiles'),
  '--verbose': yes('verbose'),
  '--offline': yes('offline'),
  '--approve -a': yes('projectTrustOverride'),
  '--no-approve -na': yes('projectTrustOverride', false),
});
const VALUES: Readonly<Record<string, Read>> = byName({
  '--provider': text('provider'),
  '--model': text('model'),
  '--api-key': text('apiKey'),
  '--system-prompt': text('systemPrompt'),
  '--append-system-prompt': listed('appendSystemPrompt'),
  '--mode': oneOf('mode', 'text', 'json', 'rpc'),
  '--name -n': text('name'),
  '--session': text('session'),
  '--session-id': text('sessionId'),
  '--fork': text('fork'),
  '--session-dir': text('sessionDir'),
  '--models': split('models'),
  '--tools -t': tools,
  '--exclude-tools -xt': split('excludeTools'),
  '--thinking': thinking,
  '--export': text('export'),
  '--extension -e': listed('extensions'),
  '--skill': listed('skills'),
  '--prompt-template': listed('promptTemplates'),
  '--theme': listed('themes'),
  '--use-theme': text('useTheme'),
  '--tui-mode': oneOf('tuiMode', 'regular', 'fullscreen'),
});

function byName(rows: Readonly<Record<string, Read>>): Readonly<Record<string, Read>> {
  return Object.fromEntries(
    Object.entries(rows).flatMap(([names, read]) => names.split(' ').map(name => [name, read])),
  );
}

/** Parses a command line of pi. Never throws: what is wrong becomes a diagnostic. */
export function parseArgs(argv: readonly string[]): ParsedArgs {
  const args: ParsedArgs = { messages: [], fileArgs: [], unknownFlags: new Map(), diagnostics: [] };
  const rest = [...argv];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [next] = rest;
    const [plain, valued] = [SWITCHES[word], VALUES[word]];
    if (word === '--') {
      for (const word of rest.splice(0)) addWord(args, word);
    } else if (plain !== undefined) {
      plain(args, () => undefined);
    } else if (valued !== undefined && next !== undefined) {
      valued(args, () => rest.shift());
    } else if (word === '--print' || word === '-p') {
      args['print'] = true;
      const isPrompt = next !== undefined && !/^@|^-(?!--)/.test(next);
      if (isPrompt) args.messages.push(rest.shift() ?? '');
    } else if (word === '--list-models') {
      args['listModels'] = next !== undefined && !/^[-@]/.test(next) ? rest.shift() : true;
    } else if (word.startsWith('--')) {
      readUnknown(args, word.slice(2), rest);
    } else if (word.startsWith('-')) {
      args.diagnostics.push({ type: 'error', message: `Unknown option: ${word}` });
    } else addWord(args, word);
  }
  return args;
}

function addWord({ fileArgs, messages }: ParsedArgs, word: string): void {
  if (word.startsWith('@')) fileArgs.push(word.slice(1));
  else messages.push(word);
}

/** Reads a flag that is not pi's own; an extension may have registered it. */
function readUnknown(args: ParsedArgs, flag: string, rest: string[]): void {
  const [next] = rest;
  const equals = flag.indexOf('=');
  if (equals >= 0) args.unknownFlags.set(flag.slice(0, equals), flag.slice(equals + 1));
  else if (next !== undefined && !/^[-@]/.test(next)) args.unknownFlags.set(flag, rest.shift() ?? '');
  else args.unknownFlags.set(flag, true);
}
