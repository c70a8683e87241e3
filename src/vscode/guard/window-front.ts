import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { ModelRegistry } from '../../agent/models/registry';
import { DisposableStore, toDisposable, type Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import type { Log } from '../../base/log';
import type { GuardedEvent } from '../../guard/agents/agent';
import { contractOf } from '../../guard/agents';
import { GuardedFolder } from '../../guard/calls/guarded-folder';
import { startGuardHost } from '../../guard/host/start-host';
import type { AgentCall, AgentReply } from '../../guard/protocol/agent-call';
import { getsTools } from '../../guard/config/guard-status';
import { isAgentConfig } from '../../guard/config/is-agent-config';
import type { FrontMessage, HostMessage } from '../../guard/protocol/messages';
import type { NoticeLevel } from '../../hook-contract/ui/ui';
import type { HeldFiles } from '../../gate/held-changes/held-files';
import type { HookHost } from '../../hook-run/host/host';
import type { DialogQueue } from '../../session/ports/dialogs';
import { setContextKey } from '../context-keys';
import { literalMessage } from '../message-text';
import { offerQuestion } from '../questions/question-offer';
import type { VsCodeQuestionView } from '../questions/question-view';
import type { AgentOverview } from './agent-overview';
import { ElsewhereQuestions } from './elsewhere-questions';
import { CallsFromHost } from './guarded-calls';
import { HostLink } from './host-link';
import { ToolsFromHost } from './tools-from-host';
import { installOwnClient, ownProgram, type ExtensionFiles } from './own-client';

export interface WindowFrontParts {
  readonly overview: AgentOverview;
  /** Absolute; undefined when no folder is open. */
  readonly folder: string | undefined;
  /** Whether the folder is trusted. */
  readonly isTrusted: () => boolean;
  readonly hooks: HookHost;
  readonly heldFiles: HeldFiles;
  readonly models: ModelRegistry;
  readonly dialogs: DialogQueue;
  readonly questions: VsCodeQuestionView;
  readonly extension: ExtensionFiles;
  /** pi's agent folder, absolute. */
  readonly agentDir: string;
  readonly log: Log;
}

/** A window as the host of the guard uses it: it answers the calls in its folder, and offers questions of other folders. */
export class WindowFront implements Disposable {
  private readonly store = new DisposableStore();
  private readonly link: HostLink;
  private readonly calls: CallsFromHost;
  private readonly tools: ToolsFromHost;
  private readonly elsewhere: ElsewhereQuestions;

  /** Also brings the files of the client up to date. Rejects when the disk does. */
  static async open(parts: WindowFrontParts): Promise<WindowFront> {
    await installOwnClient(parts.overview.place, parts.extension, parts.agentDir);
    return new WindowFront(parts);
  }

  private constructor(parts: WindowFrontParts) {
    const { overview, folder, extension, log } = parts;
    const { place } = overview;
    const send = (message: FrontMessage): void => this.link.send(message);
    const guarded = guardedIn(parts, send);
    this.store.add(toDisposable(() => void guarded.end()));
    this.calls = this.store.add(new CallsFromHost({ answer: answerer(guarded, log), send }));
    this.tools = this.store.add(new ToolsFromHost({ folder: guarded, send }));
    this.elsewhere = this.store.add(new ElsewhereQuestions(elsewhereIn(parts, send)));
    this.link = this.store.add(
      new HostLink({
        place,
        version: extension.version,
        folders: folder === undefined ? [] : [folder],
        start: () => startGuardHost(place, ownProgram(extension), process.env),
        take: message => this.take(message),
        lost: () => this.lost(),
        log,
      }),
    );
  }

  /** Resolves when the host knows this window, or cannot be reached now. */
  get firstTry(): Promise<void> {
    return this.link.firstTry;
  }

  /** Opens a question of another folder: the one with this id, else the oldest. Does nothing when it is over. */
  async answer(id: string | undefined): Promise<void> {
    await (id === undefined ? this.elsewhere.answerNext() : this.elsewhere.answer(id));
  }

  dispose(): void {
    this.store.dispose();
  }

  private take(message: HostMessage): void {
    switch (message.type) {
      case 'call':
        void this.calls.take(message);
        break;
      case 'cancel':
        this.calls.cancel(message.id);
        this.tools.cancel(message.id);
        break;
      case 'listTools':
        this.tools.list(message.id);
        break;
      case 'callTool':
        void this.tools.call(message);
        break;
      case 'question': {
        const { id, folder, question } = message;
        // A hook that is being loaded asks for no agent.
        const { guarded = { agent: 'Hookline', folder: basename(folder) } } = question;
        this.elsewhere.add(id, { ...question, guarded });
        break;
      }
      case 'close':
        this.elsewhere.close(message.id);
        break;
      case 'welcome':
      case 'refused':
      case 'record':
      case 'firing':
      case 'status':
      case 'log':
      case 'toolList':
      case 'toolUpdate':
      case 'toolReply':
      case 'toolsFailed':
      case 'toolsChanged':
        break; // The first are no news, and a window asks for none of the others.
    }
  }

  /** The host has ended: its clients have denied the calls themselves, and its own folders wait for no answer. */
  private lost(): void {
    this.calls.dispose();
    this.tools.cancelAll();
    this.elsewhere.dispose();
  }
}

type Answer = (call: AgentCall, signal: AbortSignal) => Promise<AgentReply>;

/** The sessions of agents in the folder of the window, which end with the window. */
function guardedIn(
  { overview, folder = '', hooks, heldFiles, models, dialogs, isTrusted, log }: WindowFrontParts,
  send: (message: FrontMessage) => void,
): GuardedFolder {
  return new GuardedFolder({
    ...{ hooks, heldFiles, cwd: folder, dialogs, models, isTrusted, contractOf, log },
    canAsk: () => true,
    gateModeOf: agent => overview.guarded[agent]?.gate ?? 'off',
    guardedFiles: path => (isAgentConfig(path, overview) ? 'gate-off' : undefined),
    getsTools: id => getsTools(id, overview),
    front: { notify, setStatus: () => undefined },
    note: record => send({ type: 'note', record }),
  });
}

/** Answers calls with the hooks of the window. */
function answerer(guarded: GuardedFolder, log: Log): Answer {
  return (call, signal) => {
    const contract = contractOf(call.agent);
    let event: GuardedEvent;
    try {
      event = contract.read(call);
    } catch (error) {
      log.error(`A call of ${contract.name} cannot be read: ${messageOf(error)}`);
      const output = contract.refuse(call.event, `Hookline could not read this: ${messageOf(error)}`);
      return Promise.resolve({ output, records: [] });
    }
    return guarded.handle(event, call, signal);
  };
}

function elsewhereIn(
  { dialogs, questions }: WindowFrontParts,
  send: (message: FrontMessage) => void,
): ConstructorParameters<typeof ElsewhereQuestions>[0] {
  return {
    offer: (id, question) => offerQuestion(question, id),
    ask: (question, options) => {
      const answer = dialogs.ask(question, options);
      // The user asked for it; one that waits behind another question comes up as others do.
      if (questions.waiting?.id === question.id) questions.present();
      return answer;
    },
    showOffered: isOffered => setContextKey('hookline.askingElsewhere', isOffered),
    send,
  };
}

/** Shows a notice of a hook, for a session that has no chat here. */
function notify(text: string, level: NoticeLevel): void {
  const { showErrorMessage, showWarningMessage, showInformationMessage } = vscode.window;
  const show = { error: showErrorMessage, warning: showWarningMessage, info: showInformationMessage }[level];
  void show(literalMessage(text));
}
