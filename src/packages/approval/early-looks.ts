import { dependenciesOf } from './dependency-folders';
import { packageContent } from './package-content';
import { packageFolder, parsePackageSource, type PackagePlaces } from '../package-source';

/** A look at a package that was made before it was known whether somebody asks about the package. */
export interface EarlyLook {
  /** Absolute, as in `DeclaredPackage`. */
  readonly folder: string;
  /** The dependencies that it included. */
  readonly dependencies: readonly string[];
  /** See `PackageContent`. */
  readonly signature: string;
  /** When it ended, in ms since 1970. */
  readonly at: number;
}

/**
 * Looks at the packages that the user's settings name, apart from local ones. Never rejects: there is no look at a package that
 * cannot be read.
 *
 * @param sources - as written in settings.json of the agent folder
 */
export async function lookEarly(sources: readonly string[], places: PackagePlaces): Promise<readonly EarlyLook[]> {
  const looks: EarlyLook[] = [];
  for (const written of sources) {
    const source = parsePackageSource(written, places.agentDir);
    if (!source.ok || source.value.type === 'local') continue;
    const folder = packageFolder(source.value, 'user', places);
    const dependencies = dependenciesOf(folder);
    try {
      const { signature } = await packageContent(folder, dependencies);
      looks.push({ folder, dependencies, signature, at: Date.now() });
    } catch {
      // Whoever asks about the package looks again, and reports what is wrong.
    }
  }
  return looks;
}
