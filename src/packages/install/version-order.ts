const EXACT = /^v?(\d+)\.(\d+)\.(\d+)(?:-([0-9a-z.-]+))?(?:\+[0-9a-z.-]+)?$/i;

/** Whether a text names one exact version, not a range or a tag. A package with such a version is pinned. */
export function isExactVersion(text: string): boolean {
  return EXACT.test(text.trim());
}

/** Negative when `a` comes before `b` by the rules of semantic versions; a text that is not a version comes first. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [EXACT.exec(a.trim()), EXACT.exec(b.trim())];
  if (left === null || right === null) return Number(left !== null) - Number(right !== null);
  for (const part of [1, 2, 3]) {
    const difference = Number(left[part]) - Number(right[part]);
    if (difference !== 0) return difference;
  }
  return comparePrereleases(left[4], right[4]);
}

function comparePrereleases(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  const [left, right] = [a.split('.'), b.split('.')];
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const difference = compareIdentifiers(left[index], right[index]);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Numbers come before words; a missing identifier comes before both. */
function compareIdentifiers(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
  const isNumber = [a, b].map(each => /^\d+$/.test(each));
  if (isNumber[0] === true && isNumber[1] === true) return Number(a) - Number(b);
  if (isNumber[0] !== isNumber[1]) return isNumber[0] === true ? -1 : 1;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
