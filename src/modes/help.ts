/** What `hookline --help` prints. */
export const HELP = `hookline: a coding agent that you steer with small TypeScript files (hooks)

Usage:
  hookline -p [options] [@file...] "prompt"...   print the last answer and exit
  hookline --mode json [options] "prompt"...     print every event as one line of JSON and exit
  hookline --mode rpc [options]                  take commands as lines of JSON on stdin (pi's RPC protocol)
  hookline replay [options] <file>               send a recorded run to the hooks again and show which verdicts changed

What is piped into stdin is added to the first prompt.

Options:
  -p, --print                    Print the text of the last answer and exit
  --mode <text|json|rpc>         What goes to stdout (default: text)
  --model <name>                 Model: "provider/id", an id or a part of one; ":<level>" behind it sets the thinking
  --provider <name>              Provider of the model
  --thinking <level>             off, minimal, low, medium, high or xhigh
  --api-key <key>                Key for the provider of the model, for this run only
  -c, --continue                 Continue the latest session of this folder
  --session <file|id>            Continue this session; a file that does not exist is begun
  --session-dir <folder>         Folder of the session files
  --export <file|id> [out]       Write a session to a .html or .md file (default: pi-session-<name>.html) and exit
  --no-session                   Keep the session in memory only
  --hook <file>                  Load this hook (may be repeated; a folder means the hooks in it)
  -e, --extension <file>         The same for an extension
  --no-hooks, --no-extensions    Load only hooks that are named by --hook and --extension
  -t, --tools <names>            Offer only these tools, separated by commas
  --no-tools                     Offer no tools
  --system-prompt <text|file>    Replace the system prompt
  --append-system-prompt <text|file>   Add to the system prompt (may be repeated)
  --verbose                      Tell more on stderr
  -h, --help                     Show this
  -v, --version                  Show the version

Options of replay (with --hook, --extension, --no-hooks and --verbose as above; <file> is an exported hook log, - is stdin):
  --alone                        Give each record to its own handler alone, with what that handler got
  --json                         Print the whole comparison as one line of JSON

Hooks may register further flags (pi.registerFlag).

Exit codes: 0 done, 1 the run failed or a replayed verdict changed, 2 wrong command line, 130 and 143 ended by a signal.

Environment: API keys as in pi (ANTHROPIC_API_KEY, OPENAI_API_KEY, ...); PI_CODING_AGENT_DIR names the folder of
settings.json, auth.json, models.json, hooks and sessions (default: ~/.pi/agent). Without any key, the model
"demo/offline" answers: it needs no network.
`;
