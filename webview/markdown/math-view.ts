import { toMathFragment } from './sanitize';

type TexToMathMl = (tex: string, isDisplay: boolean) => string;

/** Formulas kept as markup: the last block of an answer is drawn again and again while it grows. */
const KEPT = 300;

let texToMathMl: TexToMathMl | undefined;
let loading: Promise<Error | undefined> | undefined;
const set = new Map<string, string | Error>();

/** Replaces the source of each `.math` below `root` by the set formula; what cannot be set stays source and says why. */
export function drawMath(root: ParentNode): void {
  const formulas = [...root.querySelectorAll<HTMLElement>('.math[data-tex]')];
  if (formulas.length === 0) return;
  if (texToMathMl !== undefined) for (const formula of formulas) draw(formula, texToMathMl);
  else {
    // Until the code is here they are source; some may have been replaced by then.
    void load().then(missing => {
      for (const formula of formulas) {
        if (texToMathMl !== undefined) draw(formula, texToMathMl);
        else if (missing !== undefined) fail(formula, missing);
      }
    });
  }
}

/** Loads the code that sets formulas, once; resolves with why not when that fails, and the next formula tries again. */
function load(): Promise<Error | undefined> {
  loading ??= import('./katex').then(
    module => {
      texToMathMl = module.texToMathMl;
      return undefined;
    },
    (error: unknown) => {
      loading = undefined;
      return error instanceof Error ? error : new Error(String(error));
    },
  );
  return loading;
}

function draw(formula: HTMLElement, render: TexToMathMl): void {
  const { tex = '' } = formula.dataset;
  const isDisplay = formula.classList.contains('math-display');
  const result = cached(tex, isDisplay, render);
  if (typeof result === 'string') formula.replaceChildren(withLetters(toMathFragment(result)));
  else fail(formula, result);
}

/**
 * A variable is one letter, which a browser takes from the mathematical alphabets: fonts that have them are missing on
 * many systems. Marked, it can be set in the italics that every font has.
 */
function withLetters(fragment: DocumentFragment): DocumentFragment {
  for (const identifier of fragment.querySelectorAll('mi:not([mathvariant])')) {
    if (/^.$/u.test(identifier.textContent)) identifier.classList.add('math-letter');
  }
  return fragment;
}

function fail(formula: HTMLElement, { message }: Error): void {
  formula.classList.add('math-error');
  formula.title = message;
}

function cached(tex: string, isDisplay: boolean, render: TexToMathMl): string | Error {
  const key = `${isDisplay ? 'd' : 'i'}${tex}`;
  const known = set.get(key);
  if (known !== undefined) return known;
  const result = attempt(tex, isDisplay, render);
  if (set.size >= KEPT) set.clear();
  set.set(key, result);
  return result;
}

function attempt(tex: string, isDisplay: boolean, render: TexToMathMl): string | Error {
  try {
    return render(tex, isDisplay);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
