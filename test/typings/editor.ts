import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { buildTypings } from '../../scripts/build/typings.mjs';
import { OUT } from '../../scripts/support/paths.mjs';
import { installTypings, type TypingsInstallation } from '../../src/hook-typings/install';

/** Builds the declarations as `npm run build` does; later calls find them ready. */
export function builtTypings(): string {
  return buildTypings({ outdir: join(OUT, 'typings') });
}

/** A workspace on disk as the editor's TypeScript sees it after "Pi: Install Hook Types". */
export class HookWorkspace {
  private service: ts.LanguageService | undefined;
  readonly installed: TypingsInstallation;

  private constructor(
    readonly folder: string,
    installed: TypingsInstallation,
  ) {
    this.installed = installed;
  }

  /** `files`: path below the workspace -> text. */
  static async open(files: Readonly<Record<string, string>>): Promise<HookWorkspace> {
    const folder = mkdtempSync(join(tmpdir(), 'hookline types ä '));
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    return new HookWorkspace(folder, await installTypings({ workspace: folder, from: builtTypings() }));
  }

  close(): void {
    this.service?.dispose();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Complaints about one file, `line: text`; all of a chain of explanations in one text. */
  problems(path: string): string[] {
    const service = this.languageService(path);
    const file = join(this.folder, path);
    return [...service.getSyntacticDiagnostics(file), ...service.getSemanticDiagnostics(file)].map(problem => {
      const line = problem.file?.getLineAndCharacterOfPosition(problem.start ?? 0).line ?? -1;
      return `${line + 1}: ${ts.flattenDiagnosticMessageText(problem.messageText, '\n')}`;
    });
  }

  /** What the editor shows when the mouse rests on the last character of `mark`. */
  hover(path: string, mark: string): { readonly type: string; readonly docs: string } {
    const text = readFileSync(join(this.folder, path), 'utf8');
    const at = text.indexOf(mark);
    assert.ok(at >= 0, `${mark} stands in ${path}`);
    const info = this.languageService(path).getQuickInfoAtPosition(join(this.folder, path), at + mark.length - 1);
    return { type: ts.displayPartsToString(info?.displayParts), docs: ts.displayPartsToString(info?.documentation) };
  }

  /** Compiles as the editor does: with the nearest tsconfig.json above the file. */
  private languageService(path: string): ts.LanguageService {
    if (this.service !== undefined) return this.service;
    const nearest = ts.findConfigFile(dirname(join(this.folder, path)), name => ts.sys.fileExists(name));
    assert.ok(nearest, `there is a tsconfig.json above ${path}`);
    const { config, error } = ts.readConfigFile(nearest, name => ts.sys.readFile(name)) as {
      config: unknown;
      error?: ts.Diagnostic;
    };
    assert.equal(error, undefined);
    const parsed = ts.parseJsonConfigFileContent(config, ts.sys, dirname(nearest), undefined, nearest);
    assert.deepEqual(
      parsed.errors.map(({ messageText }) => messageText),
      [],
    );
    this.service = ts.createLanguageService({
      getCompilationSettings: () => parsed.options,
      getScriptFileNames: () => parsed.fileNames,
      getScriptVersion: () => '1',
      getScriptSnapshot: file => {
        const text = ts.sys.readFile(file);
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
      },
      getCurrentDirectory: () => this.folder,
      getDefaultLibFileName: options => ts.getDefaultLibFilePath(options),
      fileExists: file => ts.sys.fileExists(file),
      readFile: file => ts.sys.readFile(file),
      readDirectory: (...given) => ts.sys.readDirectory(...given),
      directoryExists: folder => ts.sys.directoryExists(folder),
      getDirectories: folder => ts.sys.getDirectories(folder),
    });
    return this.service;
  }
}
