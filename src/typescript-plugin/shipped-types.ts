import type ts from 'typescript';
import type { HookPlaces } from './hook-places';

type Compiler = typeof ts;

interface Parts {
  /** Absolute path of dist/typings. */
  readonly typings: string;
  readonly places: HookPlaces;
}

/** Answers for the modules that a hook finds at run time, where the project itself has no answer. */
export class ShippedTypes {
  private readonly typings: string;
  private paths: ts.CompilerOptions | undefined;

  constructor(
    private readonly compiler: Compiler,
    private readonly parts: Parts,
  ) {
    this.typings = parts.typings.replaceAll('\\', '/');
  }

  /** Changes a project's host: what stays unresolved in hook files, and which declarations such a project has. */
  answerFor(host: ts.LanguageServiceHost): void {
    this.resolveIn(host);
    const names = host.getScriptFileNames.bind(host);
    host.getScriptFileNames = () => {
      const own = names();
      return own.some(name => this.parts.places.has(name)) ? [...own, ...this.ambientFor(host, own)] : own;
    };
  }

  private resolveIn(host: ts.LanguageServiceHost): void {
    const resolve = host.resolveModuleNameLiterals?.bind(host);
    if (resolve === undefined) return;
    host.resolveModuleNameLiterals = (literals, containingFile, redirected, options, ...rest) => {
      const found = resolve(literals, containingFile, redirected, options, ...rest);
      if (!this.parts.places.has(containingFile)) return found;
      return found.map((answer, index) => {
        const name = literals[index]?.text;
        if (answer.resolvedModule !== undefined || name === undefined || name.startsWith('.')) return answer;
        return this.shipped(name, options, host) ?? answer;
      });
    };
  }

  private shipped(
    name: string,
    options: ts.CompilerOptions,
    host: ts.LanguageServiceHost,
  ): ts.ResolvedModuleWithFailedLookupLocations | undefined {
    const from = `${this.typings}/hook.ts`;
    const found = this.compiler.resolveModuleName(name, from, { ...options, ...this.pathsOfTypings() }, host);
    return found.resolvedModule?.resolvedFileName.startsWith(`${this.typings}/`) === true ? found : undefined;
  }

  private pathsOfTypings(): ts.CompilerOptions {
    if (this.paths !== undefined) return this.paths;
    const { compiler, typings } = this;
    const file = `${typings}/tsconfig.json`;
    const { config } = compiler.readConfigFile(file, name => compiler.sys.readFile(name)) as { config: unknown };
    const { options } = compiler.parseJsonConfigFileContent(config, NO_FILES, typings, undefined, file);
    const { paths, pathsBasePath, moduleResolution, module } = options;
    this.paths = { paths, pathsBasePath, moduleResolution, module };
    return this.paths;
  }

  /** The types that need no import: those that {@link ShippedTypes} adds to parameters, and Node's. */
  private ambientFor(host: ts.LanguageServiceHost, names: readonly string[]): readonly string[] {
    const options = host.getCompilationSettings();
    // Set up by hand for other editors: the project names the same declarations itself.
    if (options.types?.includes('hookline') === true) return [];
    const hookline = `${this.typings}/@types/hookline/index.d.ts`;
    return this.knowsNode(host, options, names) ? [hookline] : [hookline, `${this.typings}/@types/node/index.d.ts`];
  }

  private knowsNode(host: ts.LanguageServiceHost, options: ts.CompilerOptions, names: readonly string[]): boolean {
    if (names.some(name => name.includes('/@types/node/'))) return true;
    const readsFolders = { ...this.compiler.sys, getCurrentDirectory: () => host.getCurrentDirectory() };
    return this.compiler.getAutomaticTypeDirectiveNames(options, readsFolders).includes('node');
  }
}

const NO_FILES: ts.ParseConfigHost = {
  useCaseSensitiveFileNames: true,
  readDirectory: () => [],
  fileExists: () => false,
  readFile: () => undefined,
};
