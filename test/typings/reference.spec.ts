import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../../scripts/support/paths.ts';
import { typedHooks, type HookWorkspace } from './editor';

/** Members that every payload, entry or message has, said once. */
const COMMON: ReadonlySet<string> = new Set(['type', 'role']);
const ENTRY_BASE: ReadonlySet<string> = new Set(['id', 'parentId', 'timestamp']);

describe('docs/hook-reference.md', function () {
  this.timeout(120_000);
  const text = readFileSync(join(ROOT, 'docs', 'hook-reference.md'), 'utf8');
  let declared: Declarations;
  const types = typedHooks(() => ({ '.pi/hooks/reference.ts': "import '@mariozechner/pi-coding-agent';\n" }));
  before(async () => {
    declared = new Declarations(await types());
  });

  it('has a row for every event, with every member of its payload', () => {
    const rows = rowsOf(text, 'Payloads');
    const events = declared.events();
    assert.deepEqual([...rows.keys()].sort(), [...events.keys()].sort());
    for (const [event, { payload }] of events) {
      if (event !== 'session') assertNamed(rows.get(event), payload, event);
    }
  });

  it('has every member that a reason of `session` brings', () => {
    const rows = rowsOf(text, 'Reasons of `session`');
    const base = new Set(['entries', 'sessionFile', 'previousSessionFile', 'reason']);
    const reasons = declared.reasons();
    assert.deepEqual([...rows.keys()].sort(), [...reasons.keys()].sort());
    for (const [reason, members] of reasons) {
      assertNamed(
        rows.get(reason),
        members.filter(name => !base.has(name)),
        reason,
      );
    }
  });

  it('has every member of every answer', () => {
    const rows = rowsOf(text, 'Answers');
    const answered = [...declared.events()].filter(([, { answer }]) => answer !== undefined);
    assert.deepEqual([...rows.keys()].sort(), answered.map(([event]) => event).sort());
    for (const [event, { answer = [] }] of answered) assertNamed(rows.get(event), answer, event);
  });

  it('has every member of messages, entries and parts', () => {
    const rows = new Map([
      ...rowsOf(text, 'Messages', 1),
      ...rowsOf(text, 'Entries of a session', 1),
      ...rowsOf(text, 'Parts'),
    ]);
    assert.ok(rows.size > 30);
    for (const [name, row] of rows) {
      const members = declared.membersOf(name);
      if (members === undefined) continue; // pi-ai's own.
      const isEntry = name.endsWith('Entry');
      assertNamed(
        row,
        members.filter(member => !isEntry || !ENTRY_BASE.has(member)),
        name,
      );
    }
  });

  it('leaves out no interface of messages, entries and parts', () => {
    for (const file of [
      ...['session/messages', 'session/entries', 'session/event-parts'],
      ...['registered/provider', 'context/tool-definition'],
    ]) {
      const missing = declared.namesIn(file).filter(name => !text.includes(`\`${name}\``) && !DERIVED.has(name));
      assert.deepEqual(missing, [], file);
    }
  });

  it('names every member of pi, ctx and ctx.ui', () => {
    for (const name of [
      ...['HookAPI', 'ExtensionAPI', 'OmpHookAPI'],
      ...['HookCommandContext', 'ExtensionCommandContext', 'ExtensionToolContext'],
    ]) {
      assertNamed(text, declared.membersOf(name) ?? [], name);
    }
    for (const name of ['HookUIContext', 'ExtensionUIContext', 'SessionManager', 'DialogOptions', 'CustomOptions']) {
      const known = text + readFileSync(join(ROOT, 'docs', 'hooks.md'), 'utf8');
      assertNamed(known, declared.membersOf(name) ?? [], name);
    }
  });
});

/** Bases and unions, whose members stand in the rows of those that extend them; said in prose where a hook meets them. */
const DERIVED: ReadonlySet<string> = new Set([
  'ContextMessage',
  'SessionEntryBase',
  'CompactionEntryV1',
  'RawEntry',
  'SessionTreeNode',
  'BranchTarget',
  'BoundaryState',
]);

