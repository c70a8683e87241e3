import katex from 'katex';

/**
 * Sets TeX as MathML. This module is loaded as a chunk of its own, when the first formula is met.
 * @throws katex.ParseError naming what it does not understand
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
