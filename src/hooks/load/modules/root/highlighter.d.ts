/** The members of highlight.js that are used here. */
export declare const highlighter: {
  getLanguage(name: string): object | undefined;
  /** HTML with a class for each part of the code. */
  highlight(code: string, options: { language: string; ignoreIllegals: boolean }): { readonly value: string };
};
