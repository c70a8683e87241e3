import {
  replaceInput,
  ShellRunner,
  toolMembers,
  type ShellContext,
  type ShellHookOptions,
  type ShellPi,
} from './adapter';
import type { ShellHook } from './shell-hook';
import { isRecord } from '../../base/json/is-record';

type Event = Readonly<Record<string, unknown>>;

/** How often in a row shell hooks can continue a run that is about to end. */
const MOST_CONTINUATIONS = 8;

/**
 * Runs the shell hooks of Claude Code and of `.github/hooks` as one hook of pi. The default export of a hook file calls
 * this. It listens only to the events that the settings name.
 */
export function runShellHooks(pi: ShellPi, options: ShellHookOptions): void {
  const runner = new ShellRunner(pi, options);
  const notes = new Notes();
  if (runner.has('PreToolUse')) listenToCalls(pi, runner, notes);
  if (runner.has('PreToolUse', 'PostToolUse')) listenToResults(pi, runner, notes);
  if (runner.has('UserPromptSubmit')) listenToPrompts(pi, runner, notes);
  if (runner.has('SessionStart', 'SessionEnd')) listenToSessions(pi, runner, notes);
  if (runner.has('UserPromptSubmit', 'SessionStart')) {
    pi.on('before_agent_start', (_event, ctx) => {
      const content = notes.takeForPrompt(sessionOf(ctx));
      return content === '' ? undefined : { message: { customType: 'shell-hooks', content, display: false } };
    });
  }
  if (runner.has('PreCompact')) listenToCompactions(pi, runner);
  if (runner.has('Stop', 'Notification', 'ErrorOccurred')) listenToEnds(pi, runner);
}

/** Texts for the model that wait for the next prompt or result, by session, since one load serves all conversations. */
class Notes {
  private readonly texts = new Map<string, string[]>();

  addForPrompt(session: string, texts: readonly (string | undefined)[]): void {
    this.add(JSON.stringify([session]), texts);
  }

  takeForPrompt(session: string): string {
    return this.take(JSON.stringify([session])).join('\n\n');
  }

  addForCall(session: string, id: unknown, texts: readonly (string | undefined)[]): void {
    this.add(JSON.stringify([session, id]), texts);
  }

  takeForCall(session: string, id: unknown): readonly string[] {
    return this.take(JSON.stringify([session, id]));
  }

  private add(key: string, texts: readonly (string | undefined)[]): void {
    const added = texts.filter(text => text !== undefined);
    if (added.length > 0) this.texts.set(key, [...(this.texts.get(key) ?? []), ...added]);
  }

  private take(key: string): readonly string[] {
    const texts = this.texts.get(key) ?? [];
    this.texts.delete(key);
    return texts;
  }
}

/** The id of the session. Call this before a command runs, since the user may switch the session meanwhile. */
function sessionOf(ctx: ShellContext): string {
  return ctx.sessionManager.getSessionId();
}

function listenToCalls(pi: ShellPi, runner: ShellRunner, notes: Notes): void {
  pi.on('tool_call', async (event, ctx) => {
    const toolName = String(event['toolName']);
    // This is the object that the tool gets, so changes take effect.
    const input = event['input'] as Record<string, unknown>;
    const contexts: (string | undefined)[] = [];
    const session = sessionOf(ctx);
    for (const hook of runner.forTool('PreToolUse', toolName)) {
      const verdict = await runner.askGate(hook, toolMembers(hook, event, input, ctx.cwd), ctx);
      if (verdict.stop !== undefined) return { block: true, reason: verdict.stop };
      if (verdict.decision === 'deny') return { block: true, reason: verdict.reason || `Blocked by ${hook.command}` };
      if (verdict.decision === 'ask') {
        const refusal = await askUser(runner, hook, { verdict: verdict.reason, toolName, input }, ctx);
        if (refusal !== undefined) return { block: true, reason: refusal };
      }
      replaceInput(input, toolName, { ...verdict, hook });
      contexts.push(verdict.context);
    }
    notes.addForCall(session, event['toolCallId'], contexts);
    return undefined;
  });
}

/** Asks the user about a call; returns undefined when the user approves it, or else the reason of the block. */
async function askUser(
  runner: ShellRunner,
  hook: ShellHook,
  call: { readonly verdict: string; readonly toolName: string; readonly input: Event },
  ctx: ShellContext,
): Promise<string | undefined> {
  const why = call.verdict || `${hook.command} asks for approval.`;
  if (!ctx.hasUI) return `${why} Nobody can be asked.`;
  const message = `A shell hook asks about ${call.toolName}`;
  await runner.runHooks(notification('permission_prompt', message), ctx);
  const yes = await ctx.ui.confirm(`${message}: ${why}`, JSON.stringify(call.input, null, 2));
  return yes ? undefined : `The user said no. ${why}`;
}

function notification(type: string, message: string): Parameters<ShellRunner['runHooks']>[0] {
  const members = { message, notification_type: type };
  return { event: 'Notification', subjects: [type], claude: members, github: members };
}

