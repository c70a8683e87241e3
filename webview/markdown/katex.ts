import katex from 'katex';

/**
 * Converts TeX to MathML. This module is a separate chunk, which is loaded with the first formula.
 * @throws katex.ParseError when KaTeX cannot parse the formula
 */
export function texToMathMl(tex: string, isDisplay: boolean): string {
  return katex.renderToString(tex, {
    output: 'mathml',
    displayMode: isDisplay,
    throwOnError: true,
    strict: 'ignore',
    trust: false,
    maxExpand: 500,
    maxSize: 20,
  });
}
