import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';

// `extension.ts` imports this file first. It gives the layers that do not know VS Code the translation that VS Code has
// read from l10n/ for its display language.
if (vscode.l10n.bundle !== undefined) l10n.config({ contents: vscode.l10n.bundle });
