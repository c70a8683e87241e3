import type ts from 'typescript';
import { readConfig, type PluginConfig } from './config';
import { HookPlaces } from './hook-places';
import { ParameterTypes } from './parameter-types';
import { ShippedTypes } from './shipped-types';

type Compiler = typeof ts;

/**
 * TypeScript's server asks for this once. In projects that hold hook files, the modules that Hookline ships are found, and
 * the parameter of a hook's factory has the type of its dialect where the file gives none. Nothing is written, and other
 * files are left as they are.
 * @param typings absolute path of dist/typings
 */
export function createPlugin(compiler: Compiler, typings: string): ts.server.PluginModule {
  let config = readConfig(undefined);
  const infos = new Set<ts.server.PluginCreateInfo>();
  return {
    create(info) {
      const places = new HookPlaces(() => config);
      infos.add(info);
      new ShippedTypes(compiler, { typings, places }).answerFor(info.languageServiceHost);
      return typed(compiler, { service: info.languageService, places, config: () => config });
    },
    onConfigurationChanged(given) {
      const before = config;
      config = readConfig(given);
      if (JSON.stringify(before) === JSON.stringify(config)) return;
      for (const info of infos) {
        if (info.project.isClosed()) infos.delete(info);
        // Conclusions from types that were put into a file are lost with its program.
        else info.languageService.cleanupSemanticCache();
      }
      const [any] = infos;
      any?.project.projectService.reloadProjects();
    },
  };
}

interface TypedService {
  readonly service: ts.LanguageService;
  readonly places: HookPlaces;
  readonly config: () => PluginConfig;
}

/**
 * The language service, with types put into each hook file as soon as a program contains it, before any request about
 * it.
 */
function typed(compiler: Compiler, { service, places, config }: TypedService): ts.LanguageService {
  const types = new ParameterTypes(compiler);
  const program = (): ts.Program | undefined => {
    const current = service.getProgram();
    for (const file of current?.getSourceFiles() ?? []) {
      const entry = places.entryAt(file.fileName);
      types.putInto(file, entry === undefined ? undefined : { ...entry, setting: config().dialects[file.fileName] });
    }
    return current;
  };
  return {
    ...service,
    // The server asks for the program whenever a text changed, and only then for anything else.
    getProgram: program,
    // TypeScript looks for types in JavaScript files here, and ours are nothing that a user wrote.
    getSyntacticDiagnostics: fileName => {
      const file = program()?.getSourceFile(fileName);
      return types.without(file, () => service.getSyntacticDiagnostics(fileName));
    },
  };
}
