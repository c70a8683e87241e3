import { randomUUID } from 'node:crypto';
import { defined } from '../../base/defined';
import { visibleText } from '../../base/text/visible-text';
import { toDisposable, type Disposable } from '../../base/disposable';
import type { QuestionView, Question } from '../../session/ports/dialogs';
import { noUi, type Answer, type CustomMount, type HookUIContext } from '../../hook-contract/ui/ui';
import { RenderedComponents } from './rendered-components';

type Request = { readonly method: string } & Readonly<Record<string, unknown>>;

export interface RpcUiParts {
  readonly send: (message: object) => void;
  /** Whether the host application draws components of hooks and sends keys to them. */
  readonly draws: boolean;
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
    const id = this.request(requestFor(question));
    this.open.set(id, { question, answer });
    return toDisposable(() => this.open.delete(id));
  }

  /** Handles an `extension_ui_response`; it is ignored if its question or component has ended. */
  receive(response: Readonly<Record<string, unknown>>): void {
    const { id } = response;
    const asked = typeof id === 'string' ? this.open.get(id) : undefined;
    if (asked === undefined) this.rendered?.receive(response);
    else asked.answer(answerIn(response, asked.question));
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

  private request(request: Request, id: string = randomUUID()): string {
    this.parts.send({ type: 'extension_ui_request', id, ...request });
    return id;
  }
}

function isMount(content: readonly string[] | CustomMount | undefined): content is CustomMount {
  return content !== undefined && !Array.isArray(content);
}

/** What a client shows of a question: hidden characters are marked, because many clients print it in a terminal. */
function requestFor({ dialog, title: given, message, timeout }: Question): Request {
  const limit = defined({ timeout });
  const title = visibleText(given);
  switch (dialog.type) {
    case 'select':
      return { method: 'select', title, options: dialog.options.map(visibleText), ...limit };
    case 'confirm':
      return { method: 'confirm', title, message: visibleText(message), ...limit };
    case 'input':
      return { method: 'input', title, placeholder: visibleText(dialog.placeholder), ...limit };
    case 'editor':
      return { method: 'editor', title, prefill: dialog.prefill };
  }
}

function answerIn(response: Readonly<Record<string, unknown>>, { dialog }: Question): Answer {
  const { cancelled, confirmed, value } = response;
  if (cancelled === true) return undefined;
  if (dialog.type === 'confirm') return confirmed === true;
  if (typeof value !== 'string') return undefined;
  // Options were sent as they are shown.
  return (dialog.type === 'select' ? dialog.options.find(option => visibleText(option) === value) : undefined) ?? value;
}
