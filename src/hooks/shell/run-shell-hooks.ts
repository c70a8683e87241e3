import {
  replaceInput,
  ShellRunner,
  toolMembers,
  type ShellContext,
  type ShellHookOptions,
  type ShellPi,
} from './adapter';
import { isMembers } from './read-settings';
import type { ShellHook } from './shell-hook';

type Event = Readonly<Record<string, unknown>>;

/** A run that shell hooks keep from ending goes on at most so often in a row. */
const MOST_CONTINUATIONS = 8;

/**
 * Lets the shell hooks of Claude Code and of `.github/hooks` take part, as one hook of pi. To be called by the default
 * export of a hook's file; only the events that the settings name are listened to.
 */
export function runShellHooks(pi: ShellPi, options: ShellHookOptions): void {
  const runner = new ShellRunner(pi, options);
  const notes = new Notes();
  if (runner.has('PreToolUse')) listenToCalls(pi, runner, notes);
  if (runner.has('PreToolUse', 'PostToolUse')) listenToResults(pi, runner, notes);
  if (runner.has('UserPromptSubmit')) listenToPrompts(pi, runner, notes);
  if (runner.has('SessionStart', 'SessionEnd')) listenToSessions(pi, runner, notes);
  if (runner.has('UserPromptSubmit', 'SessionStart')) {
    pi.on('before_agent_start', () => {
      const content = notes.takeForPrompt();
      return content === '' ? undefined : { message: { customType: 'shell-hooks', content, display: false } };
    });
  }
  if (runner.has('PreCompact')) listenToCompactions(pi, runner);
  if (runner.has('Stop', 'Notification', 'ErrorOccurred')) listenToEnds(pi, runner);
}

/** Texts for the model that wait for the place where they can be said. */
class Notes {
  private forPrompt: string[] = [];
  private readonly forCalls = new Map<string, string[]>();

  addForPrompt(text: string | undefined): void {
    if (text !== undefined) this.forPrompt.push(text);
  }

  takeForPrompt(): string {
    const text = this.forPrompt.join('\n\n');
    this.forPrompt = [];
    return text;
  }

  addForCall(id: unknown, text: string | undefined): void {
    if (text === undefined) return;
    this.forCalls.set(String(id), [...(this.forCalls.get(String(id)) ?? []), text]);
  }

  takeForCall(id: unknown): readonly string[] {
    const texts = this.forCalls.get(String(id)) ?? [];
    this.forCalls.delete(String(id));
    return texts;
  }
}

function listenToCalls(pi: ShellPi, runner: ShellRunner, notes: Notes): void {
  pi.on('tool_call', async (event, ctx) => {
    const toolName = String(event['toolName']);
    // The very object that the tool gets.
    const input = event['input'] as Record<string, unknown>;
    for (const hook of runner.forTool('PreToolUse', toolName)) {
      const verdict = await runner.askGate(hook, toolMembers(hook, event, input, ctx.cwd), ctx);
      if (verdict.stop !== undefined) return { block: true, reason: verdict.stop };
      if (verdict.decision === 'deny') return { block: true, reason: verdict.reason || `Blocked by ${hook.command}` };
      if (verdict.decision === 'ask') {
        const refusal = await askPerson(runner, hook, { verdict: verdict.reason, toolName, input }, ctx);
        if (refusal !== undefined) return { block: true, reason: refusal };
      }
      replaceInput(input, toolName, { ...verdict, hook });
      notes.addForCall(event['toolCallId'], verdict.context);
    }
    return undefined;
  });
}

/** Undefined when the person says yes. */
async function askPerson(
  runner: ShellRunner,
  hook: ShellHook,
  call: { readonly verdict: string; readonly toolName: string; readonly input: Event },
  ctx: ShellContext,
): Promise<string | undefined> {
  const why = call.verdict || `${hook.command} wants to know.`;
  if (!ctx.hasUI) return `${why} Nobody can be asked.`;
  const message = `A shell hook asks about ${call.toolName}`;
  await runner.tell(notification('permission_prompt', message), ctx);
  const yes = await ctx.ui.confirm(`${message}: ${why}`, JSON.stringify(call.input, null, 2));
  return yes ? undefined : `The user said no. ${why}`;
}

function notification(type: string, message: string): Parameters<ShellRunner['tell']>[0] {
  const members = { message, notification_type: type };
  return { event: 'Notification', subjects: [type], claude: members, github: members };
}

function listenToResults(pi: ShellPi, runner: ShellRunner, notes: Notes): void {
  pi.on('tool_result', async (event, ctx) => {
    const toolName = String(event['toolName']);
    const input = event['input'] as Event;
    const added = [...notes.takeForCall(event['toolCallId'])];
    const failed = event['isError'] === true;
    for (const hook of runner.forTool('PostToolUse', toolName)) {
      // Claude Code tells of calls that succeeded; GitHub's hooks are told how a call ended.
      if (failed && hook.naming === 'claude') continue;
      const text = textOf(event['content']);
      const response =
        hook.naming === 'github'
          ? { toolResult: { resultType: failed ? 'failure' : 'success', textResultForLlm: text } }
          : { tool_response: { content: text, success: true, details: event['details'] } };
      const members = { ...toolMembers(hook, event, input, ctx.cwd), ...response };
      const told = { event: 'PostToolUse', subjects: undefined, claude: members, github: members } as const;
      for (const verdict of await runner.tellOne(hook, told, ctx)) {
        if (verdict.decision === 'deny') added.push(verdict.reason);
        if (verdict.context !== undefined) added.push(verdict.context);
      }
    }
    if (added.length === 0) return undefined;
    const content = Array.isArray(event['content']) ? (event['content'] as readonly unknown[]) : [];
    return { content: [...content, ...added.map(text => ({ type: 'text', text }))] };
  });
}

