import { isRecord } from '../json/is-record';
import { isJsonList, put, type Json } from '../json/json';

/** Stands where a secret was. */
export const MARK = '[redacted]';

/** Shorter values are words of ordinary texts too often to be looked for in them, in characters. */
const SHORTEST_KNOWN = 8;
/** The most secrets that are kept, because tokens of logins change every hour. The oldest ones are forgotten first. */
const MOST_KNOWN = 500;
/** Words stand in the place of keys where none is needed ("lm-studio"), in characters. */
const LONGEST_WORD = 15;

/**
 * Secrets of this process, by value. They are one list for all, as a text may reach a user or a file on ways that know
 * nothing of where its secrets come from.
 */
let known: readonly string[] = [];
/** {@link known}, sorted. */
let longestFirst: readonly string[] = [];

/** Members whose text is a secret, whatever it looks like. */
const SECRET_NAME =
  /(?:^|[-_.]|[a-z](?=[A-Z]))(?:api[-_]?key|apikey|token|secret|password|passwd|passphrase|authorization|cookie|credentials?|private[-_]?key)$/i;

const PLACE = /^(?:[~.]?[\\/]|[a-z]:[\\/]|[a-z]+:\/\/)/i;
/** Headers, variables and parameters of addresses whose value is one. */
const SECRET_PARAMETER = /key|token|secret|passw|auth|cookie|credential|signature|^sig$/i;

/** Headers whose value everybody may know. The value of any other configured header can be a secret. */
const PUBLIC_HEADER =
  /^(?:accept(?:-.*)?|content-type|user-agent|cache-control|connection|anthropic-(?:beta|version)|openai-beta|(?:http-)?referer|x-title)$/i;
/** Variables of the environment that hold a secret by their name. */
const SECRET_VARIABLE =
  /(?:^|_)(?:API_?KEY|TOKEN(?:_BEDROCK)?|ACCESS_KEY|SECRET|SECRET_KEY|PRIVATE_KEY|PASSWORD|PASSWD|PASSPHRASE)$/i;

/**
 * Patterns of secrets in a text. The first group stays, so that readers see what was there. Every repetition before
 * another part is bounded, so that texts of models and tools cannot make the search quadratic.
 */
