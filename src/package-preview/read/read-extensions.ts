import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { messageOf } from '../../base/errors';
import { slashed } from '../../base/files/slashed';
import { parseModule } from '../../hook-authoring/syntax/parse';
import { Roles, type ParameterRole } from '../../hook-authoring/syntax/roles';
import type { SyntaxTree } from '../../hook-authoring/syntax/syntax-tree';
import { isWithin } from '../../base/files/is-within';
import type { BabelTransform } from '../../hook-load/compile/compile';
import type { VirtualModules } from '../../hook-load/modules/virtual-modules';
import { namesPath, resolvePath } from '../../hook-load/graph/resolve';
import type { Claim } from '../../packages/approval/claim';
import { apiUses } from './api-uses';
import { isOfRuntime, type PackageUses } from './compatibility';
import { passedRoles, reexportedRoles } from './passed-roles';
import { moduleClaims, type ParsedModule } from './module-claims';
import { moduleLoads } from './module-loads';
import type { UnreadFile } from './preview';
import { searchText } from './text-search';

/** How much of one package is read. */
export interface ParseLimits {
  /** Length of the longest file that is parsed; longer files are only searched as text. */
  readonly file: number;
  /** Length of all parsed files together. */
  readonly total: number;
  /** When parsing ends, in ms since 1970. */
  readonly until: number;
}

/** What was found in the code of a package's extensions. */
export interface ReadExtensions {
  readonly claims: readonly Claim[];
  readonly used: PackageUses;
  /** The files that were read, as paths relative to the package's folder. */
  readonly reached: ReadonlySet<string>;
  readonly parsed: number;
  readonly unread: readonly UnreadFile[];
  /** The texts of the parsed files; the dialect is detected from them and from `methods`. */
  readonly texts: readonly string[];
  readonly methods: ReadonlySet<string>;
}

/**
 * Reads the code of a package's extensions: their entry files, then the files of the package that these import by path.
 */
export class ExtensionReader {
  private readonly claims: Claim[] = [];
  private readonly members: PackageUses['members'][number][] = [];
  private readonly events: PackageUses['events'][number][] = [];
  private readonly exports: PackageUses['exports'][number][] = [];
  private readonly unread: UnreadFile[] = [];
  private readonly texts: string[] = [];
  private readonly methods = new Set<string>();
  private readonly reached = new Set<string>();
  private readonly handed = new Map<string, ParameterRole[]>();
  private bytes = 0;

  /** `folder` must have its symbolic links resolved. */
  constructor(
    private readonly folder: string,
    private readonly babel: BabelTransform,
    private readonly modules: VirtualModules,
    private readonly limits: ParseLimits,
  ) {}

  async read(entries: readonly string[]): Promise<ReadExtensions> {
    const open = [...entries];
    const seen = new Set(open);
    for (let path = open.shift(); path !== undefined; path = open.shift()) {
      for (const next of await this.readFile(path)) {
        if (!seen.has(next)) open.push(next);
        seen.add(next);
      }
    }
    const { claims, members, events, exports, reached, texts, unread, methods } = this;
    return { claims, used: { members, events, exports }, reached, parsed: texts.length, unread, texts, methods };
  }

  /** Reads a file. Returns the paths of the package's files that it imports by path. */
  private async readFile(path: string): Promise<readonly string[]> {
    const file = slashed(relative(this.folder, path));
    this.reached.add(file);
    let text: string;
    try {
      text = (await readFile(path, 'utf8')).replace(/^\uFEFF/, '');
    } catch (error) {
      this.unread.push({ file, why: { type: 'unreadable', message: messageOf(error) } });
      return [];
    }
    if (file.endsWith('.json')) return [];
    const tooLong = this.tooLong(text.length);
    if (tooLong !== undefined) return this.onlySearch(file, text, tooLong);
    this.bytes += text.length;
    const parsed = this.parse(path, text);
    if ('message' in parsed) {
      return this.onlySearch(file, text, { type: 'broken', ...parsed });
    }
    this.texts.push(text);
    return this.take(file, path, parsed);
  }

  private tooLong(bytes: number): UnreadFile['why'] | undefined {
    if (bytes > this.limits.file) return { type: 'tooLarge', bytes };
    return this.bytes + bytes > this.limits.total || Date.now() > this.limits.until ? { type: 'tooMuch' } : undefined;
  }

  private parse(path: string, text: string): SyntaxTree | { readonly message: string; readonly line: number } {
    try {
      const parsed = parseModule(this.babel, path, text, { forgiving: true });
      if (parsed.ok) return parsed.value;
      return { message: parsed.problems[0]?.message ?? '', line: parsed.problems[0]?.line ?? 1 };
    } catch (error) {
      // The code is nested so deeply that the stack overflowed.
      return { message: messageOf(error), line: 1 };
    }
  }

  private onlySearch(file: string, text: string, why: UnreadFile['why']): readonly string[] {
    this.unread.push({ file, why });
    this.claims.push(...searchText(file, text, { hosts: true }));
    return [];
  }

  private take(file: string, path: string, tree: SyntaxTree): readonly string[] {
    const given = this.handed.get(path) ?? [];
    const roles = new Roles(tree, given, { guesses: true });
    const loads = moduleLoads(tree, specifier => isOfRuntime(specifier, this.modules));
    const module: ParsedModule = { file, roles, loads };
    this.claims.push(...moduleClaims(module));
    this.members.push(...apiUses(module));
    for (const { method, names, call } of roles.calls) {
      this.methods.add(method);
      const place = { file, line: tree.lineAt(call.start) };
      if (method === 'on') this.events.push(...names.map(name => ({ name, place })));
    }
    for (const { specifier, names, node } of loads) {
      if (specifier === undefined || !isOfRuntime(specifier, this.modules)) continue;
      const place = { file, line: tree.lineAt(node.start) };
      this.exports.push({ specifier, name: '', place });
      this.exports.push(...names.map(each => ({ specifier, name: each.name, place })));
    }
    this.handOn(path, roles, given);
    return loads.flatMap(({ specifier }) => this.ownFile(specifier, path) ?? []);
  }

  private handOn(path: string, roles: Roles, given: readonly ParameterRole[]): void {
    for (const { specifier, role } of [...passedRoles(roles), ...reexportedRoles(roles.tree, given)]) {
      const target = this.ownFile(specifier, path);
      if (target === undefined) continue;
      this.handed.set(target, [...(this.handed.get(target) ?? []), role]);
    }
  }

  private ownFile(specifier: string | undefined, importer: string): string | undefined {
    if (specifier === undefined || !namesPath(specifier)) return undefined;
    const file = resolvePath(specifier, importer);
    return file !== undefined && isWithin(file, this.folder) ? file : undefined;
  }
}
