import { randomUUID } from 'node:crypto';
import { defined } from '../../base/defined';
import { visibleText } from '../../base/text/visible-text';
import { toDisposable, type Disposable } from '../../base/disposable';
import type { QuestionView, Question } from '../../session/ports/dialogs';
import { noUi, type Answer, type CustomMount, type DialogKind, type HookUIContext } from '../../hook-contract/ui/ui';
import { RenderedComponents } from './rendered-components';

type SelectDialog = Extract<DialogKind, { readonly type: 'select' }>;
type Request = { readonly method: string } & Readonly<Record<string, unknown>>;

export interface RpcUiParts {
  readonly send: (message: object) => void;
  /** Whether the host application draws components of hooks and sends keys to them. */
  readonly draws: boolean;
  /** See `Protocol`. */
  readonly withdraws: boolean;
  /** See `ConversationPorts.whenDrained`. */
  readonly whenDrained: () => Promise<void> | undefined;
}

/**
 * Connects hooks to the host application's user: a question of a hook is sent as `extension_ui_request` and answered by
 * `extension_ui_response`. What hooks only show is sent without an answer.
 */
export class RpcUi implements QuestionView {
  private readonly open = new Map<string, { readonly question: Question; readonly answer: (value: Answer) => void }>();
  /** The components of hooks; undefined if the host application does not draw them. */
  private readonly rendered: RenderedComponents | undefined;

  constructor(private readonly parts: RpcUiParts) {
    if (!parts.draws) return;
    this.rendered = new RenderedComponents({
      request: (id, request) => this.request(request, id),
      notify: (message, notifyType) => this.request({ method: 'notify', message, notifyType }),
      setTitle: title => this.request({ method: 'setTitle', title }),
      whenDrained: parts.whenDrained,
    });
  }

  show(question: Question, answer: (value: Answer) => void): Disposable {
    const id = this.request(this.requestFor(question));
    this.open.set(id, { question, answer });
    return toDisposable(() => {
      // An answer of the host application has removed the question.
      if (this.open.delete(id) && this.parts.withdraws) this.parts.send({ type: 'extension_ui_cancel', id });
    });
  }

  /** Handles an `extension_ui_response`; it is ignored if its question or component has ended. */
  receive(response: Readonly<Record<string, unknown>>): void {
    const { id } = response;
    const asked = typeof id === 'string' ? this.open.get(id) : undefined;
    if (typeof id !== 'string' || asked === undefined) {
      this.rendered?.receive(response);
      return;
    }
    this.open.delete(id);
    asked.answer(answerIn(response, asked.question));
  }

  /** The UI for hooks: `ask` handles questions; everything else is sent to the host application. */
  hookUi(ask: HookUIContext['ask']): HookUIContext {
    const { rendered } = this;
    return {
      ...noUi,
      ...(rendered === undefined ? {} : { custom: (mount, origin) => rendered.custom(mount, origin) }),
      ask,
      notify: (message, notifyType) => {
        this.request({ method: 'notify', message: visibleText(message), notifyType });
      },
      setStatus: (statusKey, statusText) => {
        this.request({ method: 'setStatus', statusKey, statusText });
      },
      setWidget: (widgetKey, content, widgetPlacement, origin) => {
        const mount = isMount(content) ? content : undefined;
        rendered?.setWidget(widgetKey, mount, widgetPlacement, origin);
        // A component cannot be sent as plain lines; without `rendered`, it is not shown.
        if (mount !== undefined) return;
        this.request({ method: 'setWidget', widgetKey, widgetLines: content, widgetPlacement });
      },
      setTitle: title => {
        this.request({ method: 'setTitle', title });
      },
      setEditorText: text => this.setEditorText(text),
      pasteToEditor: text => this.setEditorText(text),
    };
  }

  setEditorText(text: string): void {
    this.request({ method: 'set_editor_text', text });
  }

  /** What a client shows of a question: hidden characters are marked, because many clients print it in a terminal. */
  private requestFor(question: Question): Request {
    const { dialog, subject, timeout, toolCallId } = question;
    const { name, path } = question.hook;
    const more = { hook: { name, path }, ...defined({ toolCallId, timeout }) };
    const title = visibleText(question.title);
    const message = visibleText(question.message);
    const whole = titleWithMessage(question);
    switch (dialog.type) {
      case 'select': {
        const { meanings } = dialog;
        const options = dialog.options.map(visibleText);
        if (subject?.type !== 'call' || this.parts.draws) {
          return { method: 'select', title: whole, options, ...more, ...defined({ meanings }) };
        }
        // Clients of pi know it as a question for yes or no, and others can offer more.
        const choices = options.map((label, index) => ({ label, meaning: meanings?.[index] }));
        return { method: 'confirm', title, message, options: choices, ...more };
      }
      case 'confirm':
        return { method: 'confirm', title, message, ...more };
      case 'input':
        return { method: 'input', title: whole, placeholder: visibleText(dialog.placeholder), ...more };
      case 'editor':
        return { method: 'editor', title: whole, prefill: dialog.prefill, ...more };
    }
  }

  private request(request: Request, id: string = randomUUID()): string {
    this.parts.send({ type: 'extension_ui_request', id, ...request });
    return id;
  }
}

function isMount(content: readonly string[] | CustomMount | undefined): content is CustomMount {
  return content !== undefined && !Array.isArray(content);
}

/** The same text for all kinds of questions that have no message in pi's protocol. */
function titleWithMessage({ title, message }: Question): string {
  return visibleText(message === '' ? title : `${title}\n\n${message}`);
}

function answerIn(response: Readonly<Record<string, unknown>>, question: Question): Answer {
  const { dialog, canDeny, subject } = question;
  const { cancelled, confirmed, value, reason } = response;
  if (cancelled === true) return undefined;
  if (confirmed === false && typeof reason === 'string' && (canDeny === true || subject !== undefined)) {
    return { denied: reason };
  }
  if (dialog.type === 'confirm') return confirmed === true;
  if (dialog.type === 'select') {
    // Options were sent as they are shown.
    const option = dialog.options.find(one => visibleText(one) === value);
    if (subject === undefined) return option ?? (typeof value === 'string' ? value : undefined);
    if (confirmed === false) return undefined;
    return value === undefined && confirmed === true ? onceIn(dialog) : option;
  }
  return typeof value === 'string' ? value : undefined;
}

/** The option that allows this call and no other. */
function onceIn({ options, meanings }: SelectDialog): string | undefined {
  return options[meanings?.indexOf('allowOnce') ?? -1];
}
