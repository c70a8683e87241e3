import * as vscode from 'vscode';

type Shower = 'showInformationMessage' | 'showWarningMessage' | 'showErrorMessage';

/** A message of the extension, as VS Code was asked to show it. */
export interface Shown {
  readonly text: string;
  readonly modal: boolean;
  readonly detail: string;
  readonly actions: readonly string[];
}

/**
 * Stands in for VS Code's messages of one kind, as it refuses modal ones in tests and nobody is there to click the
 * others: each is answered with the next of the answers, and after the last one as if the person closed it.
 */
export class Messages {
  readonly shown: Shown[] = [];
  private readonly original: (typeof vscode.window)[Shower];

  constructor(
    private readonly method: Shower,
    private readonly answers: (string | undefined)[],
  ) {
    this.original = vscode.window[method];
    this.put((text: string, ...rest: readonly unknown[]) => {
      const options = rest.find((one): one is vscode.MessageOptions => typeof one === 'object');
      const actions = rest.filter(one => typeof one === 'string');
      this.shown.push({ text, modal: options?.modal === true, detail: options?.detail ?? '', actions });
      return Promise.resolve(this.answers.shift());
    });
  }

  /** Gives VS Code its own back. */
  restore(): void {
    this.put(this.original);
  }

  private put(value: unknown): void {
    Object.defineProperty(vscode.window, this.method, { value, configurable: true, writable: true });
  }
}
