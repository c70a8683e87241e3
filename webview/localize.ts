import * as l10n from '@vscode/l10n';

// Each page imports this file first, so that translations are loaded before any text is looked up. The host writes them
// into the page (`pageHtml`); an English page has none.
const messages = document.getElementById('l10n')?.textContent;
if (messages) l10n.config({ contents: messages });