function listenToResults(pi: ShellPi, runner: ShellRunner, notes: Notes): void {
  pi.on('tool_result', async (event, ctx) => {
    const toolName = String(event['toolName']);
    const input = event['input'] as Event;
    const added = [...notes.takeForCall(sessionOf(ctx), event['toolCallId'])];
    const failed = event['isError'] === true;
    for (const hook of runner.forTool('PostToolUse', toolName)) {
      // Claude Code only reports calls that succeeded; GitHub's hooks get the result of each call.
      if (failed && hook.naming === 'claude') continue;
      const text = contentText(event['content']);
      const response =
        hook.naming === 'github'
          ? { toolResult: { resultType: failed ? 'failure' : 'success', textResultForLlm: text } }
          : { tool_response: { content: text, success: true, details: event['details'] } };
      const members = { ...toolMembers(hook, event, input, ctx.cwd), ...response };
      const data = { event: 'PostToolUse', subjects: undefined, claude: members, github: members } as const;
      for (const verdict of await runner.runHook(hook, data, ctx)) {
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
    const contexts: (string | undefined)[] = [];
    const session = sessionOf(ctx);
    for (const hook of runner.hooks.filter(({ event: name }) => name === 'UserPromptSubmit')) {
      const verdict = await runner.askGate(hook, { prompt }, ctx);
      if (verdict.decision === 'deny' || verdict.stop !== undefined) {
        ctx.ui.notify(`The prompt was not sent: ${verdict.stop ?? verdict.reason}`, 'warning');
        return { action: 'handled' };
      }
      contexts.push(verdict.context);
    }
    // Added only now, because texts about a prompt that is not sent must not go into the next prompt.
    notes.addForPrompt(session, contexts);
    return undefined;
  });
}

/**
 * Claude Code's words for our reasons of a start. `reload` is missing, because a reload is not a start for shell hooks.
 */
const SOURCES: Readonly<Record<string, string>> = {
  startup: 'startup',
  resume: 'resume',
  fork: 'resume',
  new: 'clear',
};

function listenToSessions(pi: ShellPi, runner: ShellRunner, notes: Notes): void {
  pi.on('session_start', async (event, ctx) => {
    const source = SOURCES[String(event['reason'])];
    if (source === undefined) return;
    const session = sessionOf(ctx);
    const github = { source: source === 'clear' ? 'new' : source };
    const given = await runner.runHooks({ event: 'SessionStart', subjects: [source], claude: { source }, github }, ctx);
    notes.addForPrompt(
      session,
      given.map(({ context }) => context),
    );
  });
  pi.on('session_shutdown', async (event, ctx) => {
    if (event['reason'] === 'reload') return;
    const reason = event['reason'] === 'new' ? 'clear' : 'other';
    const github = { reason: reason === 'clear' ? 'complete' : 'user_exit' };
    await runner.runHooks({ event: 'SessionEnd', subjects: [reason], claude: { reason }, github }, ctx);
  });
}

function listenToCompactions(pi: ShellPi, runner: ShellRunner): void {
  const automatic = new Set<string>();
  pi.on('auto_compaction_start', (_event, ctx) => {
    automatic.add(sessionOf(ctx));
  });
  pi.on('auto_compaction_end', (_event, ctx) => {
    automatic.delete(sessionOf(ctx));
  });
  pi.on('session_before_compact', async (event, ctx) => {
    const trigger = automatic.has(sessionOf(ctx)) ? 'auto' : 'manual';
    const members = { trigger, custom_instructions: event['customInstructions'] ?? '' };
    const given = await runner.runHooks(
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
  const continuations = new Map<string, number>();
  pi.on('agent_end', async (event, ctx) => {
    const session = sessionOf(ctx);
    const continued = continuations.get(session) ?? 0;
    const last = lastAnswer(event['messages']);
    if (last?.['stopReason'] === 'error') {
      const message = last['errorMessage'];
      const error = { message: typeof message === 'string' ? message : '', name: 'Error' };
      await runner.runHooks({ event: 'ErrorOccurred', subjects: undefined, claude: { error }, github: { error } }, ctx);
    }
    if (last?.['stopReason'] === 'stop') {
      const members = { stop_hook_active: continued > 0 };
      const given = await runner.runHooks(
        { event: 'Stop', subjects: undefined, claude: members, github: members },
        ctx,
      );
      const no = given.find(({ decision, stop }) => decision === 'deny' && stop === undefined);
      if (no !== undefined && continued < MOST_CONTINUATIONS) {
        continuations.set(session, continued + 1);
        pi.sendUserMessage(no.reason, { deliverAs: 'followUp' });
        return;
      }
      if (no !== undefined) {
        ctx.ui.notify(`The run ended, although a shell hook wanted it to continue: ${no.reason}`, 'warning');
      }
    }
    continuations.delete(session);
    await runner.runHooks(notification('idle_prompt', 'The agent waits for your input'), ctx);
  });
}

function lastAnswer(messages: unknown): Event | undefined {
  if (!Array.isArray(messages)) return undefined;
  return (messages as readonly unknown[]).filter(isRecord).findLast(message => message['role'] === 'assistant');
}

function contentText(content: unknown): string {
  if (!Array.isArray(content)) return '';
  return (content as readonly unknown[])
    .filter(isRecord)
    .map(part => (part['type'] === 'text' ? String(part['text']) : ''))
    .join('\n');
}
