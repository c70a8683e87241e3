/** What the HTML of a page is made from. */
export interface PageShell {
  readonly script: string;
  readonly style: string;
  readonly cspSource: string;
  /** A random value; a new one for each page. */
  readonly nonce: string;
  /** BCP 47 tag of VS Code's language. */
  readonly language: string;
  /** English message -> its translation; undefined in English. */
  readonly messages?: Readonly<Record<string, string>> | undefined;
}

/**
 * The HTML of a page. Its security policy allows only our own script (by its nonce, which also covers the chunks that it
 * imports), our own style sheet and fonts, and our own or inline images. So nothing is loaded from elsewhere, and markup
 * cannot run code. Only lit and DOMPurify may turn texts into markup.
 */
export function pageHtml(page: PageShell): string {
  const policy = [
    `default-src 'none'`,
    `script-src 'nonce-${page.nonce}'`,
    `style-src ${page.cspSource} 'nonce-${page.nonce}'`,
    `font-src ${page.cspSource}`,
    `img-src ${page.cspSource} data:`,
    `require-trusted-types-for 'script'`,
    `trusted-types lit-html dompurify`,
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="${attribute(page.language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${attribute(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${attribute(page.style)}">
<title>Hookline</title>
</head>
<body>
<div id="app"></div>
${translations(page.messages)}<script type="module" nonce="${page.nonce}" src="${attribute(page.script)}"></script>
</body>
</html>`;
}

/** The translations as JSON. The security policy allows it, because it is not code. No text in it can end the element. */
function translations(messages: PageShell['messages']): string {
  if (messages === undefined) return '';
  return `<script type="application/json" id="l10n">${JSON.stringify(messages).replaceAll('<', '\\u003c')}</script>\n`;
}

/** The HTML of a page that only shows an error. */
export function failureHtml(heading: string, detail: string): string {
  return `<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'">
</head>
<body role="alert"><p>${attribute(heading)}</p><pre>${attribute(detail)}</pre></body>
</html>`;
}

function attribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
