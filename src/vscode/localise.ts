import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';

// Imported first by the composition root: texts of the layers below, which do not know VS Code, are looked up in the
// translation that VS Code has read for its own language from l10n/.
if (vscode.l10n.bundle !== undefined) l10n.config({ contents: vscode.l10n.bundle });
