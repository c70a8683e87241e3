/** Begins a block of code in markdown; what follows a run of backticks holds none. */
const OPENS = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;

/**
 * A text without its fenced blocks of code: an `@` in code is an annotation or a package, not a mention of a file. As
 * in Markdown, a block without an end reaches to the end of the text.
 */
export function outsideFences(text: string): string {
  let fence = '';
  const kept: string[] = [];
  for (const line of text.split('\n')) {
    if (fence === '') {
      fence = OPENS.exec(line)?.[1] ?? '';
      if (fence === '') kept.push(line);
    } else if (closes(line, fence)) fence = '';
  }
  return kept.join('\n');
}

function closes(line: string, fence: string): boolean {
  const marks = line.trim();
  return marks.length >= fence.length && marks === fence.slice(0, 1).repeat(marks.length) && !/^ {4}/.test(line);
}
