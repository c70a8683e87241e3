import { put, type Json } from './snapshot';

/** Stands where a secret was. */
export const MARK = '[redacted]';

/** Members whose text is a secret, whatever it looks like. */
const SECRET_NAME =
  /(?:^|[-_.]|[a-z](?=[A-Z]))(?:api[-_]?key|apikey|token|secret|password|passwd|passphrase|authorization|cookie|credentials?|private[-_]?key)$/i;

/**
 * What looks like a secret inside of a text; the first group stays, so that one sees what stood there. Every repetition
 * that is followed by something is bounded: texts of models and tools must not make the search quadratic.
 */
const SECRETS: readonly RegExp[] = [
  /(-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----)[\s\S]*?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|$)/g,
  /((?:API[-_]?KEY|ACCESS[-_]?KEY|TOKEN|SECRET|PASSWORD|PASSWD)["']?\s{0,4}[=:]\s{0,4}["']?)(?!\[redacted\])[^\s"',;&]{4,}/gi,
  /\b((?:Bearer|Basic)\s{1,4})[\w.~+/-]{8,}=*/gi,
  /()\b(?:sk|pk|rk)[-_][\w-]{12,}/g,
  /()\b(?:gh[pousr]|github_pat|glpat|npm|xox[abprs]|hf)[-_][\w-]{10,}/g,
  /()\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /()\bAIza[\w-]{30,}/g,
  /()(?<![\w-])eyJ[\w-]{8,2000}\.[\w-]{8,4000}\.[\w-]*/g,
  /(:\/\/[^\s:/@]{0,64}:)[^\s@/]{1,256}(?=@)/g,
];

/** Every secret has one of these in it; most texts have none, and are not searched further. */
const SUSPICIOUS =
  /key|token|secret|passw|bearer|basic|:\/\/[^\s/@]{0,64}:[^\s/@]{0,256}@|\b(?:sk|pk|rk|gh[pousr]|github_pat|glpat|npm|xox[abprs]|hf)[-_]|AKIA|ASIA|AIza|eyJ/i;

/** A text without what looks like keys, tokens and passwords. */
export function redactText(text: string): string {
  if (text.length < 8 || !SUSPICIOUS.test(text)) return text;
  return SECRETS.reduce((rest, secret) => rest.replace(secret, `$1${MARK}`), text);
}

/** Plain data without secrets: those named so, and those that look so. */
export function redact(value: Json): Json {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return value.map(redact);
  const copy: Record<string, Json> = {};
  for (const [name, member] of Object.entries(value)) {
    const hidden = typeof member === 'string' && member !== '' && SECRET_NAME.test(name);
    put(copy, redactText(name), hidden ? MARK : redact(member));
  }
  return copy;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
