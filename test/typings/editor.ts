import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { buildTypings } from '../../scripts/build/typings.ts';
import { OUT } from '../../scripts/support/paths.ts';
import { installTypings } from '../../src/hook-typings/install';

/** Builds the declarations as `npm run build` does; later calls find them ready. */
export function builtTypings(): string {
  return buildTypings({ outdir: join(OUT, 'typings') });
}

/** Path below a workspace -> text. */
type Files = Readonly<Record<string, string>>;

const asked: (() => Files)[] = [];
let opened: ReturnType<typeof openAll> | undefined;

/**
 * Hooks of a spec file, to be checked as the editor does. The hooks of all spec files lie in one workspace and are
 * checked by one program, as each program works out the types of libraries anew. Call this while test files are loaded;
 * `files` is asked when a first test wants the workspace.
 * @returns to be called in a test; rejects with what `files` threw
 */
export function typedHooks(files: () => Files): () => Promise<HookWorkspace> {
  asked.push(files);
  return async () => {
    const { workspace, failures } = await (opened ??= openAll());
    if (failures.has(files)) throw failures.get(files);
    return workspace;
  };
}

async function openAll(): Promise<{ workspace: HookWorkspace; failures: ReadonlyMap<() => Files, unknown> }> {
  const all: Record<string, string> = {};
  const failures = new Map<() => Files, unknown>();
  for (const files of asked) {
    try {
      for (const [path, text] of Object.entries(files())) {
        assert.ok(!(path in all), `only one spec file has ${path}`);
        all[path] = text;
      }
    } catch (error) {
      failures.set(files, error);
    }
  }
  return { workspace: await HookWorkspace.open(all), failures };
}

after(async () => {
  (await opened)?.workspace.close();
});

/** A workspace on disk as the editor's TypeScript sees it after "Hookline: Install Hook Types". */
export class HookWorkspace {
  private constructor(
    readonly folder: string,
    private readonly service: ts.LanguageService,
  ) {}

  static async open(files: Files): Promise<HookWorkspace> {
    const folder = mkdtempSync(join(tmpdir(), 'hookline types ä '));
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    await installTypings({ workspace: folder, from: builtTypings() });
    return new HookWorkspace(folder, languageService(join(folder, '.pi', 'hooks')));
  }

  /** Folder of Hookline's own declarations, as the compiler finds them. */
  get typings(): string {
    return join(this.folder, '.pi', 'types', 'hookline');
  }

  get program(): ts.Program {
    const program = this.service.getProgram();
    assert.ok(program);
    return program;
  }

  close(): void {
    this.service.dispose();
    rmSync(this.folder, { recursive: true, force: true });
  }

  text(path: string): string {
    return readFileSync(join(this.folder, path), 'utf8');
  }

  /** Complaints about one file, `line: text`; all of a chain of explanations in one text. */
  problems(path: string): string[] {
    const file = join(this.folder, path);
    return [...this.service.getSyntacticDiagnostics(file), ...this.service.getSemanticDiagnostics(file)].map(
      problem => {
        const line = problem.file?.getLineAndCharacterOfPosition(problem.start ?? 0).line ?? -1;
        return `${line + 1}: ${ts.flattenDiagnosticMessageText(problem.messageText, '\n')}`;
      },
    );
  }

  /** What the editor shows when the mouse rests on the last character of `mark`. */
  hover(path: string, mark: string): { readonly type: string; readonly docs: string } {
    const at = this.text(path).indexOf(mark);
    assert.ok(at >= 0, `${mark} stands in ${path}`);
    const info = this.service.getQuickInfoAtPosition(join(this.folder, path), at + mark.length - 1);
    return { type: ts.displayPartsToString(info?.displayParts), docs: ts.displayPartsToString(info?.documentation) };
  }
}

/** Compiles as the editor does: with the nearest tsconfig.json above the folder of hooks. */
function languageService(folder: string): ts.LanguageService {
  const tsconfig = ts.findConfigFile(folder, name => ts.sys.fileExists(name));
  assert.ok(tsconfig, `there is a tsconfig.json above ${folder}`);
  const { config, error } = ts.readConfigFile(tsconfig, name => ts.sys.readFile(name)) as {
    config: unknown;
    error?: ts.Diagnostic;
  };
  assert.equal(error, undefined);
  const parsed = ts.parseJsonConfigFileContent(config, ts.sys, dirname(tsconfig), undefined, tsconfig);
  assert.deepEqual(
    parsed.errors.map(({ messageText }) => messageText),
    [],
  );
  return ts.createLanguageService({
    getCompilationSettings: () => parsed.options,
    getScriptFileNames: () => parsed.fileNames,
    getScriptVersion: () => '1',
    getScriptSnapshot: file => {
      const text = ts.sys.readFile(file);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => dirname(tsconfig),
    getDefaultLibFileName: options => ts.getDefaultLibFilePath(options),
    fileExists: file => ts.sys.fileExists(file),
    readFile: file => ts.sys.readFile(file),
    readDirectory: (...given) => ts.sys.readDirectory(...given),
    directoryExists: folder => ts.sys.directoryExists(folder),
    getDirectories: folder => ts.sys.getDirectories(folder),
  });
}