const SHAPES: readonly RegExp[] = [
  /(-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----)[\s\S]*?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|$)/g,
  /(\bauthorization["']?\s{0,4}[:=]\s{0,4}["']?(?:bearer|basic|token)\s{1,4})(?!\[redacted\])[^\s"',;]{4,}/gi,
  /(\bbearer\s{1,4})(?:(?=[\w.~+/-]{0,64}\d)[\w.~+/-]{8,}|[\w.~+/-]{16,})=*/gi,
  /()\b(?:sk|pk|rk)[-_][\w-]{12,}/g,
  /()\b(?:gh[opusr]_[A-Za-z0-9]{10,}|github_pat_\w{10,}|glpat-[\w-]{10,}|npm_[A-Za-z0-9]{20,}|hf_[A-Za-z0-9]{16,})/g,
  /()\bxox[abeoprs]-[\w-]{8,}/g,
  /()\b(?:AKIA|ASIA)[A-Z0-9]{12,}\b/g,
  /()\bAIza[\w-]{30,}/g,
  /()(?<![\w-])eyJ[\w-]{8,2000}\.[\w-]{8,4000}\.[\w-]*/g,
  /(:\/\/[^\s:/@"'`]{0,256}:)(?!\[redacted\])[^\s@/"'`]{1,256}(?=@)/g,
  /([?&](?:[\w-]{0,40}[-_])?(?:api[-_]?key|apikey|key|token|secret|password|signature|sig)=)(?!\[redacted\])[^\s&#"'`<>]{6,}/gi,
];

/** Every text with one of these shapes has one of these in it; most have not, and are not searched further. */
const MAY_HAVE_SHAPE: readonly RegExp[] = [
  /bearer|authorization|private key|:\/\/[^\s/@]{0,256}:[^\s/@]{0,256}@|[?&][\w-]{0,50}(?:key|token|secret|password|signature|sig)=/i,
  // Apart, since ignoring the case makes the search for these twice as long.
  /\b(?:sk|pk|rk)[-_]|\b(?:gh[opusr]_|github_pat_|glpat-|npm_|hf_|xox)|AKIA|ASIA|AIza|eyJ/,
];

/** What a text itself calls a secret. */
const NAMED =
  /((?:API[-_]?KEY|ACCESS[-_]?KEY|TOKEN|SECRET|PASSWORD|PASSWD)["']?\s{0,4}[=:]\s{0,4}["']?)(?!\[redacted\])[^\s"',;&]{4,}/gi;
const BASIC = /(\bbasic\s{1,4})[\w.~+/-]{8,}=*/gi;
/** Values of options, and words that are made of letters and digits as no word of a language is. */
const LIKELY: readonly RegExp[] = [
  /(--?[\w-]{0,40}(?:key|token|secret|password|passwd|auth)[=\s]{1,4}["']?)(?!\[redacted\])[^\s"'-][^\s"']*/gi,
  /(\s(?:-u|--user)\s{1,4}["']?[^\s:"']{1,256}:)[^\s"']+/g,
  /()(?<![\w./~$-])(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9_-]{16,}(?![\w./-])/g,
];

/**
 * Remembers a secret for as long as the process lives: {@link hideSecrets} takes it out wherever it stands. Values that
 * could as well be a word of a text (less than 8 characters, or a short one of letters alone) are not remembered.
 */
export function learnSecret(value: string | undefined): void {
  const secret = value?.trim() ?? '';
  // pi-ai says `<authenticated>` of credentials that it does not show.
  const isWord = secret.length <= LONGEST_WORD && /^(?:[a-z]+(?:-[a-z]+)*|<.*>)$/i.test(secret);
  if (secret.length < SHORTEST_KNOWN || isWord || known.includes(secret)) return;
  known = [...known, secret].slice(-MOST_KNOWN);
  longestFirst = sorted(known);
}

/** Longer ones first: one may hold another. */
function sorted(secrets: readonly string[]): readonly string[] {
  return secrets.toSorted((a, b) => b.length - a.length);
}

/**
 * {@link learnSecret} for those of a request's headers, or of a program's variables, that are one by their name. Paths and
 * addresses (`SSH_AUTH_SOCK`) are none.
 */
export function learnSecretsNamed(values: Readonly<Record<string, string | null | undefined>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (typeof value !== 'string' || !SECRET_PARAMETER.test(name) || PLACE.test(value)) continue;
    learnSecret(withoutScheme(value));
  }
}

/** {@link learnSecret} for all values, whatever their names are, but for paths and addresses. */
export function learnSecretValues(values: Readonly<Record<string, string>>): void {
  for (const value of Object.values(values)) if (!PLACE.test(value)) learnSecret(withoutScheme(value));
}

/** {@link learnSecret} for the values of configured headers, whatever their names are, but for headers that are public. */
export function learnSecretHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!PUBLIC_HEADER.test(name)) learnSecret(withoutScheme(value));
  }
}

/** {@link learnSecret} for those variables of an environment that hold a secret by their name. */
export function learnSecretVariables(env: NodeJS.ProcessEnv): void {
  learnSecretsNamed(Object.fromEntries(Object.entries(env).filter(([name]) => SECRET_VARIABLE.test(name))));
}

/**
 * {@link learnSecret} for the password and the parameters of an address; does nothing for a text that is not an
 * address.
 */
export function learnSecretsOfAddress(address: string): void {
  if (!/[@?]/.test(address) || !URL.canParse(address)) return;
  const { password, searchParams } = new URL(address);
  learnSecret(decoded(password));
  for (const [name, value] of searchParams) if (SECRET_PARAMETER.test(name)) learnSecret(value);
}

/**
 * A text that may be shown, logged or passed on: without the secrets of this process, without those of `own` (of 4
 * characters and more), and without what has the shape of a key, a token or a password in an address.
 */
export function hideSecrets(text: string, own: readonly (string | undefined)[] = []): string {
  const short = own.filter(value => value !== undefined && value.length >= 4 && !known.includes(value)) as string[];
  let rest = text;
  for (const secret of short.length === 0 ? longestFirst : sorted([...known, ...short])) {
    rest = rest.replaceAll(secret, MARK);
  }
  if (rest.length < SHORTEST_KNOWN || !MAY_HAVE_SHAPE.some(part => part.test(rest))) return rest;
  return SHAPES.reduce((left, shape) => left.replace(shape, `$1${MARK}`), rest);
}

/** {@link hideSecrets} for configured texts that are quoted in errors: everything that could be a secret is hidden. */
export function hideLikelySecrets(text: string): string {
  return LIKELY.reduce((left, shape) => left.replace(shape, `$1${MARK}`), redactText(text));
}

/** {@link hideSecrets} for headers. If the name of a header stands for a secret, the whole value is left out. */
export function hideSecretsOfHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const hidden = Object.entries(headers).map(([name, value]) => [
    name,
    SECRET_PARAMETER.test(name) ? MARK : hideSecrets(value),
  ]);
  return Object.fromEntries(hidden) as Record<string, string>;
}

/**
 * Plain data with {@link hideSecrets} done to each text but those of pictures; members keep their names. What has no
 * secrets in it is given back as it is, not copied.
 */
export function hideSecretsIn<T>(value: T): T {
  return hiddenIn(value) as T;
}

function hiddenIn(value: unknown): unknown {
  if (typeof value === 'string') return hideSecrets(value);
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value;
    const hidden = list.map(hiddenIn);
    return hidden.some((item, index) => item !== list[index]) ? hidden : list;
  }
  if (!isRecord(value)) return value;
  let copy: Record<string, Json> | undefined;
  for (const [name, member] of Object.entries(value)) {
    const isPicture = name === 'data' && typeof value['mimeType'] === 'string';
    const hidden = isPicture ? member : hiddenIn(member);
    if (hidden === member) continue;
    copy ??= { ...value } as Record<string, Json>;
    put(copy, name, hidden as Json);
  }
  return copy ?? value;
}

/** {@link hideSecrets} for records, where what a text itself calls a secret is taken out, too. */
export function redactText(text: string): string {
  const rest = hideSecrets(text);
  if (rest.length < SHORTEST_KNOWN || !/key|token|secret|passw|basic/i.test(rest)) return rest;
  return rest.replace(NAMED, `$1${MARK}`).replace(BASIC, `$1${MARK}`);
}

/** Plain data without secrets: known ones, members with the name of a secret, and texts that look like one. */
export function redact(value: Json): Json {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (isJsonList(value)) return value.map(redact);
  const copy: Record<string, Json> = {};
  for (const [name, member] of Object.entries(value)) {
    const hidden = typeof member === 'string' && member !== '' && SECRET_NAME.test(name);
    put(copy, redactText(name), hidden ? MARK : redact(member));
  }
  return copy;
}

function withoutScheme(header: string): string {
  return header.replace(/^(?:bearer|basic|token)\s+/i, '');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // A percent sign that encodes nothing.
  }
}
