import { blockCommands } from './block-commands';
import { compaction } from './compaction';
import { customTool } from './custom-tool';
import { empty } from './empty';
import { injectContext } from './inject-context';
import { permissionGate } from './permission-gate';
import { protectedPaths } from './protected-paths';
import { redactResults } from './redact-results';
import { slashCommand } from './slash-command';
import { statusLine } from './status-line';
import type { HookTemplate } from './template';

/** The templates that "Hookline: New Hook…" offers, in this order. */
export const TEMPLATES: readonly HookTemplate[] = [
  permissionGate,
  blockCommands,
  protectedPaths,
  redactResults,
  slashCommand,
  injectContext,
  compaction,
  customTool,
  statusLine,
  empty,
];

export { NEWEST_FIRST, shapeOf } from './dialect-shape';
export { hookNameProblem, freeHookName } from './hook-name';
export { writeHook, type HookTemplate, type NewHook } from './template';
