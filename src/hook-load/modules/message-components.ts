import type * as piTui from '@mariozechner/pi-tui';
import type { Component, MarkdownTheme } from '@mariozechner/pi-tui';
import { markdownTheme, type ShippedTheme } from './themes';

type PiTui = typeof piTui;

/** A part of a message's content. */
interface Part {
  readonly type: string;
  readonly text?: string;
  readonly thinking?: string;
  readonly name?: string;
}

type Prose = (text: string, own?: MarkdownTheme) => Component;

/** The components that show messages, for hooks that draw a conversation of their own. */
export function messageComponents(tui: PiTui, theme: () => ShippedTheme): Readonly<Record<string, unknown>> {
  const prose: Prose = (text, own) => new tui.Markdown(text, 1, 0, own ?? markdownTheme(theme));
  return {
    UserMessageComponent: userMessage(tui, theme, prose),
    AssistantMessageComponent: assistantMessage(tui, theme, prose),
    ToolExecutionComponent: toolExecution(tui, theme),
    CustomMessageComponent: customMessage(tui, theme, prose),
  };
}

function userMessage(tui: PiTui, theme: () => ShippedTheme, prose: Prose): unknown {
  return class UserMessageComponent extends tui.Container {
    constructor(text: string, own?: MarkdownTheme) {
      super();
      const box = new tui.Box(1, 1, line => theme().bg('userMessageBg', line));
      box.addChild(prose(text, own));
      this.addChild(box);
    }
  };
}

function assistantMessage(tui: PiTui, theme: () => ShippedTheme, prose: Prose): unknown {
  return class AssistantMessageComponent extends tui.Container {
    private last: { readonly content?: readonly Part[] } | undefined;
    constructor(
      message?: { readonly content?: readonly Part[] },
      private hideThinking = false,
      private readonly own?: MarkdownTheme,
    ) {
      super();
      if (message !== undefined) this.updateContent(message);
    }
    setHideThinkingBlock(hide: boolean): void {
      this.hideThinking = hide;
      if (this.last !== undefined) this.updateContent(this.last);
    }
    updateContent(message: { readonly content?: readonly Part[] }): void {
      this.last = message;
      this.clear();
      for (const part of message.content ?? []) {
        if (part.type === 'text' && part.text !== undefined) this.addChild(prose(part.text, this.own));
        if (part.type === 'thinking' && !this.hideThinking) {
          this.addChild(new tui.Text(theme().fg('thinkingText', part.thinking ?? ''), 1, 0));
        }
      }
    }
  };
}

function toolExecution(tui: PiTui, theme: () => ShippedTheme): unknown {
  return class ToolExecutionComponent extends tui.Container {
    private args: unknown;
    private result: { readonly content?: readonly Part[]; readonly isError?: boolean } | undefined;
    /** Takes `(name, args)` as in pi 0.31, or `(name, id, args)` as in later versions. */
    constructor(
      private readonly toolName: string,
      ...rest: unknown[]
    ) {
      super();
      this.args = typeof rest[0] === 'string' ? rest[1] : rest[0];
      this.draw();
    }
    updateArgs(args: unknown): void {
      this.args = args;
      this.draw();
    }
    updateResult(result: { readonly content?: readonly Part[]; readonly isError?: boolean }): void {
      this.result = result;
      this.draw();
    }
    setExpanded(): void {
      this.draw();
    }
    private draw(): void {
      const state = this.result === undefined ? 'toolPendingBg' : this.result.isError ? 'toolErrorBg' : 'toolSuccessBg';
      const box = new tui.Box(1, 1, line => theme().bg(state, line));
      const head = `${theme().bold(this.toolName)} ${theme().fg('muted', JSON.stringify(this.args ?? {}))}`;
      box.addChild(new tui.Text(head, 0, 0));
      const output = (this.result?.content ?? []).map(part => part.text ?? '').join('\n');
      if (output !== '') box.addChild(new tui.Text(theme().fg('toolOutput', output), 0, 0));
      this.clear();
      this.addChild(box);
    }
  };
}

function customMessage(tui: PiTui, theme: () => ShippedTheme, prose: Prose): unknown {
  return class CustomMessageComponent extends tui.Container {
    constructor(message: { readonly customType: string; readonly content: string | readonly Part[] }) {
      super();
      const { customType, content } = message;
      const text = typeof content === 'string' ? content : content.map(part => part.text ?? '').join('\n');
      const box = new tui.Box(1, 1, line => theme().bg('customMessageBg', line));
      box.addChild(new tui.Text(theme().fg('customMessageLabel', theme().bold(`[${customType}]`)), 0, 0));
      box.addChild(prose(text));
      this.addChild(box);
    }
    setExpanded(): void {
      this.invalidate();
    }
  };
}
