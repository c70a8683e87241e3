/** The look of an exported session: readable in light and dark, on paper, and without anything from elsewhere. */
export const STYLE = `
:root { color-scheme: light dark; --ground: #ffffff; --text: #1f2328; --quiet: #59636e; --line: #d1d9e0; --raised: #f6f8fa;
  --accent: #0969da; --user: #ddf4ff; --bad: #cf222e; --good: #1a7f37; --added: #dafbe1; --removed: #ffebe9; }
@media (prefers-color-scheme: dark) { :root { --ground: #0d1117; --text: #e6edf3; --quiet: #9198a1; --line: #3d444d;
  --raised: #151b23; --accent: #4493f8; --user: #12233d; --bad: #f85149; --good: #3fb950; --added: #12261e; --removed: #2d1316; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 24px 20px 64px; max-width: 56rem; background: var(--ground); color: var(--text);
  font: 15px/1.55 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; overflow-wrap: anywhere; }
h1 { margin: 0 0 8px; font-size: 1.5rem; line-height: 1.25; }
h2 { margin: 0 0 6px; font-size: 0.8rem; font-weight: 600; color: var(--quiet); display: flex; flex-wrap: wrap; gap: 8px;
  align-items: baseline; }
h2 time { margin-left: auto; font-weight: 400; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 12px; margin: 0; color: var(--quiet); font-size: 0.87rem; }
dd { margin: 0; }
header, nav { margin-bottom: 24px; padding-bottom: 16px; border-bottom: 1px solid var(--line); }
nav ul { margin: 4px 0 0; padding-left: 20px; }
article { margin: 0 0 20px; scroll-margin-top: 12px; }
article.user { padding: 10px 14px; border-radius: 8px; background: var(--user); }
article:target { outline: 2px solid var(--accent); outline-offset: 6px; border-radius: 4px; }
.plain { white-space: pre-wrap; margin: 0; }
.label { padding: 0 7px; border: 1px solid var(--accent); border-radius: 10px; color: var(--accent); font-weight: 600; }
.mark { color: var(--quiet); font-size: 0.87rem; }
.problem { color: var(--bad); font-weight: 600; }
.fork { margin: -10px 0 20px; font-size: 0.87rem; color: var(--quiet); }
details { margin: 0 0 12px; border: 1px solid var(--line); border-radius: 8px; }
details > :not(summary) { margin: 0 12px 12px; }
summary { padding: 7px 12px; cursor: pointer; color: var(--quiet); }
summary code { color: var(--text); }
details.tool > summary::marker { color: var(--good); }
details.tool.failed > summary::marker, details.tool.failed .state { color: var(--bad); }
details.branch { margin-top: 32px; border-color: var(--accent); }
details.branch > summary { font-weight: 600; color: var(--text); }
pre { margin: 0 0 12px; padding: 10px 12px; border-radius: 6px; background: var(--raised); overflow: auto; max-height: 32rem;
  font: 0.85rem/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; white-space: pre-wrap; }
code { font: 0.88em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
:not(pre) > code { padding: 1px 4px; border-radius: 4px; background: var(--raised); }
.added { background: var(--added); } .removed { background: var(--removed); }
.diff span { display: block; }
table { display: block; overflow-x: auto; border-collapse: collapse; margin-bottom: 12px; }
th, td { padding: 4px 10px; border: 1px solid var(--line); }
blockquote { margin: 0 0 12px; padding: 0 12px; border-left: 3px solid var(--line); color: var(--quiet); }
img { max-width: 100%; max-height: 40rem; border: 1px solid var(--line); border-radius: 6px; }
a { color: var(--accent); }
footer { margin-top: 32px; padding-top: 12px; border-top: 1px solid var(--line); color: var(--quiet); font-size: 0.87rem; }
@media print { body { max-width: none; } details { break-inside: avoid; } pre { max-height: none; } }
`;
