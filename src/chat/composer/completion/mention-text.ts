/** What a mention looks like in the text: quoted when the path has blanks or what a sentence may put behind it. */
export function mentionText(path: string): string {
  return /[\s"']|[.,;:!?)\]}]$/.test(path) ? `@"${path}"` : `@${path}`;
}
