import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { resourcePath } from '../agent/settings/configured-path';
import { defined } from '../base/defined';
import { messageOf } from '../base/errors';
import { failed, ok, type Result } from '../base/result';

/** Where a package is declared: in the user's settings, in the project's, or on the command line of one process. */
export type PackageScope = 'user' | 'project' | 'temporary';

/** What a text such as `npm:name@1.2.3` means. */
export type PackageSource =
  | {
      readonly type: 'npm';
      readonly name: string;
      /** An exact version, a range or a tag, as written. */
      readonly version?: string;
    }
  | {
      readonly type: 'git';
      /** The URL that git clones, without the ref. */
      readonly url: string;
      readonly host: string;
      /** Path on the host without `.git`, such as `owner/repo`. */
      readonly path: string;
      /** A branch, tag or commit. */
      readonly ref?: string;
    }
  | {
      readonly type: 'local';
      /** Absolute path of a folder, or of a file that is one extension. */
      readonly path: string;
    };

/** The folders below which packages are installed. Both are absolute. */
export interface PackagePlaces {
  readonly agentDir: string;
  readonly cwd: string;
}

/**
 * Parses a source as written in settings files and command lines: `npm:name[@version]`, `git:…`, the URL of a git
 * repository, or a path. Relative paths start at `base`, an absolute folder. For an invalid text, the problem quotes
 * it.
 */
