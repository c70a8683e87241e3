import { randomUUID } from 'node:crypto';
import type { OAuthLoginCallbacks } from '@mariozechner/pi-ai';
import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable';

/** What the dialogs of a login need. */
export interface LoginParts {
  /** Name of the provider, for titles. */
  readonly name: string;
  readonly progress: vscode.Progress<{ readonly message: string }>;
  /** Aborts when the user cancels, which ends every open question. */
  readonly signal: AbortSignal;
  /** Opens an address in the user's browser. VS Code finds that browser even when the window runs on a remote machine. */
  readonly openExternal: (uri: vscode.Uri) => Thenable<boolean>;
}

/** The error of a login that the user canceled. It is not shown. */
export class LoginCancelled extends Error {
  override readonly name = 'LoginCancelled';
}

/** Finds the code that the user must type into a web page, in the instructions of a device login. */
const DEVICE_CODE = /\b[A-Z0-9]{4,5}-[A-Z0-9]{4,5}\b/;

/**
 * Shows the questions of a login in VS Code: addresses open in the browser, prompts and pasted codes use input boxes, and
 * choices use a quick pick. The progress notification has links to copy the code or address and to open the browser again.
 * Escape in an input box cancels the login, except in the box for a pasted code, because the browser may still complete the
 * login. `dispose` closes open boxes when the login has ended.
 */
export class LoginDialogs implements Disposable {
  private readonly store = new DisposableStore();
  private actions: readonly string[] = [];

  constructor(private readonly parts: LoginParts) {}

  get callbacks(): OAuthLoginCallbacks {
    return {
      onAuth: ({ url, instructions }) => this.open(url, instructions),
      onDeviceCode: ({ verificationUri, userCode }) =>
        this.open(verificationUri, vscode.l10n.t('Enter this code there: {0}', userCode), userCode),
      onPrompt: prompt => this.ask(prompt.message, prompt),
      onManualCodeInput: () =>
        this.ask(vscode.l10n.t('Paste the code, or the address that the browser shows at the end'), { waits: true }),
      onSelect: ({ message, options }) => this.choose(message, options),
      onProgress: message => this.report(message),
      signal: this.parts.signal,
    };
  }

  dispose(): void {
    this.store.dispose();
  }

  /** Opens an address. Throws when it is not http or https, because other addresses could start a program. */
  private open(url: string, instructions: string | undefined, code?: string): void {
    const { parts } = this;
    const uri = vscode.Uri.parse(url, true);
    if (uri.scheme !== 'https' && uri.scheme !== 'http') {
      throw new Error(
        vscode.l10n.t('The login of {0} wants to open "{1}", which is not a web address.', parts.name, url),
      );
    }
    this.actions = this.links(uri, url, code ?? DEVICE_CODE.exec(instructions ?? '')?.[0]);
    this.report(instructions ?? vscode.l10n.t('Continue in the browser.'));
    void parts.openExternal(uri);
  }

  /** The links for an address. They copy the original `url`, because `uri.toString()` encodes it differently. */
  private links(uri: vscode.Uri, url: string, code: string | undefined): readonly string[] {
    const copy = (text: string) => () => vscode.env.clipboard.writeText(text);
    return [
      ...(code === undefined ? [] : [this.link(vscode.l10n.t('Copy Code'), copy(code))]),
      this.link(vscode.l10n.t('Open Browser Again'), () => this.parts.openExternal(uri)),
      this.link(vscode.l10n.t('Copy Address'), copy(url)),
    ];
  }

  /** A link that calls `run`; it works until the login has ended. */
  private link(title: string, run: () => unknown): string {
    const command = `hookline.login.${randomUUID()}`;
    this.store.add(vscode.commands.registerCommand(command, run));
    return `[${title}](command:${command})`;
  }

  /** Replaces the message of the progress notification and keeps its links. */
  private report(message: string): void {
    this.parts.progress.report({ message: [message, this.actions.join(' · ')].join(' ').trim() });
  }

  private ask(
    message: string,
    more: { readonly placeholder?: string; readonly allowEmpty?: boolean; readonly waits?: boolean },
  ): Promise<string> {
    const box = this.store.add(vscode.window.createInputBox());
    box.title = vscode.l10n.t('Log in to {0}', this.parts.name);
    box.prompt = message;
    box.placeholder = more.placeholder;
    box.ignoreFocusOut = true;
    return new Promise((resolve, reject) => {
      this.onCancel(reject);
      box.onDidChangeValue(() => {
        box.validationMessage = undefined;
      });
      box.onDidAccept(() => {
        const value = box.value.trim();
        if (value === '' && more.allowEmpty !== true) {
          box.validationMessage = vscode.l10n.t('Type or paste something.');
          return;
        }
        resolve(value);
        this.store.release(box);
      });
      box.onDidHide(() => {
        if (more.waits !== true) reject(new LoginCancelled());
      });
      box.show();
    });
  }

  private choose(
    message: string,
    options: readonly { readonly id: string; readonly label: string }[],
  ): Promise<string | undefined> {
    const pick = this.store.add(vscode.window.createQuickPick<vscode.QuickPickItem & { readonly id: string }>());
    pick.title = vscode.l10n.t('Log in to {0}', this.parts.name);
    pick.placeholder = message;
    pick.ignoreFocusOut = true;
    pick.items = [...options];
    return new Promise((resolve, reject) => {
      this.onCancel(reject);
      pick.onDidAccept(() => {
        resolve(pick.selectedItems[0]?.id);
        this.store.release(pick);
      });
      // After an answer, this call has no effect.
      pick.onDidHide(() => resolve(undefined));
      pick.show();
    });
  }

  private onCancel(reject: (error: Error) => void): void {
    const cancel = (): void => {
      reject(new LoginCancelled());
    };
    if (this.parts.signal.aborted) cancel();
    else this.parts.signal.addEventListener('abort', cancel, { once: true });
  }
}
