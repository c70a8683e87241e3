import type { Json } from './snapshot';

const MARK = '[redacted]';

/** Members whose text is a secret, whatever it looks like. */
const SECRET_NAME =
  /(?:^|[-_.]|[a-z](?=[A-Z]))(?:api[-_]?key|apikey|token|secret|password|passwd|passphrase|authorization|cookie|credentials?|private[-_]?key)$/i;

/** What looks like a secret inside of a text; the first group stays, so that one sees what stood there. */
const SECRETS: readonly RegExp[] = [
  /(-----BEGIN [A-Z ]*PRIVATE KEY-----)[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /\b([A-Z0-9_-]*(?:API[-_]?KEY|ACCESS[-_]?KEY|TOKEN|SECRET|PASSWORD|PASSWD)["']?\s*[=:]\s*["']?)(?!\[redacted\])[^\s"',;&]{4,}/gi,
  /\b((?:Bearer|Basic)\s+)[\w.~+/-]{8,}=*/gi,
  /()\b(?:sk|pk|rk)[-_][\w-]{12,}/g,
  /()\b(?:gh[pousr]|github_pat|glpat|npm|xox[abprs]|hf)[-_][\w-]{10,}/g,
  /()\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /()\bAIza[\w-]{30,}/g,
  /()\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g,
  /(\b[a-z][a-z0-9+.-]*:\/\/[^\s:/@]*:)[^\s@/]+(?=@)/gi,
];

/** A text without what looks like keys, tokens and passwords. */
export function redactText(text: string): string {
  if (text.length < 8) return text;
  return SECRETS.reduce((rest, secret) => rest.replace(secret, `$1${MARK}`), text);
}

/** Plain data without secrets: those named so, and those that look so (decisions.md, "Recording"). */
export function redact(value: Json): Json {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return value.map(redact);
  const copy: Record<string, Json> = {};
  for (const [name, member] of Object.entries(value)) {
    const hidden = typeof member === 'string' && member !== '' && SECRET_NAME.test(name);
    Object.defineProperty(copy, redactText(name), { value: hidden ? MARK : redact(member), enumerable: true });
  }
  return copy;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
