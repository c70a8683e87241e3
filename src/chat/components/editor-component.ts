import type { Component } from '@mariozechner/pi-tui';

/** The composer as a hook's own input box stands in for it. */
export interface ComposerPort {
  getText(): string;
  /** The text was changed by typing. */
  changed(text: string): void;
  submit(text: string): void;
  /** A key that a hook's shortcut may want; true when it was one. */
  shortcut(data: string): boolean;
  stop(): void;
}

interface EditorLike {
  onSubmit?: unknown;
  onChange?: unknown;
  onEscape?: unknown;
  onExtensionShortcut?: unknown;
  getText?: unknown;
  setText?: unknown;
  insertTextAtCursor?: unknown;
}

/** An input box of a hook (`setEditorComponent`), wired to the conversation as pi wires it. */
export class EditorComponent {
  private readonly editor: EditorLike;

  constructor(component: Component, composer: ComposerPort) {
    this.editor = component as EditorLike;
    this.editor.onSubmit = (text: unknown) => {
      this.setText('');
      composer.changed('');
      composer.submit(String(text));
    };
    this.editor.onChange = (text: unknown) => composer.changed(String(text));
    if ('actionHandlers' in component) {
      this.editor.onExtensionShortcut ??= (data: unknown) => composer.shortcut(String(data));
      this.editor.onEscape ??= () => composer.stop();
    }
    this.setText(composer.getText());
  }

  setText(text: string): void {
    this.call('setText', text);
  }

  insert(text: string): void {
    if (typeof this.editor.insertTextAtCursor === 'function') this.call('insertTextAtCursor', text);
    else this.setText(`${this.getText() ?? ''}${text}`);
  }

  /** Undefined when the component does not tell. */
  getText(): string | undefined {
    const text = this.call('getText');
    return typeof text === 'string' ? text : undefined;
  }

  private call(name: 'setText' | 'getText' | 'insertTextAtCursor', ...given: readonly unknown[]): unknown {
    const code = this.editor[name];
    return typeof code === 'function' ? (Reflect.apply(code, this.editor, given) as unknown) : undefined;
  }
}
