import { commandForm, parametersOf } from '../../hook-contract/dialects/callbacks';
import type { LoadedHook, RegisteredCommand } from '../../hook-contract/loaded-hook';

/**
 * Whether the user should be asked for arguments before the command runs: the command completes them, or its code reads
 * them. True when this is not certain, because an empty answer costs one Enter but missing arguments may do harm.
 */
export function wantsArguments(
  command: Pick<RegisteredCommand, 'run' | 'completions' | 'form'>,
  dialect: LoadedHook['dialect'],
): boolean {
  if (command.completions !== undefined) return true;
  const text = Function.prototype.toString.call(command.run);
  if (/\{\s*\[native code\]\s*\}$/.test(text) || /\barguments\b/.test(text)) return true;
  const takesContext = command.form === 'command' || commandForm(command.run, dialect).takes === 'ctx';
  if (takesContext) return /\bargs(Raw)?\b/.test(text);
  const [first = ''] = parametersOf(command.run);
  if (first === '{' || first === '[') return true;
  return first !== '' && mentions(text, first) > 1;
}

function mentions(text: string, name: string): number {
  // Does not use `\b`, because a name may contain `$`.
  const words = text.match(/[\w$]+/g) ?? [];
  return words.filter(word => word === name).length;
}
