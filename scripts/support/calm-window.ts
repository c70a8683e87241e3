/** Settings with which VS Code draws less, and starts one server for TypeScript instead of two. */
export const CALM_SETTINGS = {
  'editor.cursorBlinking': 'solid',
  'js/ts.tsserver.useSyntaxServer': 'never',
  'workbench.reduceMotion': 'on',
} as const;

/**
 * Runs in each frame. Stops all animations and transitions, such as fading scrollbars: a browser without GPU draws the page
 * anew for each of their steps. The interval adds the sheet again, because a webview replaces its document.
 */
export const STILL_SCRIPT = `
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('*, ::before, ::after { animation: none !important; transition: none !important; }');
  setInterval(() => {
    if (!document.adoptedStyleSheets.includes(sheet)) document.adoptedStyleSheets.push(sheet);
  }, 500);
`;
