import * as vscode from 'vscode';
import { readRegularText } from '../../base/files/regular-file';
import { DisposableStore, type Disposable } from '../../base/disposable';
import type { Event } from '../../base/event';
import type { HookInfo } from '../../hook-contract/hook-info';
import { placeInJson } from '../../base/json/json-place';
import { readShellHooks } from '../../hook-load/shell/read-settings';
import { ADAPTER_MARK } from '../../hook-load/shell/adapter-file';
import type { ShellProblem } from '../../hook-load/shell/shell-hook';
import { DIAGNOSTIC_SOURCE } from '../hooks-view/hook-diagnostics';

export interface ShellDiagnosticsParts {
  readonly infos: () => readonly HookInfo[];
  readonly onDidChange: Event<void>;
  /** Names of the agent's tools. */
  readonly tools: () => readonly string[];
}

/** Reports parts of imported shell hooks that Hookline does not support, in the settings file that contains them. */
export class ShellDiagnostics implements Disposable {
  private readonly store = new DisposableStore();
  private readonly collection = this.store.add(vscode.languages.createDiagnosticCollection('hookline-shell'));
  private round = 0;

  constructor(private readonly parts: ShellDiagnosticsParts) {
    this.store.add(parts.onDidChange(() => void this.update()));
    void this.update();
  }

  dispose(): void {
    this.store.dispose();
  }

  private async update(): Promise<void> {
    const round = ++this.round;
    const files = await Promise.all(this.parts.infos().map(settingsOf));
    const found = await Promise.all([...new Set(files.flat())].map(file => this.read(file)));
    if (round !== this.round) return;
    this.collection.clear();
    this.collection.set(found.map(({ file, diagnostics }) => [vscode.Uri.file(file), diagnostics]));
  }

  private async read(file: string): Promise<{ readonly file: string; readonly diagnostics: vscode.Diagnostic[] }> {
    try {
      const text = await readRegularText(file);
      const content: unknown = JSON.parse(text);
      const { problems } = readShellHooks(content, { platform: process.platform, tools: this.parts.tools() });
      return { file, diagnostics: problems.map(problem => diagnosticOf(text, problem)) };
    } catch {
      return { file, diagnostics: [] }; // The file is missing or not JSON. The state of the adapter reports that.
    }
  }
}

/** Absolute paths of the settings files that a hook imports, if it is an adapter for shell hooks. */
async function settingsOf({ path, files = [] }: HookInfo): Promise<readonly string[]> {
  const settings = files.filter(file => file.endsWith('.json'));
  if (settings.length === 0) return [];
  try {
    return (await readRegularText(path)).startsWith(ADAPTER_MARK) ? settings : [];
  } catch {
    return []; // The hook was just removed. The next change of the hooks updates the diagnostics.
  }
}

const SEVERITIES: { readonly [S in ShellProblem['severity']]: vscode.DiagnosticSeverity } = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  info: vscode.DiagnosticSeverity.Information,
};

function diagnosticOf(text: string, { message, severity, path }: ShellProblem): vscode.Diagnostic {
  const { line, column, length } = placeInJson(text, path);
  const range = new vscode.Range(line, column, line, column + length);
  const diagnostic = new vscode.Diagnostic(range, message, SEVERITIES[severity]);
  diagnostic.source = DIAGNOSTIC_SOURCE;
  diagnostic.code = 'shell-hook';
  return diagnostic;
}