function listenToPrompts(pi: ShellPi, runner: ShellRunner, notes: Notes): void {
  pi.on('input', async (event, ctx) => {
    if (event['source'] === 'extension') return undefined;
    const prompt = String(event['text']);
    for (const hook of runner.hooks.filter(({ event: name }) => name === 'UserPromptSubmit')) {
      const verdict = await runner.askGate(hook, { prompt }, ctx);
      if (verdict.decision === 'deny' || verdict.stop !== undefined) {
        ctx.ui.notify(`The prompt was not sent: ${verdict.stop ?? verdict.reason}`, 'warning');
        return { action: 'handled' };
      }
      notes.addForPrompt(verdict.context);
    }
    return undefined;
  });
}

/** Our reasons of a start, in Claude Code's words; a reload of the hook is no start for them. */
const SOURCES: Readonly<Record<string, string>> = {
  startup: 'startup',
  switch: 'resume',
  fork: 'resume',
  new: 'clear',
};

function listenToSessions(pi: ShellPi, runner: ShellRunner, notes: Notes): void {
  pi.on('session_start', async (event, ctx) => {
    const source = SOURCES[String(event['reason'])];
    if (source === undefined) return;
    const github = { source: source === 'clear' ? 'new' : source };
    const given = await runner.tell({ event: 'SessionStart', subjects: [source], claude: { source }, github }, ctx);
    for (const { context } of given) notes.addForPrompt(context);
  });
  const ended = async (reason: string, ctx: ShellContext): Promise<void> => {
    const github = { reason: reason === 'clear' ? 'complete' : 'user_exit' };
    await runner.tell({ event: 'SessionEnd', subjects: [reason], claude: { reason }, github }, ctx);
  };
  pi.on('session_switch', (event, ctx) => ended(event['reason'] === 'new' ? 'clear' : 'other', ctx));
  pi.on('session_shutdown', (event, ctx) => (event['reason'] === 'reload' ? undefined : ended('other', ctx)));
}

function listenToCompactions(pi: ShellPi, runner: ShellRunner): void {
  let isAutomatic = false;
  pi.on('auto_compaction_start', () => {
    isAutomatic = true;
  });
  pi.on('auto_compaction_end', () => {
    isAutomatic = false;
  });
  pi.on('session_before_compact', async (event, ctx) => {
    const trigger = isAutomatic ? 'auto' : 'manual';
    const members = { trigger, custom_instructions: event['customInstructions'] ?? '' };
    const given = await runner.tell(
      { event: 'PreCompact', subjects: [trigger], claude: members, github: members },
      ctx,
    );
    const no = given.find(({ decision }) => decision === 'deny');
    if (no === undefined) return undefined;
    ctx.ui.notify(`Not compacted: ${no.reason}`, 'warning');
    return { cancel: true };
  });
}

function listenToEnds(pi: ShellPi, runner: ShellRunner): void {
  let continued = 0;
  pi.on('agent_end', async (event, ctx) => {
    const last = lastAnswer(event['messages']);
    if (last?.['stopReason'] === 'error') {
      const said = last['errorMessage'];
      const error = { message: typeof said === 'string' ? said : '', name: 'Error' };
      await runner.tell({ event: 'ErrorOccurred', subjects: undefined, claude: { error }, github: { error } }, ctx);
    }
    if (last?.['stopReason'] === 'stop') {
      const members = { stop_hook_active: continued > 0 };
      const given = await runner.tell({ event: 'Stop', subjects: undefined, claude: members, github: members }, ctx);
      const no = given.find(({ decision, stop }) => decision === 'deny' && stop === undefined);
      if (no !== undefined && continued < MOST_CONTINUATIONS) {
        continued += 1;
        pi.sendUserMessage(no.reason, { deliverAs: 'followUp' });
        return;
      }
      if (no !== undefined) ctx.ui.notify(`The run ended although a shell hook wanted more: ${no.reason}`, 'warning');
    }
    continued = 0;
    await runner.tell(notification('idle_prompt', 'The agent waits for your input'), ctx);
  });
}

function lastAnswer(messages: unknown): Event | undefined {
  if (!Array.isArray(messages)) return undefined;
  return (messages as readonly unknown[]).filter(isMembers).findLast(message => message['role'] === 'assistant');
}

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return '';
  return (content as readonly unknown[])
    .filter(isMembers)
    .map(part => (part['type'] === 'text' ? String(part['text']) : ''))
    .join('\n');
}
