import { randomUUID } from 'node:crypto';
import { StringDecoder } from 'node:string_decoder';
import { stripVTControlCharacters } from 'node:util';
import type { BashExecutionMessage } from '../../agent/messages';
import type { SessionStore } from '../../agent/session/store';
import { BashOutput, withoutControls } from '../../agent/tools/shell/bash-output';
import {
  callBashOperations,
  createLocalBashOperations,
  type BashOperations,
} from '../../agent/tools/shell/bash-operations';
import { defined } from '../../base/defined';
import { unfinishedSequence } from '../../base/text/terminal-strings';
import { withTimeout } from '../../base/async/wait';
import { messageOf } from '../../base/errors';
import type { HookConversation } from '../../hook-contract/conversation-port';
import { SWAP_TAKES_LONG } from '../../hook-run/dispatch/runner';
import type { BashOutcome } from '../../hook-contract/hook-event';
import type { SessionEvents, UserShell, UserShellChange } from '../ports/session-events';
import type { ConversationPorts } from '../ports/ports';
import type { RunControl } from '../run/run-control';
import type { SessionState } from '../state/session-state';
import type { SessionWriting } from '../run/session-writing';
import { refuseUnrecordable } from '../state/refusal';

interface UserBashParts {
  readonly ports: ConversationPorts;
  readonly state: SessionState;
  readonly events: SessionEvents;
  readonly conversation: HookConversation;
  readonly control: RunControl;
  readonly writing: SessionWriting;
  /** Fires when the user presses stop. */
  readonly signal: AbortSignal;
  readonly onOutput?: OutputListener;
}

type OutputListener = (text: string) => Promise<void> | undefined;

/** A hook that guards commands failed, so the command was not run. The message is the hook's. */
export class CommandNotRun extends Error {
  override readonly name = 'CommandNotRun';
}

/** The commands that the user runs in one conversation (`!command`). */
export class UserShells {
  private readonly running = new Set<AbortController>();
  private readonly recording = new Set<Promise<unknown>>();

  /** `waitMs`: how long {@link recorded} waits for commands that were stopped. */
  constructor(
    private readonly parts: Omit<UserBashParts, 'signal' | 'onOutput'>,
    private readonly waitMs: number,
  ) {
    parts.control.onWillStop(() => this.abort());
  }

  /**
   * Runs a command and resolves with its outcome, or rejects with {@link CommandNotRun}; `recorded` settles when it is
   * in the session, which happens once the agent is idle. `hidden` hides it from the model. `onOutput` gets all output
   * of the command; the command waits for the promise that it returns.
   */
  async run(
    command: string,
    hidden: boolean,
    onOutput?: OutputListener,
  ): Promise<{ readonly outcome: BashOutcome; readonly recorded: Promise<void> }> {
    const abort = new AbortController();
    this.running.add(abort);
    const running = runUserBash(command, hidden, {
      ...this.parts,
      signal: abort.signal,
      ...defined({ onOutput }),
    });
    const recorded = running.then(run => run.recorded).catch(() => undefined); // The caller gets the error.
    this.recording.add(recorded);
    void recorded.then(() => this.recording.delete(recorded));
    try {
      return await running;
    } finally {
      this.running.delete(abort);
    }
  }

  get isRunning(): boolean {
    return this.running.size > 0;
  }

  /** Ends all commands; each keeps its output so far. */
  abort(): void {
    for (const shell of this.running) shell.abort();
  }

  /** Resolves when all outcomes are in the session, or when the time is over. */
  async recorded(): Promise<void> {
    await withTimeout(Promise.all(this.recording), this.waitMs, () => undefined);
  }
}

/**
 * Runs `!command` of a user (`hidden`: `!!`, kept from the model). `user_bash` handlers may answer it or run it
 * elsewhere. The outcome is added to the session when the agent is idle; `recorded` settles then.
 */
async function runUserBash(
  command: string,
  hidden: boolean,
  parts: UserBashParts,
): Promise<{ readonly outcome: BashOutcome; readonly recorded: Promise<void> }> {
  const shell = { id: randomUUID(), command, hidden };
  const tell = (change: UserShellChange): void => parts.events.fire({ type: 'shell', shell, change });
  tell({ type: 'running' });
  const { store } = parts.state;
  let outcome: BashOutcome;
  try {
    outcome = await runIt(shell, tell, parts);
  } catch (error) {
    tell({ type: 'refused' });
    throw error;
  }
  tell({ type: 'over', outcome });
  return { outcome, recorded: record(command, hidden, outcome, store, parts) };
}

