import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Type, type Static } from '@sinclair/typebox';
import { withFileLock } from '../../agent/models/keys/file-lock';
import { replaceFile } from '../../agent/tools/files/writing/replace-file';
import { defined } from '../../base/defined';
import { messageOf } from '../../base/errors';
import { failed, ok, type Result } from '../../base/result';
import { parse } from '../../base/json/schema';
import { CLAIM_KINDS, HIDDEN_NAMES, type Claim, type ClaimName, type HiddenName } from './claim';

const NAMED_CLAIM = Type.Object({
  kind: Type.String(),
  name: Type.String(),
  detail: Type.Optional(Type.String()),
});

/** A version of a package as it is stored. */
export const APPROVED = Type.Object({
  version: Type.Optional(Type.String()),
  /** Hash of the package's content. */
  hash: Type.String(),
  /** {@link PackageContent.signature} at the time when the files last had this hash. */
  signature: Type.Optional(Type.String()),
  /** ISO 8601. */
  approvedAt: Type.String(),
  claims: Type.Array(NAMED_CLAIM),
});

const CONTENT = Type.Object({
  /** The approved versions by identity of the package, the latest last. */
  approved: Type.Optional(Type.Record(Type.String(), Type.Array(APPROVED))),
  /** Identities of packages that are turned off. */
  off: Type.Optional(Type.Array(Type.String())),
});

/** A version of a package that the user approved. */
export type ApprovedVersion = Static<typeof APPROVED>;
/** The user's decisions about packages. */
export type PackageApprovals = Static<typeof CONTENT>;

/** How many approved versions of a package are kept, since the project and the user may use different ones. */
const MOST_VERSIONS = 6;

/**
 * `<agent-dir>/hookline/packages.json`, which all windows and processes of a user share. It is read again at each call.
 * Members that this version does not know are kept.
 */
export class ApprovalFile {
  readonly path: string;

  constructor(agentDir: string) {
    this.path = join(agentDir, 'hookline', 'packages.json');
  }

  /** The decisions; none if there is no file. A file that cannot be used gives a problem that names it. */
  async read(): Promise<Result<PackageApprovals>> {
    let text: string;
    try {
      text = await readFile(this.path, 'utf8');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ok({});
      return this.unusable(messageOf(error));
    }
    try {
      const content = parse(CONTENT, JSON.parse(text.replace(/^\uFEFF/, '')));
      return content.ok ? content : this.unusable(content.problems.map(({ message }) => message).join(', '));
    } catch (error) {
      return this.unusable(`it is not JSON: ${messageOf(error)}`);
    }
  }

  /**
   * Stores a version of a package as approved. Rejects if writing fails, and if the file cannot be used: what it says
   * about other packages must not get lost.
   */
  approve(identity: string, version: ApprovedVersion): Promise<void> {
    return this.change(content => {
      const others = (content.approved?.[identity] ?? []).filter(({ hash }) => hash !== version.hash);
      const before = content.approved?.[identity]?.find(({ hash }) => hash === version.hash);
      const versions = [...others, { ...before, ...version }].slice(-MOST_VERSIONS);
      return { ...content, approved: { ...content.approved, [identity]: versions } };
    });
  }

  /** Turns a package off or on. Rejects as {@link approve} does. */
  turn(identity: string, isOff: boolean): Promise<void> {
    return this.change(content => {
      const others = (content.off ?? []).filter(each => each !== identity);
      return { ...content, off: isOff ? [...others, identity] : others };
    });
  }

  private async change(change: (content: PackageApprovals) => PackageApprovals): Promise<void> {
    await mkdir(dirname(this.path), { recursive: true });
    await withFileLock(this.path, async () => {
      const read = await this.read();
      if (!read.ok) throw new Error(read.problems[0]?.message);
      const after = change(read.value);
      if (!isDeepStrictEqual(read.value, after)) await replaceFile(this.path, `${JSON.stringify(after, null, 2)}\n`);
    });
  }

  private unusable(why: string): Result<never> {
    const message = `${this.path} cannot be used, so no package runs until you correct or delete it: ${why}`;
    return failed({ message, file: this.path });
  }
}

/** The claims of an approved version, without those that only a newer version of Hookline knows. */
export function claimsOf({ claims }: ApprovedVersion): readonly Claim[] {
  return claims.flatMap(({ kind, name, detail }) => {
    const known = knownName(kind, name);
    return known === undefined ? [] : [{ ...known, places: [], ...defined({ detail }) }];
  });
}

function knownName(kind: string, name: string): ClaimName | undefined {
  if (kind === 'hidden') return hiddenNamed(name);
  const known = CLAIM_KINDS.find(each => each === kind);
  return known === undefined || known === 'hidden' ? undefined : { kind: known, name };
}

function hiddenNamed(stored: string): ClaimName | undefined {
  const known = HIDDEN_NAMES.find(each => each === stored) ?? OLDER_NAMES[stored];
  if (known !== undefined) return { kind: 'hidden', name: known };
  const pieced = /^puts together the name of a module: (.*)$/s.exec(stored)?.[1];
  return pieced === undefined ? undefined : { kind: 'piecedModule', name: pieced };
}

/** Names as Hookline wrote them before they were values. */
const OLDER_NAMES: Readonly<Record<string, HiddenName>> = {
  'loads a module whose name is computed': 'computedModule',
  'runs text as code': 'codeFromText',
  'listens to an event whose name is computed': 'computedEvent',
  'links to files outside of the package': 'outsideLink',
};
