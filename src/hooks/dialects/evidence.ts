/** What the text of a hook's files tells, comments left out. */
export interface TextEvidence {
  /** Module specifiers of all imports, type-only ones included. */
  readonly specifiers: readonly string[];
  /** Names imported from pi's packages. */
  readonly imported: ReadonlySet<string>;
  /** Code without comments, strings kept. */
  readonly code: string;
  /** Word after `@pi-dialect` in a comment. */
  readonly override: string | undefined;
}

const PI_PACKAGE = /^@(mariozechner|oh-my-pi|gsd|earendil-works)\//;

/** Reads the evidence off the entry and the files it imports relatively, the entry first. */
export function evidenceIn(texts: readonly string[]): TextEvidence {
  const override = texts
    .map(text => /\/[/*]+\s*@pi-dialect\s+([\w-]+)/.exec(text)?.[1])
    .find(word => word !== undefined);
  const code = texts.map(withoutComments).join('\n');
  const specifiers: string[] = [];
  const imported = new Set<string>();
  for (const match of code.matchAll(/\b(?:import|export)\s+(?:type\s+)?([^'"`;()]*?)\s*from\s*(['"])([^'"\n]+)\2/g)) {
    const [, clause = '', , specifier = ''] = match;
    specifiers.push(specifier);
    if (!PI_PACKAGE.test(specifier)) continue;
    for (const name of clause.matchAll(/[A-Za-z_$][\w$]*/g)) imported.add(name[0]);
  }
  for (const match of code.matchAll(/\b(?:import|require)\s*\(?\s*(['"])([^'"\n]+)\1/g)) {
    specifiers.push(match[2] ?? '');
  }
  return { specifiers, imported, code, override };
}

const TOKEN = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g;

/** Blanks out comments; strings are skipped as a whole, so that `"http://x"` stays. */
function withoutComments(text: string): string {
  return text.replace(TOKEN, token => (token.startsWith('//') || token.startsWith('/*') ? ' ' : token));
}
