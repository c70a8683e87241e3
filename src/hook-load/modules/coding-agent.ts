import { silentLog, type Log } from '../../base/log';
import type { CodecOf } from '../../agent/tools/files/text-codec';
import type { FolderVariables } from '../../agent/tools/shell/process';
import type { WriteRecords } from '../../agent/tools/files/writing/write-records';
import { PI_VERSION } from '../../base/pi-version';
import type { ExecOptions } from '../../agent/tools/shell/exec';
import type { RipgrepLocator } from '../../agent/tools/search/ripgrep';
import { BOUND_TOOL_NAMES, SDK_NAMES } from './export-names';
import { LazyModule, type ModuleMembers, type ModulePart } from './lazy-module';
import { notOffered, notOfferedMembers } from './not-offered';
import { rootParts, type RootHost } from './root/parts';
import { keyHints, rootValues } from './root-values';
import { markdownTheme, selectListTheme, settingsListTheme } from './themes';

/** What the modules for hooks need to know of the product around them. */
export interface ShippedHost extends RootHost {
  /** The exports that call hooks (`HookRunner`, `wrapToolWithHooks`), which the layer that runs hooks has. */
  readonly runtime: ModulePart;
  /** Finds ripgrep for `grep` and `find` tools that hooks make; when absent, these tools search for it. */
  readonly ripgrep?: RipgrepLocator;
  /** Where a file is recorded while an `edit` or `write` tool that a hook makes writes it; absent: nowhere. */
  readonly writeRecords?: WriteRecords;
  /** The encodings of files that are not Unicode, for file tools that hooks make; absent: not known. */
  readonly codecOf?: CodecOf | undefined;
  /** For commands of tools and functions that hooks get here. */
  readonly variables?: FolderVariables | undefined;
  /** Where a failing listener of an event bus that a hook created is logged; when absent, it is not logged. */
  readonly log?: Log;
  /** Further exports of `pi-coding-agent`; they replace exports of the same name. */
  readonly values?: ModuleMembers;
}

const PACKAGE = '@mariozechner/pi-coding-agent';

const execPart = ({ variables }: ShippedHost): ModulePart => ({
  names: ['execCommand'],
  load: async () => {
    const { execCommand } = await import('../../agent/tools/shell/exec');
    return {
      execCommand: (command: string, args: readonly string[], cwd: string, options?: Omit<ExecOptions, 'cwd'>) =>
        execCommand(command, args, { ...options, cwd, env: { ...variables?.(), ...options?.env } }),
    };
  },
});

const MESSAGES: ModulePart = {
  names: ['messageTransformer', 'convertToLlm', 'serializeConversation'],
  load: async () => {
    const { convertToLlm, serializeConversation } = await import('../../agent/llm-messages');
    return { messageTransformer: convertToLlm, convertToLlm, serializeConversation };
  },
};

const COMPACTION: ModulePart = {
  names: ['estimateTokens', 'calculateContextTokens', 'shouldCompact', 'findCutPoint', 'DEFAULT_COMPACTION_SETTINGS'],
  load: async () => {
    const [{ estimateTokens, contextTokensOf }, plan] = await Promise.all([
      import('../../agent/compaction/tokens'),
      import('../../agent/compaction/plan'),
    ]);
    const { shouldCompact, findCutPoint, DEFAULT_COMPACTION_SETTINGS } = plan;
    const calculateContextTokens = contextTokensOf;
    return { estimateTokens, calculateContextTokens, shouldCompact, findCutPoint, DEFAULT_COMPACTION_SETTINGS };
  },
};

const TOOL_NAMES = ['Bash', 'PowerShell', 'Read', 'Edit', 'Write', 'Grep', 'Find', 'Ls'] as const;

const toolFactories = ({ ripgrep, writeRecords: records, codecOf, variables }: ShippedHost): ModulePart => ({
  names: [
    ...TOOL_NAMES.flatMap(name => [`create${name}Tool`, `create${name}ToolDefinition`]),
    'createCodingTools',
    'createReadOnlyTools',
    'createLocalBashOperations',
    'createLocalPowerShellOperations',
    'getPowerShellConfig',
    'withFileMutationQueue',
    'defineTool',
  ],
  load: async () => {
    const [tools, { createLocalBashOperations }, powerShell, { withFileQueue }, { defineTool }] = await Promise.all([
      import('../../agent/tools/index'),
      import('../../agent/tools/shell/bash-operations'),
      import('../../agent/tools/shell/powershell'),
      import('../../agent/tools/files/writing/mutation-queue'),
      import('../../agent/tools/tool'),
    ]);
    const factories = TOOL_NAMES.flatMap(name => {
      const plain = tools[`create${name}Tool`] as (cwd: string, options?: object) => unknown;
      // Searching tools use `ripgrep`, shells `variables`, file tools the others; the hook's own option has priority.
      const create = (cwd: string, options?: object): unknown =>
        plain(cwd, { ripgrep, records, codecOf, variables, ...options });
      return [
        [`create${name}Tool`, create],
        [`create${name}ToolDefinition`, create],
      ] as const;
    });
    const { createReadTool, createBashTool, createEditTool, createWriteTool } = tools;
    return {
      ...Object.fromEntries(factories),
      createCodingTools: (cwd: string) => [
        createReadTool(cwd, { codecOf }),
        createBashTool(cwd, { variables }),
        createEditTool(cwd, { records, codecOf }),
        createWriteTool(cwd, { records, codecOf }),
      ],
      createReadOnlyTools: (cwd: string) => [
        createReadTool(cwd, { codecOf }),
        tools.createGrepTool(cwd, { ripgrep }),
        tools.createFindTool(cwd, { ripgrep }),
        tools.createLsTool(cwd),
      ],
      createLocalBashOperations: (options?: { readonly shellPath?: string }) =>
        createLocalBashOperations(options, variables),
      createLocalPowerShellOperations: () => powerShell.createLocalPowerShellOperations(variables),
      getPowerShellConfig: () => powerShell.getPowerShellConfig(),
      withFileMutationQueue: withFileQueue,
      defineTool,
    };
  },
});

