import { createBashTool, type BashSpawnHook } from './shell/bash';
import { createEditTool } from './files/edit';
import { createFindTool } from './search/find';
import { createGrepTool } from './search/grep';
import { createLsTool } from './files/ls';
import { createReadTool } from './files/read';
import { RipgrepLocator } from './search/ripgrep';
import type { AnyTool } from './tool';
import { createWriteTool } from './files/write';

export {
  createBashTool,
  createEditTool,
  createFindTool,
  createGrepTool,
  createLsTool,
  createReadTool,
  createWriteTool,
};

/** What the seven tools work in. */
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
}

/** Names of the built-in tools, in order. */
export const BUILTIN_TOOLS = ['read', 'bash', 'edit', 'write', 'grep', 'find', 'ls'] as const;
/** Active unless something else is chosen (reference section 10). */
export const DEFAULT_ACTIVE_TOOLS = ['read', 'bash', 'edit', 'write'] as const;
/** Those that change nothing (reference section 10). */
export const READ_ONLY_TOOLS = ['read', 'grep', 'find', 'ls'] as const;

/** The seven built-in tools in the order of {@link BUILTIN_TOOLS}; which of them are active is for the caller to say. */
export function createBuiltinTools(environment: ToolEnvironment): AnyTool[] {
  const { cwd, ripgrep = new RipgrepLocator(), shellPath, commandPrefix, spawnHook } = environment;
  return [
    createReadTool(cwd),
    createBashTool(cwd, { shellPath, commandPrefix, spawnHook }),
    createEditTool(cwd),
    createWriteTool(cwd),
    createGrepTool(cwd, { ripgrep }),
    createFindTool(cwd, { ripgrep }),
    createLsTool(cwd),
  ];
}
