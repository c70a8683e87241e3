import assert from 'node:assert/strict';
import { join } from 'node:path';
import { types } from 'node:util';
import ts from 'typescript';
import { EVENTS, EVENT_TYPES } from '../../src/hook-contract/events/event-table';
import type { HookEvent, HookEventOf, HookEventType } from '../../src/hook-contract/hook-event';
import { sampleEntry } from '../../src/hook-contract/events/sample-parts';
import { shippedModules } from '../../src/hook-load/modules/shipped-modules';
import { DARK_PALETTE, HookTheme } from '../../src/hook-contract/ui/theme';
import { FAKE_MODEL } from '../support/fake-conversation';
import { hook, hostWith, type TestHost } from '../support/hook-host';
import { typedHooks, type HookWorkspace } from './editor';
import { RUNTIME_EXPORTS } from '../../src/hook-run/tool-call/runtime-exports';

const EVERY_MODULE = `import '@mariozechner/pi-coding-agent';
import '@oh-my-pi/pi-coding-agent';
import '@mariozechner/pi-ai';
import '@mariozechner/pi-tui';
`;

/** The declarations, read with the compiler. */
class Declared {
  private readonly checker: ts.TypeChecker;

  private readonly program: ts.Program;

  constructor(private readonly workspace: HookWorkspace) {
    this.program = workspace.program;
    this.checker = this.program.getTypeChecker();
  }

  /** Names of values that a module exports. */
  values(module: string): string[] {
    return this.exports(module).flatMap(symbol => {
      const target = symbol.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol;
      return target.flags & ts.SymbolFlags.Value && !this.isTypeOnly(symbol) ? [symbol.name] : [];
    });
  }

  /** Members of an exported type. */
  members(module: string, type: string): string[] {
    return this.type(module, type)
      .getProperties()
      .map(({ name }) => name);
  }

  /** Members of the payload of an event, over all its variants; optional ones apart. */
  payload(event: string): { readonly required: Set<string>; readonly all: Set<string> } {
    const events = this.type('events/listening', 'HookEvents');
    const property = events.getProperty(event);
    assert.ok(property, `${event} is declared`);
    const tuple = this.checker.getTypeOfSymbol(property) as ts.TypeReference;
    const [payload] = this.checker.getTypeArguments(tuple);
    assert.ok(payload);
    const variants = payload.isUnion() ? payload.types : [payload];
    const all = variants.flatMap(variant => variant.getProperties());
    const required = variants
      .map(variant => variant.getProperties().filter(member => !(member.flags & ts.SymbolFlags.Optional)))
      .map(members => new Set(members.map(({ name }) => name)));
    const common = [...(required[0] ?? [])].filter(name => required.every(names => names.has(name)));
    return { required: new Set(common), all: new Set(all.map(({ name }) => name)) };
  }

  get events(): string[] {
    return this.type('events/listening', 'HookEvents')
      .getProperties()
      .map(({ name }) => name);
  }

  private type(module: string, name: string): ts.Type {
    const symbol = this.exports(module).find(candidate => candidate.name === name);
    assert.ok(symbol, `${module} declares ${name}`);
    const target = symbol.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol;
    return this.checker.getDeclaredTypeOfSymbol(target);
  }

  private exports(module: string): ts.Symbol[] {
    const path = module === 'events/listening' ? module : `modules/${module}`;
    const source = this.program.getSourceFile(this.file(path));
    const symbol = source && this.checker.getSymbolAtLocation(source);
    assert.ok(symbol, module);
    return this.checker.getExportsOfModule(symbol);
  }

  private isTypeOnly(symbol: ts.Symbol): boolean {
    return (symbol.declarations ?? []).some(
      declaration => ts.isExportSpecifier(declaration) && ts.isTypeOnlyImportOrExportDeclaration(declaration),
    );
  }

  private file(path: string): string {
    return join(this.workspace.typings, `${path}.d.ts`);
  }
}

const FACTS = { cwd: '/', model: FAKE_MODEL, messages: [], sessionFile: undefined };
/** What events may carry beyond what their samples do. */
const MORE: { readonly [N in HookEventType]?: Partial<HookEventOf<N>> } = {
  session_before_compact: { branchEntries: [sampleEntry('message')] },
  session_tree: { summaryEntry: sampleEntry('message'), fromHook: true },
  input: { images: [] },
  before_agent_start: { images: [] },
  auto_compaction_end: { errorMessage: 'x', skipped: true },
  auto_retry_end: { finalError: 'x' },
};

