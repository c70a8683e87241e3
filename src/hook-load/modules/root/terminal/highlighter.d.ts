/** The members of highlight.js that are used here. */
export declare const highlighter: {
  getLanguage(name: string): object | undefined;
  /** Returns HTML in which each part of the code has a class. */
  highlight(code: string, options: { language: string; ignoreIllegals: boolean }): { readonly value: string };
};
