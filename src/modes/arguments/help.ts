import { PI_VERSION } from '../../base/pi-version';
import type { RegisteredFlag } from '../../hook-contract/loaded-hook';
import { FLAGS, type Flag } from './flags';

const USAGE = `hookline: a coding agent that you control with small TypeScript files (hooks)

Usage:
  hookline -p [options] [@file...] "prompt"...   print the last answer and exit
  hookline --mode json [options] "prompt"...     print every event as one line of JSON and exit
  hookline --mode rpc [options]                  read commands as lines of JSON from stdin (pi's RPC protocol)
  hookline acp [options]                         serve an editor by the Agent Client Protocol on stdin and stdout
  hookline auth <command>                        check, print or renew credentials (hookline auth help)
  hookline install|remove <source> [-l]          install a package (npm:…, git:…, a path), or remove it
  hookline update|list|config                    update packages, list them, turn parts of them on and off (-h shows more)
  hookline mcp <command>                         add, remove, list and log in to MCP servers (hookline mcp help)
  hookline hooks <command>                       show, approve or reject changed hooks (hookline hooks help)
  hookline guard <command>                       guard Claude Code, Codex and others with your hooks (hookline guard help)
  hookline trust [--remove]                      trust this folder: its hooks, settings and resources are used; or forget it
  hookline doctor [--json]                       say what is found and missing on this machine and in this folder
  hookline writes [command]                      show or put back files whose writing was cut short (hookline writes help)
  hookline replay [options] <file>               send a recorded run to the hooks again and show which verdicts changed

Piped input is added before the first prompt. The flags are those of pi ${PI_VERSION}.
`;

const REST = `Options of replay (with --hook, --extension, --no-hooks and --verbose as above; <file> is an exported hook log, - is stdin):
  --alone                        Send each record to its own handler only, with the event that this handler got
  --json                         Print the whole comparison as one line of JSON

Exit codes: 0 done, 1 the run failed or could not start, the command line is wrong, or a replayed verdict changed,
129, 130 and 143 ended by a signal.

Environment: API keys as in pi (ANTHROPIC_API_KEY, OPENAI_API_KEY, ...); PI_CODING_AGENT_DIR names the folder of
settings.json, auth.json, models.json, hooks and sessions (default: ~/.pi/agent), PI_CODING_AGENT_SESSION_DIR
names the folder of the sessions only; PI_OFFLINE=1 is --offline. Without any key, the model "demo/offline" answers: it needs no network.
`;

const WIDTH = 30;

/** The output of `hookline --help` with the flags that hooks registered. */
export function helpText(ofHooks: readonly RegisteredFlag[] = []): string {
  const lines = [...FLAGS.map(flagLine), optionLine('--', 'Everything after it is a prompt or a file')];
  const hooks =
    ofHooks.length === 0
      ? ['Hooks may register further flags (pi.registerFlag).']
      : ['Flags of hooks:', ...ofHooks.map(hookFlagLine)];
  return [USAGE, 'Options:', ...lines, '', ...hooks, '', REST].join('\n');
}

function hookFlagLine({ name, type, description }: RegisteredFlag): string {
  return optionLine(`--${name}${type === 'string' ? ' <value>' : ''}`, description);
}

function flagLine(flag: Flag): string {
  const names = [...(flag.aliases ?? []).filter(alias => !alias.startsWith('--')), flag.name];
  const long = (flag.aliases ?? []).filter(alias => alias.startsWith('--'));
  const value = flag.takes === 'nothing' ? '' : ` ${flag.value}`;
  return optionLine(`${[...names, ...long].join(', ')}${value}`, flag.help);
}

function optionLine(option: string, help: string): string {
  return `  ${option.padEnd(WIDTH)} ${help}`;
}