/** Members of a payload in another form, which a sample is not. */
const ELSEWHERE: Readonly<Record<string, readonly string[]>> = { before_agent_start: ['message'] };

/** What hooks can import that is not for them: the runtime itself, under the names it had in pi, and parts of ours. */
const NOT_FOR_HOOKS = [
  ...['HookRunner', 'HookToolWrapper', 'wrapToolWithHooks', 'wrapToolsWithHooks', 'default'],
  ...['GREP_MAX_LINE_LENGTH', 'characterStart', 'countNewlines'],
];

describe('the types for hook authors and the runtime', function () {
  this.timeout(120_000);
  const typed = typedHooks(() => ({ '.pi/hooks/every-module.ts': EVERY_MODULE }));
  let declared: Declared;
  before(async () => {
    declared = new Declared(await typed());
  });

  it('have the same members of pi', async () => {
    let given: string[] = [];
    await hostWith([hook('ext', pi => (given = Object.getOwnPropertyNames(pi as object)))]);
    const known = [
      ...declared.members('pi-coding-agent', 'HookAPI'),
      ...declared.members('pi-coding-agent', 'ExtensionAPI'),
      ...declared.members('omp-coding-agent', 'HookAPI'),
    ];
    assert.deepEqual([...new Set(given)].sort(), [...new Set(known)].sort());
  });

  describe('have the same members of', () => {
    /** Payloads by the name under which they were heard; `session` and others are told more than once. */
    const heard = new Map<string, object[]>();

    before(async () => {
      const listen =
        (names: readonly string[]) =>
        ({ on }: { on: (name: string, handler: (payload: object) => void) => void }): void => {
          for (const name of names) {
            on(name, payload => {
              heard.set(name, [...(heard.get(name) ?? []), payload]);
            });
          }
        };
      // A file gets one of two spellings, so each has a file of its own.
      const renamed = ['session_before_new', 'session_new', 'session_before_fork', 'session_fork'];
      const names = declared.events.filter(name => !renamed.includes(name));
      const host: TestHost = await hostWith([hook('pi', listen(names)), hook('ext', listen(renamed), '/hooks/2.ts')]);
      host.conversation.session.user('x');
      for (const type of EVENT_TYPES) {
        await host.emit({ ...EVENTS[type].samples(FACTS)[0], ...MORE[type] } as HookEvent);
      }
    });

    const check = (name: string, payloads: readonly object[]): void => {
      const { required, all } = declared.payload(name);
      for (const payload of payloads) {
        const present = Object.keys(payload);
        assert.deepEqual(
          [...required].filter(member => !(member in payload) && !ELSEWHERE[name]?.includes(member)),
          [],
          'declared, but not there',
        );
        assert.deepEqual(
          present.filter(member => !all.has(member)),
          [],
          'there, but not declared',
        );
      }
    };

    it('the payload of every event that is declared', () => {
      for (const name of declared.events) {
        const payloads = heard.get(name);
        assert.ok(payloads !== undefined, `${name} was heard`);
        check(name, payloads);
      }
    });

    it('the payload of each reason of session', () => {
      const reasons = (heard.get('session') ?? []).map(payload => (payload as { reason: string }).reason);
      assert.deepEqual(reasons.sort(), [
        'before_branch',
        'before_compact',
        'before_new',
        'branch',
        'compact',
        'new',
        'shutdown',
        'start',
      ]);
    });
  });

  for (const module of ['pi-coding-agent', 'omp-coding-agent', 'pi-ai', 'pi-tui']) {
    it(`have the same values in ${module}`, async () => {
      const shipped = shippedModules({
        runtime: RUNTIME_EXPORTS,
        agentDir: () => '/',
        theme: () => new HookTheme('dark', DARK_PALETTE),
      });
      const specifier = module.startsWith('omp-') ? '@oh-my-pi/pi-coding-agent' : `@mariozechner/${module}`;
      const exports = (await shipped.load(specifier, () => true)) as Readonly<Record<string, unknown>>;
      // Names that are not offered are stand-ins that throw when they are used.
      const present = Object.keys(exports).filter(
        name => !NOT_FOR_HOOKS.includes(name) && !(module.endsWith('coding-agent') && types.isProxy(exports[name])),
      );
      const known = declared.values(module);
      assert.deepEqual(
        known.filter(name => !(name in exports) || (module.endsWith('coding-agent') && types.isProxy(exports[name]))),
        [],
        'declared, but not there',
      );
      if (module.endsWith('coding-agent')) {
        assert.deepEqual(
          present.filter(name => !known.includes(name)),
          [],
          'there, but not declared',
        );
      }
    });
  }
});
