import type { BashToolOptions } from './execute-bash';
import { createShellTool, type ShellTool } from './shell-tool';

/** The `bash` tool. */
export function createBashTool(cwd: string, options: BashToolOptions = {}): ShellTool {
  const facts = { name: 'bash', shellName: 'bash', promptSnippet: 'Run shell commands' };
  return createShellTool(facts, cwd, options);
}
