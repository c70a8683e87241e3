import type { Readable } from 'node:stream';
import { defined } from '../../base/defined';
import type { Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import { hideSecrets } from '../../base/text/redact';
import { deferred } from '../../base/async/wait';
import type { Output } from '../terminal/output';
import { protocolOf, type ProtocolVersion } from '../protocol';
import { isForPrograms } from '../../session/ports/session-events';
import { printNotices } from '../terminal/print-notices';
import type { FrontEnd, Runtime } from '../start/runtime';
import type { StopRequest } from '../terminal/stop-request';
import { commandsOf, type Answering, type RpcCommands, type RpcContext } from './commands';
import { readCommand, type RpcCommand } from './fields';
import { waitForReader } from '../terminal/wait-for-reader';
import { LineReader } from '../../base/text/line-reader';
import { RpcUi } from './rpc-ui';

export interface RpcParts {
  readonly stdin: Readable;
  readonly output: Output;
  readonly stop: StopRequest;
  readonly version: ProtocolVersion;
  /** Whether components of hooks are sent as lines; `ctx.mode` is then that of a terminal. */
  readonly rendered: boolean;
}

/**
 * Serves pi's RPC protocol (docs/cli.md): reads commands as lines of JSON, and writes answers, events and requests of
 * hooks as lines of JSON. It listens from its construction on, so that questions of hooks at load time can be answered.
 * Commands wait until the conversation is open.
 */
export class RpcServer {
  /** The front end for the runtime. */
  readonly frontEnd: FrontEnd;
  private readonly ui: RpcUi;
  private readonly commands: RpcCommands;
  private readonly waiting: (() => void)[] = [];
  private readonly watching: Disposable[] = [];
  private context: RpcContext | undefined;
  /** Settles when all changes so far are done; never rejects. */
  private turn: Promise<unknown> = Promise.resolve();
  private forks = 0;
  private answersToCome = 0;
  private isEndAsked = false;

  constructor(private readonly parts: RpcParts) {
    const { output, stop, version, stdin, rendered } = parts;
    const protocol = protocolOf(version);
    const ui = (this.ui = new RpcUi({
      send: message => output.json(message),
      draws: rendered,
      withdraws: protocol.withdraws,
      whenDrained: () => output.whenDrained(),
    }));
    this.commands = commandsOf(version);
    const hostIsGone = deferred();
    void stop.requested.then(() => hostIsGone.resolve());
    this.frontEnd = {
      mode: rendered ? 'tui' : 'rpc',
      hookUi: ask => ui.hookUi(ask),
      connectDialogs: dialogs => {
        // The start would wait forever for an answer. Once the conversation is open, its end closes questions.
        void hostIsGone.promise.then(() => {
          if (this.context === undefined) dialogs.dispose();
        });
        return dialogs.addView(ui);
      },
      onHookError: error => {
        const record = protocol.hookError(error, 'rpc');
        if (record !== undefined) output.json(record);
      },
      whenDrained: () => output.whenDrained(),
      onOpen: conversation => {
        this.watching.push(
          conversation.onDidHappen(event => {
            if (!isForPrograms(event)) return;
            for (const record of protocol.recordsOf(event)) output.json(record);
          }),
        );
      },
      shutdown: () => {
        this.isEndAsked = true;
        this.endIfAsked();
      },
    };
    new LineReader(stdin).listen(
      line => {
        this.receive(line);
        void waitForReader(parts);
      },
      why => {
        hostIsGone.resolve();
        if (why === 'tooLong') output.printError('Error: A line on stdin is longer than 256 million characters.');
        this.whenOpen(() => stop.ask(why === 'tooLong' ? 1 : 0));
      },
    );
  }

  /** Serves a conversation until stdin ends or the process is asked to stop. Resolves with the exit code. */
  async serve(runtime: Runtime): Promise<number> {
    const { output, stop } = this.parts;
    const { conversation } = runtime;
    this.watching.push(
      printNotices(conversation, output),
      conversation.onDidHappen(event => {
        // The host application gets texts that were not sent. A fork has its text in its answer.
        if (event.type !== 'text_returned' || event.text === '') return;
        if (this.forks === 0) this.ui.setEditorText(event.text);
      }),
    );
    this.open(runtime);
    const code = await stop.requested;
    for (const one of this.watching) one.dispose();
    return code;
  }

  private open(runtime: Runtime): void {
    const { output } = this.parts;
    this.context = {
      runtime,
      send: record => output.json(record),
      whenDrained: () => output.whenDrained(),
      printError: text => output.printError(text),
    };
    for (const act of this.waiting.splice(0)) act();
  }

  /** Calls `act` now, or when the conversation is open. */
  private whenOpen(act: () => void): void {
    if (this.context === undefined) this.waiting.push(act);
    else act();
  }

  private receive(line: string): void {
    let command: RpcCommand;
    try {
      command = readCommand(line);
    } catch (error) {
      this.parts.output.json({
        type: 'response',
        command: 'parse',
        success: false,
        error: hideSecrets(messageOf(error)),
      });
      return;
    }
    if (command.type === 'extension_ui_response') this.ui.receive(command);
    else this.whenOpen(() => this.dispatch(command));
  }

  private dispatch(command: RpcCommand): void {
    const { type } = command;
    const { queries, endings, beginnings, changes } = this.commands;
    const immediate = own(queries, type) ?? own(endings, type);
    const beginning = own(beginnings, type);
    const change = own(changes, type);
    if (immediate !== undefined) void this.answer(command, immediate);
    else if (beginning !== undefined) void this.turn.then(() => void this.answer(command, beginning));
    else if (change !== undefined) this.turn = this.turn.then(() => this.answer(command, change));
    else void this.answer(command, unknownCommand);
  }

  /** Runs a command and sends its answer; never rejects. */
  private async answer(command: RpcCommand, perform: Answering): Promise<void> {
    const { output } = this.parts;
    const { id, type } = command;
    const isFork = type === 'fork';
    if (isFork) this.forks += 1;
    this.answersToCome += 1;
    try {
      if (this.context === undefined) throw new Error('The conversation is not open yet.');
      const data: unknown = await perform(this.context, command);
      output.json({ id, type: 'response', command: type, success: true, ...defined({ data }) });
    } catch (error) {
      output.json({ id, type: 'response', command: type, success: false, error: hideSecrets(messageOf(error)) });
    } finally {
      if (isFork) this.forks -= 1;
      this.answersToCome -= 1;
      this.endIfAsked();
    }
  }

  /** Ends the process if a hook has asked for it, as in pi only after commands were answered. */
  private endIfAsked(): void {
    if (this.isEndAsked && this.answersToCome === 0) this.parts.stop.ask(0);
  }
}

function own(table: Readonly<Record<string, Answering>>, type: string): Answering | undefined {
  return Object.hasOwn(table, type) ? table[type] : undefined;
}

const unknownCommand: Answering = (_context, { type }) => {
  throw new Error(`Unknown command: ${type}`);
};