export function parsePackageSource(written: string, base: string, home: string = homedir()): Result<PackageSource> {
  const text = written.trim();
  const refuse = (why: string): Result<PackageSource> => failed({ message: `Package source "${written}": ${why}` });
  if (text === '') return refuse('it is empty.');
  if (text.includes('\0')) return refuse('it contains a NUL character.');
  if (text.startsWith('npm:')) return parseNpm(text.slice('npm:'.length).trim(), refuse);
  if (/^git:(?!\/\/)/.test(text)) return parseGit(text.slice('git:'.length).trim(), refuse);
  if (/^(https?|ssh|git):\/\//i.test(text)) return parseGit(text, refuse);
  if (/^git@[^/\\]+:/.test(text)) return refuse(`a repository at this address is written "git:${text}".`);
  // A single letter before the colon is a drive of Windows.
  if (/^(?!file:)[a-z][a-z0-9+.-]+:/i.test(text)) return refuse('it starts with neither "npm:" nor "git:".');
  try {
    return ok({ type: 'local', path: resourcePath(text, base, home) });
  } catch (error) {
    return refuse(messageOf(error)); // A file: URL that has no path.
  }
}

/**
 * The identity of a package, without its version: its npm name, its repository without the protocol, or its absolute
 * path, without regard to case on Windows. Two sources with the same identity are the same package.
 */
export function packageIdentity(source: PackageSource, platform: NodeJS.Platform = process.platform): string {
  if (source.type === 'npm') return `npm:${source.name}`;
  if (source.type === 'git') return `git:${source.host}/${source.path}`;
  return `local:${platform === 'win32' ? source.path.toLowerCase() : source.path}`;
}

/** The folder of the npm project in which the npm packages of a scope are installed as dependencies, absolute. */
export function npmProjectFolder(scope: PackageScope, places: PackagePlaces): string {
  if (scope === 'temporary') return temporaryFolder(places, 'npm');
  return join(ownFolder(scope, places), 'npm');
}

/** The folder or file of a package in a scope, absolute; it need not exist. */
export function packageFolder(source: PackageSource, scope: PackageScope, places: PackagePlaces): string {
  if (source.type === 'local') return source.path;
  if (source.type === 'npm') return join(npmProjectFolder(scope, places), 'node_modules', source.name);
  const { host, path, ref } = source;
  if (scope === 'temporary') return temporaryFolder(places, `git-${host}`, path, ref);
  return join(ownFolder(scope, places), 'git', host, path);
}

/** The folder at which relative paths in `packages` of a scope start, absolute: the folder of its settings file. */
export function ownFolder(scope: PackageScope, { agentDir, cwd }: PackagePlaces): string {
  if (scope === 'user') return agentDir;
  return scope === 'project' ? join(cwd, '.pi') : cwd;
}

/** Each ref of a repository has its own checkout, so that two refs can be tried at the same time. */
function temporaryFolder({ agentDir }: PackagePlaces, kind: string, path = '', ref?: string): string {
  const named = `${kind}-${path}${ref === undefined ? '' : `@${ref}`}`;
  const hash = createHash('sha256').update(named).digest('hex').slice(0, 8);
  return join(agentDir, 'tmp', 'extensions', kind, hash, path);
}

type Refuse = (why: string) => Result<PackageSource>;

const NPM_NAME = /^(?:@[a-z0-9~][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*$/i;

function parseNpm(spec: string, refuse: Refuse): Result<PackageSource> {
  const at = spec.indexOf('@', 1);
  const name = at === -1 ? spec : spec.slice(0, at);
  const version = at === -1 ? undefined : spec.slice(at + 1).trim();
  if (name === '') return refuse('the name of the npm package is missing.');
  if (!NPM_NAME.test(name) || name.toLowerCase() === 'node_modules') {
    return refuse(`"${name}" is not the name of an npm package.`);
  }
  if (version === undefined) return ok({ type: 'npm', name });
  if (version === '' || /^-|[/\\:]/.test(version)) {
    return refuse(`"${version}" is neither a version, nor a range, nor a tag.`);
  }
  return ok({ type: 'npm', name, version });
}

const KNOWN_HOSTS: Readonly<Record<string, string>> = {
  github: 'github.com',
  gitlab: 'gitlab.com',
  bitbucket: 'bitbucket.org',
};

/** A parsed address of a repository; git clones `start` plus the path. `rest` is the path, perhaps with a ref. */
interface Address {
  readonly start: string;
  readonly host: string;
  readonly rest: string;
}

function parseGit(text: string, refuse: Refuse): Result<PackageSource> {
  if (text === '') return refuse('the address of the repository is missing.');
  const address = addressOf(text);
  if (address === undefined) return refuse('it does not name a host and a repository, such as "git:host/owner/repo".');
  const { start, host } = address;
  const { given, ref } = splitRef(address.rest, host);
  const path = given.replace(/\/+$/, '').replace(/\.git$/, '');
  if (path.split('/').length < 2) return refuse('it does not name a repository, such as "owner/repo".');
  if (isUnsafe(host) || host.includes('/')) return refuse(`"${host}" cannot be used as the name of a host.`);
  if (isUnsafe(path)) return refuse(`"${path}" cannot be used as the path of a repository.`);
  if (ref !== undefined && (ref.startsWith('-') || /\s/.test(ref))) return refuse(`"${ref}" is not a ref.`);
  return ok({ type: 'git', url: start + given, host, path, ...defined({ ref }) });
}

function addressOf(text: string): Address | undefined {
  const copied = /^(git@([^:/]+):)(.+)$/.exec(text);
  if (copied) return { start: copied[1] ?? '', host: knownHost(copied[2] ?? ''), rest: copied[3] ?? '' };
  if (/^(https?|ssh|git):\/\//i.test(text)) return addressOfUrl(text);
  const short = /^(github|gitlab|bitbucket):(.+)$/.exec(text);
  const named = KNOWN_HOSTS[short?.[1] ?? ''];
  if (short && named !== undefined) return { start: `https://${named}/`, host: named, rest: short[2] ?? '' };
  const [first = '', ...others] = text.split('/');
  const rest = others.join('/');
  if (first.includes('.') || first === 'localhost') {
    return first.startsWith('.') ? undefined : { start: `https://${first}/`, host: knownHost(first), rest };
  }
  const isOnGitHub = others.length === 1 && !first.includes(':');
  return isOnGitHub ? { start: 'https://github.com/', host: 'github.com', rest: text } : undefined;
}

function addressOfUrl(text: string): Address | undefined {
  const [, protocol = '', authority = '', rest = ''] = /^([a-z]+:\/\/)([^/]*)\/(.*)$/i.exec(text) ?? [];
  try {
    return { start: `${protocol}${authority}/`, host: new URL(text).hostname, rest };
  } catch {
    return undefined; // This is not a URL; the caller reports what is expected.
  }
}

function knownHost(host: string): string {
  const lower = host.toLowerCase();
  return Object.values(KNOWN_HOSTS).includes(lower) ? lower : host;
}

/** Splits `owner/repo@ref`, `owner/repo#ref`, or the path of a branch's page on GitHub. */
function splitRef(rest: string, host: string): { readonly given: string; readonly ref?: string } {
  const page = host === 'github.com' ? /^([^/]+\/[^/]+)\/tree\/(.+?)\/?$/.exec(rest) : null;
  const found = page ?? /^([^@#]+)[@#](.+)$/.exec(rest);
  return found ? { given: found[1] ?? '', ref: found[2] ?? '' } : { given: rest };
}

/** Whether a part of an address could name a path outside of the package folder, or be read as an option by git. */
function isUnsafe(part: string): boolean {
  let decoded: string;
  try {
    decoded = decodeURIComponent(part);
  } catch {
    return true;
  }
  return [part, decoded].some(
    text => /[\\\0]|^-/.test(text) || text.split('/').some(name => name === '' || name === '.' || name === '..'),
  );
}
