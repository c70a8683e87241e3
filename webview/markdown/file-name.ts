/** Matches a file name, optionally with a line number at the end. */
const FILE_NAME = /^[\w@.~+/\\-]+\.[A-Za-z][\w-]{0,15}(?::\d+)?$/;

/** The last file that is named in the element right before a block of code; undefined when there is none. */
export function pathBefore(block: Element): string | undefined {
  const names = [...(block.previousElementSibling?.querySelectorAll('code, [data-href]') ?? [])].map(
    element => element.textContent,
  );
  return names.findLast(name => FILE_NAME.test(name));
}

/** The file in the info string of a fence, such as `ts src/a.ts`, `ts title="src/a.ts"` or `src/a.ts`; undefined if none. */
export function pathOfInfo(info: string): string | undefined {
  const words = info.split(/[\s{}]+/).map(word => word.replace(/^\w+=/, '').replace(/^["']|["']$/g, ''));
  return words.find(word => FILE_NAME.test(word));
}
