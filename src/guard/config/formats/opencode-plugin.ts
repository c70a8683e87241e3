import type { GuardEntry, GuardFormat } from './guard-format';
import { ownFileFormat, OWN_FILE_MARK } from './own-file-format';

/**
 * A plugin of opencode or of a program made from it: it runs in the agent's process and starts the client for each event. `name`:
 * the agent's, as users know it. The `group` of an entry has its `command`.
 */
export function openCodePlugin(name: string): GuardFormat {
  return ownFileFormat(entries => `${headOf(name)}${commandsOf(entries)}${BODY}`);
}

function headOf(name: string): string {
  return `// ${OWN_FILE_MARK}: ${name} loads this file, so that hooks of Hookline guard it. "hookline guard remove" takes it away.
import { spawn } from 'node:child_process';

`;
}

function commandsOf(entries: readonly GuardEntry[]): string {
  const commands = Object.fromEntries(entries.map(({ event, group }) => [event, group['command']]));
  return `/** The program that gets an event on stdin, and prints what hooks decide. */
const COMMANDS = ${JSON.stringify(commands, null, 2)};
`;
}

/** Nothing in it may be particular to one version of Hookline: an update then leaves the file as it is. */
const BODY = `
/** What hooks decide about an event; without members they decide nothing. Throws without a clear answer. */
function ask(name, payload, limit) {
  return new Promise((resolve, reject) => {
    const fail = why =>
      reject(new Error(\`Hookline could not check this, because \${why}. Run 'hookline guard status' in a terminal to see what to do.\`));
    const client = spawn(COMMANDS[name], { shell: true, windowsHide: true, stdio: ['pipe', 'pipe', 'ignore'], timeout: limit });
    let text = '';
    client.stdout.setEncoding('utf8').on('data', part => (text += part));
    client.stdin.on('error', () => {}); // The exit code tells.
    client.on('error', () => fail('its client could not be started'));
    client.on('close', code => {
      if (code !== 0) return fail('its client failed');
      if (text.trim() === '') return resolve({});
      try {
        const { decision, reason, hookSpecificOutput } = JSON.parse(text);
        if (decision !== undefined) return resolve({ denied: String(reason) });
        const { hookEventName, permissionDecision, permissionDecisionReason, ...rest } = hookSpecificOutput;
        if (hookEventName !== name) return fail('the answer of its client is for another event');
        resolve(permissionDecision === undefined ? rest : { denied: String(permissionDecisionReason) });
      } catch {
        fail('the answer of its client cannot be read');
      }
    });
    client.stdin.end(JSON.stringify({ hook_event_name: name, ...payload }));
  });
}

/** The same; a refusal is thrown, too. */
async function decide(name, payload) {
  const { denied, ...rest } = await ask(name, payload);
  if (denied !== undefined) throw new Error(denied);
  return rest;
}

/** Nobody changes a call after it was checked: a plugin that tries gets an error, and the call is not run. */
function frozen(value) {
  if (typeof value !== 'object' || value === null) return;
  Object.values(value).forEach(frozen);
  Object.freeze(value);
}

/** Models may give two sessions equal ids of calls. */
function keyOf({ sessionID, callID }) {
  return \`\${sessionID} \${callID}\`;
}

/** Tools of MCP servers have a list of parts as result, all others a text. */
function resultOf(output) {
  return Array.isArray(output.content) ? output.content : output.output;
}

function replaceResult(output, text) {
  if (Array.isArray(output.content)) {
    output.content = [{ type: 'text', text }];
    delete output.structuredContent;
  } else {
    Object.assign(output, { output: text, metadata: {} });
    delete output.attachments;
  }
}

function addToResult(output, text) {
  if (Array.isArray(output.content)) output.content = [...output.content, { type: 'text', text }];
  else output.output = [output.output, text].filter(Boolean).join('\\n\\n');
}

function addToMessage(parts, text) {
  const last = parts.at(-1);
  if (text !== undefined && last !== undefined) {
    const { messageID, sessionID } = last;
    parts.push({ id: \`\${last.id}h\`, messageID, sessionID, type: 'text', text, synthetic: true });
  }
}

export const Hookline = async ({ client, directory }) => {
  let servers = [];
  /** Sessions of subagents: the session they belong to, and their type. */
  const children = new Map();
  /** Sessions that were made in this process, that have begun, and that work. */
  const made = new Set();
  const begun = new Set();
  const working = new Set();
  /** Calls that run. */
  const running = new Map();
  /** Events that are being told, and that the agent does not wait for. */
  const telling = new Set();

  const base = sessionID => {
    const child = children.get(sessionID);
    const subagent = child === undefined ? {} : { agent_id: sessionID, agent_type: child.type };
    return { session_id: child?.root ?? sessionID, cwd: directory, ...subagent };
  };
  const callOf = ({ tool, sessionID, callID }, args) => {
    return { ...base(sessionID), tool_name: tool, tool_input: args, tool_use_id: callID, mcp_servers: servers };
  };
  const tell = (name, payload, limit) => {
    const told = ask(name, payload, limit).then(
      () => telling.delete(told),
      () => telling.delete(told),
    );
    telling.add(told);
  };
  const show = message => {
    const body = { title: 'Hookline', message, variant: 'error' };
    Promise.resolve()
      .then(() => client.tui.showToast({ body }))
      .catch(() => {}); // Nobody is there.
  };
  const begin = async (name, payload) => (await ask(name, payload).catch(() => ({}))).additionalContext;

  const onEvent = {
    'session.created'({ info: { id, parentID, agent } }) {
      if (parentID) children.set(id, { root: children.get(parentID)?.root ?? parentID, type: agent });
      else made.add(id);
    },
    'session.idle'({ sessionID }) {
      if (working.delete(sessionID)) tell(children.has(sessionID) ? 'SubagentStop' : 'Stop', base(sessionID));
    },
    'session.compacted'({ sessionID }) {
      tell('PostCompact', base(sessionID));
    },
    'message.part.updated'({ part }) {
      const { state } = part;
      const call = state?.status === 'error' ? running.get(keyOf(part)) : undefined;
      if (call === undefined) return;
      running.delete(keyOf(part));
      tell('PostToolUseFailure', { ...call, error: state.error });
    },
  };

  return {
    config(config) {
      servers = Object.keys(config.mcp ?? {});
    },
    event: async ({ event }) => onEvent[event.type]?.(event.properties),
    'chat.message': async ({ sessionID }, { parts }) => {
      working.add(sessionID);
      try {
        const started = base(sessionID);
        if (children.has(sessionID)) {
          addToMessage(parts, await begin('SubagentStart', started));
          return;
        }
        const prompt = parts.flatMap(part => (part.type === 'text' && !part.synthetic ? [part.text] : [])).join('\\n');
        if (!begun.has(sessionID)) {
          begun.add(sessionID);
          const source = made.has(sessionID) ? 'startup' : 'resume';
          addToMessage(parts, await begin('SessionStart', { ...started, source }));
        }
        addToMessage(parts, (await decide('UserPromptSubmit', { ...started, prompt })).additionalContext);
      } catch (error) {
        show(error.message);
        throw error;
      }
    },
    'tool.execute.before': async (input, { args }) => {
      const { updatedInput } = await decide('PreToolUse', callOf(input, args));
      if (updatedInput !== undefined) {
        for (const name of Object.keys(args)) delete args[name];
        Object.assign(args, updatedInput);
      }
      frozen(args);
      running.set(keyOf(input), callOf(input, args));
    },
    'tool.execute.after': async (input, output) => {
      running.delete(keyOf(input));
      const result = { ...callOf(input, input.args), tool_response: resultOf(output) };
      const { updatedToolOutput, additionalContext } = await decide('PostToolUse', result);
      if (updatedToolOutput !== undefined) replaceResult(output, updatedToolOutput);
      if (additionalContext !== undefined) addToResult(output, additionalContext);
    },
    'experimental.session.compacting': async ({ sessionID }) => {
      const { denied } = await ask('PreCompact', base(sessionID)).catch(() => ({}));
      if (denied !== undefined) throw new Error(denied);
    },
    dispose: async () => {
      for (const session of begun) tell('SessionEnd', { ...base(session), reason: 'exit' }, 3000);
      await Promise.race([Promise.all(telling), new Promise(resolve => setTimeout(resolve, 5000))]);
    },
  };
};
`;