function assertNamed(row: string | undefined, members: readonly string[], what: string): void {
  const words = new Set(row?.match(/[\w.]+/g)?.flatMap(word => [word, ...word.split('.')]));
  assert.deepEqual(
    members.filter(name => !COMMON.has(name) && !words.has(name)),
    [],
    what,
  );
}

/** Rows of the table below a heading, by each name in code in the cell that counts; the row as text without that cell. */
function rowsOf(text: string, heading: string, cell = 0): ReadonlyMap<string, string> {
  const [, section = ''] = text.split(`\n## ${heading}\n`);
  const rows = new Map<string, string>();
  for (const line of section.split(/\n## /)[0]?.split('\n') ?? []) {
    if (!line.startsWith('| `')) continue;
    const cells = line.replaceAll('\\|', '/').split('|').slice(1, -1);
    for (const [, name = ''] of (cells[cell] ?? '').matchAll(/`([^`]+)`/g)) {
      rows.set(name, cells.slice(cell + 1).join('|'));
    }
  }
  return rows;
}

/** The declarations that hooks are checked against, as the compiler reads them. */
class Declarations {
  private readonly checker: ts.TypeChecker;

  private readonly program: ts.Program;

  constructor(private readonly workspace: HookWorkspace) {
    this.program = workspace.program;
    this.checker = this.program.getTypeChecker();
  }

  events(): ReadonlyMap<string, { readonly payload: readonly string[]; readonly answer?: readonly string[] }> {
    const source = this.source('events/listening');
    const found = source.statements.find(each => ts.isInterfaceDeclaration(each) && each.name.text === 'HookEvents');
    assert.ok(found !== undefined && ts.isInterfaceDeclaration(found));
    return new Map(
      found.members.map(member => {
        assert.ok(ts.isPropertySignature(member) && member.type !== undefined && ts.isTupleTypeNode(member.type));
        assert.ok('text' in member.name);
        const [payload, answer] = member.type.elements.map(each =>
          this.members(this.checker.getTypeFromTypeNode(each)),
        );
        return [member.name.text, { payload: payload ?? [], ...(answer === undefined ? {} : { answer }) }];
      }),
    );
  }

  /** Members by each reason. */
  reasons(): ReadonlyMap<string, readonly string[]> {
    const found = new Map<string, readonly string[]>();
    for (const name of this.namesIn('events/session-event')) {
      const type = this.typeOf(name);
      const reason = type?.getProperty('reason');
      if (type === undefined || reason === undefined) continue;
      const values = this.checker.getTypeOfSymbol(reason);
      for (const value of values.isUnion() ? values.types : [values]) {
        if (value.isStringLiteral()) found.set(value.value, this.members(type));
      }
    }
    return found;
  }

  /** Members that our declarations bring; what an interface takes over from pi-ai is not told again. */
  membersOf(name: string): readonly string[] | undefined {
    const type = this.typeOf(name);
    const isOurs = (property: ts.Symbol): boolean =>
      (property.declarations ?? []).some(({ parent }) =>
        parent.getSourceFile().fileName.startsWith(this.workspace.typings),
      );
    return type?.getProperties().flatMap(property => (isOurs(property) ? [property.name] : []));
  }

  /** Names of the exported interfaces of a file. */
  namesIn(file: string): readonly string[] {
    return this.source(file).statements.flatMap(each =>
      ts.isInterfaceDeclaration(each) && each.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
        ? [each.name.text]
        : [],
    );
  }

  private typeOf(name: string): ts.Type | undefined {
    for (const file of this.program
      .getSourceFiles()
      .filter(({ fileName }) => fileName.startsWith(this.workspace.typings))) {
      const found = file.statements.find(each => ts.isInterfaceDeclaration(each) && each.name.text === name);
      if (found !== undefined) return this.checker.getTypeAtLocation(found);
    }
    return undefined;
  }

  private members(type: ts.Type): readonly string[] {
    const parts = type.isUnion() ? type.types : [type];
    return [...new Set(parts.flatMap(part => this.checker.getPropertiesOfType(part).map(({ name }) => name)))];
  }

  private source(file: string): ts.SourceFile {
    const found = this.program.getSourceFile(join(this.workspace.typings, `${file}.d.ts`));
    assert.ok(found !== undefined, file);
    return found;
  }
}
