import { compileWhole } from '../../agent/tools/search/glob';

/** Files and folders from which code runs with the next build, start, install, test, push or opening of a project. */
export interface BuildPlaces {
  /** Who runs code from them, and when; a row of the table in docs/approvals.md. */
  readonly runBy: string;
  /** Names of folders. */
  readonly folders?: readonly string[];
  /** Names of files as globs. */
  readonly files?: readonly string[];
}

/**
 * The places in a project that run code later. A file is here if a common tool runs it, or runs commands or loads modules
 * that it names, without anybody calling that file by its name. Source files are not here: they are what people review.
 */
export const BUILD_PLACES: readonly BuildPlaces[] = [
  {
    runBy: 'package managers and tools of JavaScript',
    folders: ['node_modules', '.yarn'],
    files: [
      ...['package.json', 'package-lock.json', 'npm-shrinkwrap.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml'],
      ...['.pnpmfile.{js,cjs,mjs}', '.pnp.*', 'bun.lockb', 'bunfig.toml', 'deno.json', 'deno.jsonc', 'lerna.json'],
      ...['nx.json', 'turbo.json', 'rush.json', 'angular.json', 'project.json', 'nodemon.json', 'knexfile.*'],
      ...['tsconfig*.json', 'jsconfig*.json', 'gulpfile.*', 'gruntfile.*', 'jakefile*'],
    ],
  },
  {
    runBy: 'linters, formatters, test runners and bundlers, whose settings are programs or name plugins',
    folders: ['.storybook', '.vitepress'],
    files: [
      ...[
        '*.{config,conf,workspace,setup}.{js,cjs,mjs,jsx,ts,cts,mts,tsx,json}',
        '*.{config,conf}.*.{js,cjs,mjs,ts,mts}',
      ],
      ...['.*rc', '.*rc.{js,cjs,mjs,ts,cts,mts}'],
      ...['.*rc.{json,json5,jsonc,yml,yaml,toml}', '.rspec', '.flake8', 'mypy.ini', 'phpunit.xml', 'phpunit.xml.dist'],
      ...['.php-cs-fixer*.php'],
    ],
  },
  {
    runBy: 'package managers of every language, which install and run what lock files name',
    files: ['*.lock', 'go.mod', 'go.sum', 'go.work', 'gradle.lockfile', 'packages.lock.json', 'package.resolved'],
  },
  {
    runBy: '`make`, `just` and other programs that run tasks',
    files: [
      ...[
        'makefile',
        'makefile.*',
        'gnumakefile',
        '*.mk',
        '*.mak',
        'justfile',
        '.justfile',
        '*.just',
        'taskfile.{yml,yaml}',
      ],
      ...[
        'rakefile',
        '*.rake',
        'earthfile',
        'snakefile',
        'magefile.go',
        'dodo.py',
        'fabfile.py',
        'noxfile.py',
        'tiltfile',
      ],
    ],
  },
  {
    runBy: 'build tools of C, C++ and Zig, Bazel and Buck',
    files: [
      ...['cmakelists.txt', '*.cmake', 'cmakepresets.json', 'cmakeuserpresets.json', 'meson.build', 'meson.options'],
      ...['configure', 'configure.ac', 'autogen.sh', 'sconstruct', 'sconscript', 'wscript', '*.ninja', 'premake5.lua'],
      ...[
        'xmake.lua',
        'conanfile.{py,txt}',
        'vcpkg.json',
        'build.zig',
        'build.zig.zon',
        'build',
        'build.bazel',
        'buck',
      ],
      ...['workspace', 'workspace.bazel', 'module.bazel', '*.bzl'],
    ],
  },
  { runBy: 'Cargo', folders: ['.cargo'], files: ['cargo.toml', 'build.rs', 'rust-toolchain', 'rust-toolchain.toml'] },
  {
    runBy: 'Python, its package managers and its test runners',
    folders: ['.venv', 'venv', 'site-packages', '.tox', '.nox', '__pycache__'],
    files: [
      ...['setup.py', 'setup.cfg', 'pyproject.toml', 'tox.ini', 'pytest.ini', 'conftest.py', 'sitecustomize.py'],
      ...['usercustomize.py', '*.pth', 'pipfile', 'requirements*.txt', 'environment.{yml,yaml}', 'uv.toml', 'pip.conf'],
    ],
  },
  {
    runBy: 'Gradle, Maven, sbt, Ant and Clojure',
    folders: ['buildsrc', '.mvn'],
    files: [
      ...[
        '*.gradle',
        '*.gradle.kts',
        'gradle.properties',
        'gradlew',
        'gradlew.bat',
        'gradle-wrapper.*',
        'pom.xml',
        'mvnw',
      ],
      ...['mvnw.cmd', 'build.xml', 'ivy.xml', '*.sbt', 'build.sc', 'build.mill', 'deps.edn', 'project.clj', 'bb.edn'],
    ],
  },
  {
    runBy: 'MSBuild and NuGet',
    files: [
      ...[
        '*.{cs,fs,vb,vcx,sql,es}proj',
        '*.props',
        '*.targets',
        '*.sln',
        '*.slnx',
        'nuget.config',
        'global.json',
        '*.cake',
      ],
      ...['launchsettings.json', 'dotnet-tools.json'],
    ],
  },
  {
    runBy: 'Ruby, PHP, Elixir, Erlang, Haskell, OCaml, Nim, Dart, Perl and Lua',
    files: [
      ...['gemfile', '*.gemspec', 'guardfile', 'capfile', 'dangerfile', 'fastfile', 'config.ru', 'composer.json'],
      ...['mix.exs', 'rebar.config', 'setup.hs', '*.cabal', 'cabal.project', 'stack.yaml', 'dune', 'dune-project'],
      ...['*.nimble', 'pubspec.yaml', 'makefile.pl', 'build.pl', 'cpanfile', '*.rockspec', '.rprofile'],
    ],
  },
  {
    runBy: 'Xcode and Swift',
    folders: ['*.xcodeproj', '*.xcworkspace'],
    files: ['package.swift', 'podfile', 'cartfile', '*.xcconfig'],
  },
  {
    runBy: 'containers and virtual machines',
    files: [
      ...['dockerfile', 'dockerfile.*', '*.dockerfile', 'containerfile', 'containerfile.*', 'vagrantfile', 'procfile'],
      ...['{docker-,}compose*.{yml,yaml}', 'docker-bake.{hcl,json}', 'skaffold.yaml'],
    ],
  },
  {
    runBy: 'continuous integration and deployment',
    folders: ['.github', '.gitlab', '.circleci', '.buildkite', '.woodpecker', '.forgejo', '.gitea', '.teamcity'],
    files: [
      ...['.gitlab-ci.{yml,yaml}', '.travis.yml', '.drone.yml', '.cirrus.yml', 'azure-pipelines*.{yml,yaml}'],
      ...['bitbucket-pipelines.yml', '{.,}appveyor.yml', 'jenkinsfile', 'jenkinsfile.*', 'buildspec*.{yml,yaml}'],
      ...['cloudbuild.{yml,yaml,json}', 'netlify.toml', 'vercel.json', 'wrangler.{toml,json,jsonc}', 'firebase.json'],
      ...['serverless.{yml,yaml}', 'render.yaml', 'fly.toml'],
    ],
  },
  {
    runBy: 'programs that run hooks of git, and git when it gets submodules',
    files: [
      ...['.pre-commit-config.yaml', '.pre-commit-hooks.yaml', '{.,}lefthook*.{yml,yaml,toml,json}', '.overcommit.yml'],
      ...['.simple-git-hooks.*', '.gitmodules'],
    ],
  },
  {
    runBy: 'shells and tools that set up an environment when you enter or start a project',
    files: [
      ...['.envrc', '.env', '.env.{local,development,production,staging,test}{,.local}', '{.,}mise*.toml'],
      ...['.tool-versions', 'devbox.json', '{flake,shell,default,devenv}.nix', '.nvim.lua', '.dir-locals.el'],
      ...['*.sublime-project', 'ansible.cfg'],
    ],
  },
  {
    runBy: 'editors and other agents when they open the project',
    folders: [
      ...['.cursor', '.windsurf', '.codex', '.gemini', '.idea', '.zed', '.fleet', '.continue', '.cline', '.clinerules'],
      ...['.roo', '.kiro', '.amazonq', '.opencode', '.trae', '.junie', '.qwen', '.augment', '.factory', '.vs'],
    ],
    files: ['.mcp.json', 'mcp.json', 'opencode.{json,jsonc}', '.aider.conf.yml', '.crush.json', 'crush.json'],
  },
];

