import * as l10n from '@vscode/l10n';

// Imported first by each page, so that no text is looked up before its translation is there. The host writes it into the
// page (`pageHtml`); an English page has none.
const messages = document.getElementById('l10n')?.textContent;
if (messages) l10n.config({ contents: messages });
