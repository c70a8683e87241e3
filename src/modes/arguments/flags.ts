import { expandHome } from '../../agent/settings/configured-path';
import { APPROVAL_MODES } from '../../hook-contract/approvals/approval-mode';
import { THINKING_LEVELS } from '../../agent/thinking-levels';
import { PROTOCOL_VERSIONS } from '../protocol';
import { UsageError } from './usage-error';
import { allowedValue, namesIn, toolNamesIn } from './flag-values';
import type { OptionsDraft } from './options';

const MODES = ['text', 'json', 'rpc', 'acp'] as const;
const TUI_MODES = ['regular', 'fullscreen'] as const;
const COLORS = 'the program that shows the answer sets the colors';

interface FlagNames {
  readonly name: `--${string}`;
  /** Other spellings, short ones first. */
  readonly aliases?: readonly string[];
  readonly help: string;
}

/**
 * A flag. It takes `nothing`, a `value` (the next argument or the text after `=`), or `maybe` a value (the next
 * argument only if it fits).
 */
export type Flag = FlagNames &
  (
    | { readonly takes: 'nothing'; readonly apply: (draft: OptionsDraft) => void }
    | {
        readonly takes: 'value';
        readonly value: string;
        readonly apply: (draft: OptionsDraft, value: string, written: string) => void;
      }
    | {
        readonly takes: 'maybe';
        readonly value: string;
        readonly fits: (next: string) => boolean;
        readonly apply: (draft: OptionsDraft, value: string | undefined) => void;
      }
  );

/**
 * Every flag of today's pi (docs/cli.md) and of Hookline, in the order of the help. Flags that have no meaning without a
 * terminal interface are accepted with a warning, because clients always pass them.
 */
