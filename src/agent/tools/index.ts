import { createBashTool } from './shell/bash';
import { createPowerShellTool, hasPowerShell } from './shell/powershell';
import type { BashSpawnHook } from './shell/execute-bash';
import type { FolderVariables } from './shell/process';
import { createEditTool } from './files/editing/edit';
import { createFindTool } from './search/find';
import { createGrepTool } from './search/grep';
import { createLsTool } from './files/ls';
import { PLAN_FACTS, PLAN_TOOL } from './plan-facts';
import { createReadTool } from './files/read';
import { RipgrepLocator } from './search/ripgrep';
import { UNKNOWN_TOOL, type ToolFacts } from './facts';
import type { AnyTool } from './tool';
import { TODO_FACTS, TODO_TOOL } from './todo';
import { createWriteTool } from './files/writing/write';
import type { CodecOf } from './files/text-codec';
import type { WriteRecords } from './files/writing/write-records';

export {
  createBashTool,
  createEditTool,
  createFindTool,
  createGrepTool,
  createLsTool,
  createPowerShellTool,
  createReadTool,
  createWriteTool,
};

/** What the built-in tools work in. */
export interface ToolEnvironment {
  /** Absolute; relative paths and commands start here. */
  readonly cwd: string;
  /** Shared with the tools that hooks create, so that ripgrep is looked for once. */
  readonly ripgrep?: RipgrepLocator | undefined;
  /** The user's shell for `bash`. */
  readonly shellPath?: string | undefined;
  /** A line that runs before each `bash` command. */
  readonly commandPrefix?: string | undefined;
  readonly spawnHook?: BashSpawnHook | undefined;
  readonly variables?: FolderVariables | undefined;
  /** Where a file is recorded while a tool writes it; absent: nowhere. */
  readonly writeRecords?: WriteRecords | undefined;
  /** The encodings of files that are not Unicode; absent: not known. */
  readonly codecOf?: CodecOf | undefined;
  /** Whether `read` makes pictures small enough for models, as the settings are now; true when absent. */
  readonly autoResizeImages?: (() => boolean) | undefined;
}

/** The built-in tools in order. A tool is its own file and its line here. */
const BUILT_IN: readonly ((environment: ToolEnvironment) => AnyTool)[] = [
  ({ cwd, autoResizeImages, codecOf }) => createReadTool(cwd, { autoResizeImages, codecOf }),
  ({ cwd, shellPath, commandPrefix, spawnHook, variables }) =>
    createBashTool(cwd, { shellPath, commandPrefix, spawnHook, variables }),
  ({ cwd, writeRecords: records, codecOf }) => createEditTool(cwd, { records, codecOf }),
  ({ cwd, writeRecords: records, codecOf }) => createWriteTool(cwd, { records, codecOf }),
  ({ cwd, ripgrep }) => createGrepTool(cwd, { ripgrep }),
  ({ cwd, ripgrep }) => createFindTool(cwd, { ripgrep }),
  ({ cwd }) => createLsTool(cwd),
  ({ cwd, spawnHook, variables }) => createPowerShellTool(cwd, { spawnHook, variables }),
];

/** The built-in tools that work on this machine. The caller decides which are active. */
export function createBuiltinTools(environment: ToolEnvironment): AnyTool[] {
  const ripgrep = environment.ripgrep ?? new RipgrepLocator();
  const tools = BUILT_IN.map(create => create({ ...environment, ripgrep }));
  return hasPowerShell() ? tools : tools.filter(({ name }) => name !== 'powershell');
}

const FACTS: ReadonlyMap<string, ToolFacts> = new Map([
  ...BUILT_IN.map(create => create({ cwd: '' })).map((tool): [string, ToolFacts] => [
    tool.name,
    { ...UNKNOWN_TOOL, ...tool },
  ]),
  [TODO_TOOL, TODO_FACTS],
  [PLAN_TOOL, PLAN_FACTS],
]);

/**
 * The facts of the tool that a call names. One that is not ours and has the name of ours is shown as ours; whether it
 * keeps to one file, or changes none, only the tool itself can say.
 */
export function toolFacts(toolName: string): ToolFacts {
  return FACTS.get(toolName) ?? UNKNOWN_TOOL;
}