async function record(
  command: string,
  hidden: boolean,
  outcome: BashOutcome,
  store: SessionStore,
  { control, state, writing }: UserBashParts,
): Promise<void> {
  const message: BashExecutionMessage = {
    role: 'bashExecution',
    command,
    ...outcome,
    exitCode: outcome.exitCode,
    ...(hidden ? { excludeFromContext: true } : {}),
    timestamp: Date.now(),
  };
  // No other message may be between an answer's tool calls and their results.
  await control.waitForIdle();
  if (state.store === store) {
    control.agent.append(message);
    writing.write(message);
  } else {
    store.appendMessage(message); // The session switch did not wait for it, but the outcome is in its own session.
  }
}

async function runIt(
  { command, hidden }: UserShell,
  tell: (change: UserShellChange) => void,
  parts: UserBashParts,
): Promise<BashOutcome> {
  const { ports, conversation } = parts;
  const { cwd, hooks } = ports;
  await refuseUnrecordable(parts.state);
  const isInPlace = await hooks.runner.whenSwapped(parts.signal);
  if (!isInPlace && !parts.signal.aborted) throw new CommandNotRun(SWAP_TAKES_LONG);
  const answer = hooks.runner.hasHandlers('user_bash')
    ? await hooks.runner.emit({ type: 'user_bash', command, excludeFromContext: hidden, cwd }, conversation, {
        signal: parts.signal,
      })
    : undefined;
  if (parts.signal.aborted) return { output: '', exitCode: undefined, cancelled: true, truncated: false };
  if (answer?.refused !== undefined) throw new CommandNotRun(answer.refused);
  if (answer?.result !== undefined) return answer.result;
  await refuseUnrecordable(parts.state);
  const { shellPath, shellCommandPrefix } = ports.settings.current;
  const line = shellCommandPrefix === undefined ? command : `${shellCommandPrefix}\n${command}`;
  const operations =
    (answer?.operations as BashOperations | undefined) ?? createLocalBashOperations({ shellPath }, ports.variables);
  return execute(operations, line, tell, parts);
}

async function execute(
  operations: BashOperations,
  line: string,
  tell: (change: UserShellChange) => void,
  { ports, signal, onOutput }: UserBashParts,
): Promise<BashOutcome> {
  const output = new BashOutput();
  const printable = new PrintableOutput();
  let shown = '';
  const timer = setInterval(() => {
    const { text } = output.snapshot();
    if (text === shown) return;
    const grown = shown !== '' && text.startsWith(shown);
    tell({ type: 'output', append: grown ? text.slice(shown.length) : text, reset: !grown });
    shown = text;
  }, 100);
  let exitCode: number | undefined;
  let failure: string | undefined;
  try {
    const onData = async (data: Buffer): Promise<void> => {
      await Promise.all([output.append(data), onOutput?.(printable.add(data))]);
    };
    exitCode = (await callBashOperations(operations, line, ports.cwd, { onData, signal })) ?? undefined;
  } catch (error) {
    if (!signal.aborted) failure = messageOf(error);
  } finally {
    clearInterval(timer);
  }
  const { text, truncation, fullOutputPath } = await output.finish();
  return {
    output: failure === undefined ? text : [text, failure].filter(part => part !== '').join('\n'),
    exitCode: failure === undefined ? exitCode : (exitCode ?? 1),
    cancelled: signal.aborted,
    truncated: truncation.truncated,
    ...defined({ fullOutputPath }),
  };
}

/** Output in pieces as plain text, without a sequence that is split between two pieces. */
class PrintableOutput {
  private readonly decoder = new StringDecoder('utf8');
  private unfinished = '';

  /** The text that this piece adds. */
  add(data: Buffer): string {
    const text = this.unfinished + this.decoder.write(data);
    this.unfinished = unfinishedSequence(text);
    const whole = text.slice(0, text.length - this.unfinished.length);
    return stripVTControlCharacters(withoutControls(whole)).replaceAll('\r', '');
  }
}