interface NameTests {
  readonly isFolder: (name: string) => boolean;
  readonly isFile: (name: string) => boolean;
}

let tests: NameTests | undefined;

/** Made when a file is asked about, not when Hookline starts. */
function nameTests(): NameTests {
  tests ??= {
    isFolder: anyOf(BUILD_PLACES.flatMap(({ folders = [] }) => folders)),
    isFile: anyOf(BUILD_PLACES.flatMap(({ files = [] }) => files)),
  };
  return tests;
}

function anyOf(globs: readonly string[]): (name: string) => boolean {
  return compileWhole(`{${globs.join(',')}}`);
}

/**
 * Whether code runs from this file with the next build or start; `path` is inside of the workspace, with `/`. Case does
 * not count on any system: some tools ignore it, too.
 */
export function isBuildPlace(path: string): boolean {
  const names = path.toLowerCase().split('/');
  const { isFile, isFolder } = nameTests();
  return isFile(names.at(-1) ?? '') || names.some(isFolder);
}

/**
 * Whether the pattern of a rule names such a place itself (`package.json`, `.github/**`, `*.config.ts`), and does not
 * only match it (`**`, `*.json`).
 */
export function namesBuildPlace(pattern: string): boolean {
  // Braces may offer another pattern next to the name.
  return !/(?<!\\)[{}]/.test(pattern) && isBuildPlace(pattern.replace(/\\(.)/g, '$1'));
}
