import type { BashToolOptions } from './execute-bash';
import { STRICT_IF_POSSIBLE } from '../tool';
import { createShellTool, type ShellTool } from './shell-tool';

/** The `bash` tool. */
export function createBashTool(cwd: string, options: BashToolOptions = {}): ShellTool {
  const facts = { name: 'bash', shellName: 'bash', promptSnippet: 'Run shell commands' };
  return createShellTool({ ...facts, constrainedSampling: STRICT_IF_POSSIBLE }, cwd, options);
}
