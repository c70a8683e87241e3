import { SHELL_HOOKS } from './shell-hook';

/** The start of each adapter file; a file that starts with it may be overwritten. */
export const ADAPTER_MARK = '// Made by "Hookline: Import Shell Hooks".';

/** What an adapter file contains. */
export interface AdapterContent {
  readonly onFailure: 'block' | 'allow';
  /** The settings files: how the adapter imports each, and its name for the user. */
  readonly sources: readonly { readonly specifier: string; readonly name: string }[];
}

/**
 * The text of the hook that runs shell hooks. It imports the settings files, so that saving one of them reloads the
 * hook, and so that a change by the agent waits for the user's approval.
 */
export function adapterText({ onFailure, sources }: AdapterContent): string {
  const names = sources.map((_source, index) => `settings${index === 0 ? '' : index + 1}`);
  const imports = sources.map(({ specifier }, index) => `import ${names[index] ?? ''} from '${quoted(specifier)}';`);
  const listed = sources.map(({ name }, index) => `      { file: '${quoted(name)}', content: ${names[index] ?? ''} },`);
  return `${ADAPTER_MARK} You can change this file. Running that command again overwrites it.
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';
import { runShellHooks } from '${SHELL_HOOKS}';
${imports.join('\n')}

/**
 * Runs the shell hooks of the files above: 'tool_call' runs PreToolUse, 'tool_result' runs PostToolUse, and so on.
 * Saving one of the files reloads this hook. The Problems view lists what each file asks for and Hookline does not support.
 */
export default function shellHooks(pi: ExtensionAPI) {
  runShellHooks(pi, {
    // What happens to a call when its gate crashes, is late, or gives no readable answer: 'block' or 'allow'.
    onFailure: '${onFailure}',
    sources: [
${listed.join('\n')}
    ],
  });
}
`;
}

function quoted(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
}