export const FLAGS: readonly Flag[] = [
  {
    name: '--print',
    aliases: ['-p'],
    help: 'Print the text of the last answer and exit',
    takes: 'maybe',
    value: '[prompt]',
    fits: next => !next.startsWith('@') && (!next.startsWith('-') || next.startsWith('---')),
    apply: (draft, prompt) => {
      draft.print = true;
      if (prompt !== undefined) draft.messages.push(prompt);
    },
  },
  {
    name: '--mode',
    help: 'What goes to stdout: text (default), json, rpc or acp',
    takes: 'value',
    value: '<mode>',
    apply: (draft, value, written) => {
      const mode = allowedValue(MODES, value, written);
      if (draft.mode === 'acp' && mode !== 'acp') {
        throw new UsageError(`${written} ${mode} cannot be combined with acp.`);
      }
      draft.mode = mode;
    },
  },
  {
    name: '--acp',
    help: 'The same as --mode acp',
    takes: 'nothing',
    apply: draft => (draft.mode = 'acp'),
  },
  {
    name: '--rpc-version',
    help: "Version of pi's protocol that JSON and RPC mode speak: 1.5 (default) or 0.73",
    takes: 'value',
    value: '<version>',
    apply: (draft, value, written) => (draft.rpcVersion = allowedValue(PROTOCOL_VERSIONS, value, written)),
  },
  {
    name: '--rpc-rendered',
    help: 'RPC mode sends the components of hooks (custom(), widgets) as lines and accepts keys for them',
    takes: 'nothing',
    apply: draft => (draft.rpcRendered = true),
  },
  {
    name: '--model',
    help: 'Model: "provider/id", an id or a part of one; ":<level>" after it sets the thinking level',
    takes: 'value',
    value: '<name>',
    apply: (draft, value) => (draft.model = value),
  },
  {
    name: '--provider',
    help: 'Provider of the model',
    takes: 'value',
    value: '<name>',
    apply: (draft, value) => (draft.provider = value),
  },
  {
    name: '--models',
    help: 'Models to cycle through: names and patterns, separated by commas',
    takes: 'value',
    value: '<patterns>',
    apply: (draft, value) => (draft.models = namesIn(value)),
  },
  {
    name: '--thinking',
    help: `How much the model thinks: ${THINKING_LEVELS.join(', ')}`,
    takes: 'value',
    value: '<level>',
    apply: (draft, value) => {
      const level = THINKING_LEVELS.find(known => known === value);
      if (level !== undefined) draft.thinking = level;
      else draft.warnings.push(`--thinking must be one of ${THINKING_LEVELS.join(', ')}; "${value}" is not used.`);
    },
  },
  {
    name: '--api-key',
    help: 'API key for the provider of the model, for this run only',
    takes: 'value',
    value: '<key>',
    apply: (draft, value) => (draft.apiKey = value),
  },
  {
    name: '--login',
    help: 'Choose a provider in this terminal, log in to it and exit',
    takes: 'nothing',
    apply: draft => (draft.login = true),
  },
  {
    name: '--list-models',
    help: 'List the models that can be used, or those that fit, and exit',
    takes: 'maybe',
    value: '[search]',
    fits: next => !next.startsWith('-') && !next.startsWith('@'),
    apply: (draft, search = '') => (draft.listModels = search),
  },
  {
    name: '--continue',
    aliases: ['-c'],
    help: 'Continue the latest session of this folder',
    takes: 'nothing',
    apply: draft => (draft.continueLatest = true),
  },
  {
    name: '--resume',
    aliases: ['-r'],
    help: 'Choose a session of this folder from a list (needs a terminal)',
    takes: 'nothing',
    apply: draft => (draft.resume = true),
  },
  {
    name: '--session',
    help: 'Continue this session; a file that does not exist is created',
    takes: 'value',
    value: '<file|id>',
    apply: (draft, value) => (draft.session = expandHome(value)),
  },
  {
    name: '--session-id',
    help: 'Continue the session of this folder with exactly this id, or start it',
    takes: 'value',
    value: '<id>',
    apply: (draft, value) => (draft.sessionId = value),
  },
  {
    name: '--fork',
    help: 'Copy a session into this folder as a new one',
    takes: 'value',
    value: '<file|id>',
    apply: (draft, value) => (draft.fork = expandHome(value)),
  },
  {
    name: '--session-dir',
    help: 'Folder of the session files',
    takes: 'value',
    value: '<folder>',
    apply: (draft, value) => (draft.sessionDir = expandHome(value)),
  },
  {
    name: '--no-session',
    help: 'Keep the session in memory only',
    takes: 'nothing',
    apply: draft => (draft.noSession = true),
  },
  {
    name: '--name',
    aliases: ['-n'],
    help: 'Name the session',
    takes: 'value',
    value: '<name>',
    apply: (draft, value, written) => {
      if (value.trim() === '') throw new UsageError(`${written} needs a name that is not empty.`);
      draft.name = value.trim();
    },
  },
  {
    name: '--export',
    help: 'Write a session to a .html, .md or .jsonl file (default: pi-session-<name>.html) and exit',
    takes: 'value',
    value: '<file|id> [out]',
    apply: (draft, value) => (draft.export = expandHome(value)),
  },
  {
    name: '--tools',
    aliases: ['-t'],
    help: 'Offer only these tools (names, patterns with *), or change the default ones by +name and -name',
    takes: 'value',
    value: '<names>',
    apply: (draft, value, written) => (draft.tools = toolNamesIn(value, written)),
  },
  {
    name: '--exclude-tools',
    aliases: ['-xt'],
    help: 'Never offer these tools (names, patterns with *)',
    takes: 'value',
    value: '<names>',
    apply: (draft, value) => draft.excludedTools.push(...namesIn(value)),
  },
  {
    name: '--no-builtin-tools',
    aliases: ['-nbt'],
    help: 'Offer no built-in tools unless --tools names them',
    takes: 'nothing',
    apply: draft => (draft.withoutTools ??= 'built-in'),
  },
  {
    name: '--no-tools',
    aliases: ['-nt'],
    help: 'Offer no tools unless --tools names them',
    takes: 'nothing',
    apply: draft => (draft.withoutTools = 'all'),
  },
  {
    name: '--extension',
    aliases: ['-e'],
    help: 'Load this extension, or try this package (npm:…, git:…); may be repeated; a folder stands for the files in it',
    takes: 'value',
    value: '<file|source>',
    apply: (draft, path, written) => {
      if (path.startsWith('builtin:')) draft.warnings.push(idle(`${written} ${path}`, 'it is a part of pi'));
      else if (/^(npm:|git:|(https?|ssh):\/\/)/i.test(path)) draft.packages.push(path);
      else draft.hooks.push({ path, flag: '--extension' });
    },
  },
  {
    name: '--hook',
    help: 'The same for a hook',
    takes: 'value',
    value: '<file>',
    apply: (draft, path) => draft.hooks.push({ path, flag: '--hook' }),
  },
  {
    name: '--no-extensions',
    aliases: ['-ne', '--no-hooks'],
    help: 'Load only hooks that are named by --hook and --extension',
    takes: 'nothing',
    apply: draft => (draft.searchHooks = false),
  },
  {
    name: '--no-mcp',
    help: 'Start no MCP servers',
    takes: 'nothing',
    apply: draft => (draft.mcp = false),
  },
  {
    name: '--skill',
    help: 'Read this skill file or folder too (may be repeated)',
    takes: 'value',
    value: '<path>',
    apply: (draft, path) => draft.skills.push(path),
  },
  {
    name: '--no-skills',
    aliases: ['-ns'],
    help: 'Read only skills that are named by --skill',
    takes: 'nothing',
    apply: draft => (draft.searchSkills = false),
  },
  {
    name: '--prompt-template',
    help: 'Read this prompt template file or folder too (may be repeated)',
    takes: 'value',
    value: '<path>',
    apply: (draft, path) => draft.promptTemplates.push(path),
  },
  {
    name: '--no-prompt-templates',
    aliases: ['-np'],
    help: 'Read only prompt templates that are named by --prompt-template',
    takes: 'nothing',
    apply: draft => (draft.searchPromptTemplates = false),
  },
  {
    name: '--no-context-files',
    aliases: ['-nc'],
    help: 'Read no AGENTS.md and no CLAUDE.md',
    takes: 'nothing',
    apply: draft => (draft.contextFiles = false),
  },
  {
    name: '--system-prompt',
    help: 'Replace the system prompt',
    takes: 'value',
    value: '<text|file>',
    apply: (draft, value) => (draft.systemPrompt = value),
  },
  {
    name: '--append-system-prompt',
    help: 'Add to the system prompt (may be repeated)',
    takes: 'value',
    value: '<text|file>',
    apply: (draft, value) => draft.appendSystemPrompt.push(value),
  },
  {
    name: '--approve-tools',
    help: 'Who decides about tool calls: auto (hooks alone, default), ask (you; RPC and ACP only, default of ACP), edits (as ask, but writing in the folder runs), plan (only tools that read run)',
    takes: 'value',
    value: '<mode>',
    apply: (draft, value, written) => (draft.approveTools = allowedValue(APPROVAL_MODES, value, written)),
  },
  {
    name: '--allow-path',
    help: 'Let file tools write to this path, although programs run code from it (.git, .vscode, .pi, shell profiles)',
    takes: 'value',
    value: '<pattern>',
    apply: (draft, value) => draft.allowedPaths.push(value),
  },
  {
    name: '--approve',
    aliases: ['-a'],
    help: 'Trust this folder for this run: its hooks, settings, skills and prompts are used',
    takes: 'nothing',
    apply: draft => (draft.approve = true),
  },
  {
    name: '--approve-packages',
    help: 'Approve all installed packages as they are, and run them',
    takes: 'nothing',
    apply: draft => (draft.approvePackages = true),
  },
  {
    name: '--no-approve',
    aliases: ['-na'],
    help: 'Do not use the .pi of this folder',
    takes: 'nothing',
    apply: draft => (draft.approve = false),
  },
  {
    name: '--offline',
    help: 'Use the network only for the model, also in child processes of pi (same as PI_OFFLINE=1)',
    takes: 'nothing',
    apply: draft => (draft.offline = true),
  },
  idleValue('--theme', '<path>', 'Accepted for clients of pi', COLORS),
  idleValue('--use-theme', '<name>', 'Accepted for clients of pi', COLORS),
  idleFlag('--no-themes', 'Accepted for clients of pi', COLORS),
  {
    name: '--tui-mode',
    help: 'Accepted for clients of pi',
    takes: 'value',
    value: '<mode>',
    apply: (draft, value, written) => {
      allowedValue(TUI_MODES, value, written);
      draft.warnings.push(idle(written, 'there is no terminal interface'));
    },
  },
  {
    name: '--verbose',
    help: 'Print more on stderr',
    takes: 'nothing',
    apply: draft => (draft.verbose = true),
  },
  {
    name: '--help',
    aliases: ['-h'],
    help: 'Show this help',
    takes: 'nothing',
    apply: draft => (draft.help = true),
  },
  {
    name: '--version',
    aliases: ['-v'],
    help: 'Show the version',
    takes: 'nothing',
    apply: draft => (draft.version = true),
  },
];

const BY_NAME: ReadonlyMap<string, Flag> = new Map(
  FLAGS.flatMap(flag => [flag.name, ...(flag.aliases ?? [])].map(name => [name, flag])),
);

/** The flag with this name, long or short; undefined if there is none. */
export function flagNamed(written: string): Flag | undefined {
  return BY_NAME.get(written);
}

function idleFlag(name: Flag['name'], help: string, why: string): Flag {
  return { name, help, takes: 'nothing', apply: draft => draft.warnings.push(idle(name, why)) };
}

function idleValue(name: Flag['name'], value: string, help: string, why: string): Flag {
  return { name, help, takes: 'value', value, apply: draft => draft.warnings.push(idle(name, why)) };
}

function idle(written: string, why: string): string {
  return `${written} has no effect here: ${why}.`;
}