/** The ready-made tools, bound to the folder of the conversations; none where there is no such folder. */
function boundTools({ cwd, ripgrep, writeRecords, codecOf, variables }: ShippedHost): readonly ModulePart[] {
  if (cwd === undefined) return [];
  return [
    {
      names: BOUND_TOOL_NAMES,
      load: async () => {
        const { createBuiltinTools } = await import('../../agent/tools/index');
        const named = new Map(
          createBuiltinTools({ cwd: cwd(), ripgrep, writeRecords, codecOf, variables }).map(tool => [tool.name, tool]),
        );
        const list = (...names: readonly string[]): object[] => names.flatMap(name => named.get(name) ?? []);
        return {
          ...Object.fromEntries([...named].map(([name, tool]) => [`${name}Tool`, tool])),
          codingTools: list('read', 'bash', 'edit', 'write'),
          readOnlyTools: list('read', 'grep', 'find', 'ls'),
          allBuiltInTools: Object.fromEntries(named),
        };
      },
    },
  ];
}

const TRUNCATION: ModulePart = {
  names: ['DEFAULT_MAX_BYTES', 'DEFAULT_MAX_LINES', 'formatSize', 'truncateHead', 'truncateTail', 'truncateLine'],
  load: async () => {
    const { DEFAULT_MAX_BYTES, DEFAULT_MAX_LINES, formatSize, truncateHead, truncateTail, truncateLine } =
      await import('../../agent/tools/truncate');
    return { DEFAULT_MAX_BYTES, DEFAULT_MAX_LINES, formatSize, truncateHead, truncateTail, truncateLine };
  },
};

const FRONTMATTER: ModulePart = {
  names: ['parseFrontmatter', 'stripFrontmatter'],
  load: async () => {
    const { parseFrontmatter, stripFrontmatter } = await import('../../base/text/frontmatter');
    return { parseFrontmatter, stripFrontmatter };
  },
};

function components(host: ShippedHost): readonly ModulePart[] {
  return [
    {
      names: ['DynamicBorder', 'BorderedLoader', 'CustomEditor'],
      load: async () => {
        const [tui, { buildingBlocks }] = await Promise.all([import('@mariozechner/pi-tui'), import('./components')]);
        return buildingBlocks(tui, host.theme);
      },
    },
    {
      names: ['UserMessageComponent', 'AssistantMessageComponent', 'ToolExecutionComponent', 'CustomMessageComponent'],
      load: async () => {
        const [tui, { messageComponents }] = await Promise.all([
          import('@mariozechner/pi-tui'),
          import('./message-components'),
        ]);
        return messageComponents(tui, host.theme);
      },
    },
  ];
}

/** Small values, and stand-ins that throw when they are used, for exports that are not available. */
function values(host: ShippedHost): ModuleMembers {
  return {
    ...notOfferedMembers(PACKAGE, SDK_NAMES),
    ...notOfferedMembers(PACKAGE, BOUND_TOOL_NAMES, 'use the factory with a folder, such as createBashTool(cwd)'),
    discoverAndLoadHooks: notOffered(PACKAGE, 'discoverAndLoadHooks'),
    loadHooks: notOffered(PACKAGE, 'loadHooks'),
    ...GUARDS,
    ...rootValues(host.log ?? silentLog),
    getAgentDir: () => host.agentDir(),
    VERSION: PI_VERSION, // Some hooks compare it with the version that they need.
    CURRENT_SESSION_VERSION: 3,
    getMarkdownTheme: () => markdownTheme(host.theme),
    getSelectListTheme: () => selectListTheme(host.theme),
    getSettingsListTheme: () => settingsListTheme(host.theme),
    VIRTUAL_MODEL_STATE_ENTRY: 'pi.virtual-model-state',
    initTheme: () => undefined,
    ...host.values,
  };
}

/** The module `pi-coding-agent`; its exports are Hookline's own implementations. */
export function codingAgentModule(host: ShippedHost): LazyModule {
  const given = new Set(Object.keys(host.values ?? {}));
  const parts = [
    host.runtime,
    execPart(host),
    MESSAGES,
    COMPACTION,
    toolFactories(host),
    ...boundTools(host),
    TRUNCATION,
    FRONTMATTER,
    keyHints(host.theme),
    ...components(host),
    ...rootParts(host),
  ];
  return new LazyModule({
    specifier: PACKAGE,
    hasBoundMembers: true,
    values: values(host),
    parts: parts.filter(part => !(part.names ?? []).some(name => given.has(name))),
  });
}

type Guard = (event: { readonly toolName?: unknown }) => boolean;

function guardsTool(tool: string): Guard {
  return event => event.toolName === tool;
}

/** The type guards that hooks import; each compares `toolName`. */
const GUARDS = {
  isBashToolResult: guardsTool('bash'),
  isPowerShellToolResult: guardsTool('powershell'),
  isReadToolResult: guardsTool('read'),
  isEditToolResult: guardsTool('edit'),
  isWriteToolResult: guardsTool('write'),
  isGrepToolResult: guardsTool('grep'),
  isFindToolResult: guardsTool('find'),
  isLsToolResult: guardsTool('ls'),
  isToolCallEventType: (tool: string, event: { readonly toolName?: unknown }): boolean => event.toolName === tool,
};
