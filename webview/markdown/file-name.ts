/** Looks like the name of a file, a line number at its end allowed. */
const FILE_NAME = /^[\w@.~+/\\-]+\.[A-Za-z][\w-]{0,15}(?::\d+)?$/;

/** The last file that is named in what is right before a block of code. */
export function pathBefore(block: Element): string | undefined {
  const names = [...(block.previousElementSibling?.querySelectorAll('code, [data-href]') ?? [])].map(
    element => element.textContent,
  );
  return names.findLast(name => FILE_NAME.test(name));
}

/** The file that the info of a fence names: `ts src/a.ts`, `ts title="src/a.ts"`, `src/a.ts`. */
export function pathOfInfo(info: string): string | undefined {
  const words = info.split(/[\s{}]+/).map(word => word.replace(/^\w+=/, '').replace(/^["']|["']$/g, ''));
  return words.find(word => FILE_NAME.test(word));
}
