import { stat } from 'node:fs/promises';
import type { Problem } from '../../../base/result';
import { claimOf, type ProviderClaim } from '../servers/found-servers';
import { readModelsFile, type FileProvider, type ModelsFile } from './models-file';

/** What a models.json says, and since when. */
export class LoadedModels {
  /**
   * Without a file: one that was not read, and has no providers.
   * @param path absolute
   * @param changedAt in ms since 1970
   */
  constructor(
    readonly path: string,
    private readonly file: ModelsFile = { providers: new Map(), problems: [] },
    private readonly changedAt?: number,
  ) {}

  /** Never rejects: see {@link readModelsFile}, also for `builtIn`. */
  static async read(path: string, builtIn: ReadonlySet<string>): Promise<LoadedModels> {
    const [file, changedAt] = await Promise.all([
      readModelsFile(path, builtIn),
      stat(path).then(
        ({ mtimeMs }) => mtimeMs,
        () => undefined, // There is none.
      ),
    ]);
    return new LoadedModels(path, file, changedAt);
  }

  get providers(): ReadonlyMap<string, FileProvider> {
    return this.file.providers;
  }

  get problems(): readonly Problem[] {
    return this.file.problems;
  }

  /** The names and addresses that it configures. */
  get claims(): readonly ProviderClaim[] {
    return [...this.providers].map(([name, { settings, models }]) =>
      claimOf(name, { baseUrl: settings.baseUrl, models }),
    );
  }

  /** From when the list of a provider's models is, in ms since 1970; undefined when it has none here. */
  listedAt(provider: string): number | undefined {
    return (this.providers.get(provider)?.models.length ?? 0) > 0 ? this.changedAt : undefined;
  }

  /** {@link problems} as one text, as pi gives it; undefined when there are none. */
  get error(): string | undefined {
    const texts = this.problems.map(({ message }) => message);
    return texts.length === 0 ? undefined : `${texts.join('\n')}\n\nFile: ${this.path}`;
  }
}
