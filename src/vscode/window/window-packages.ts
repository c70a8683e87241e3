import { join } from 'node:path';
import type { Log } from '../../base/log';
import { Previewer } from '../../package-preview/previewer';
import { createInstaller, createNpm, createReleases } from '../../packages/install/create-installer';
import { PackageReviewer } from '../package-preview/package-reviewer';
import { PackageActions } from '../packages-view/package-actions';
import type { WindowServices } from './window-services';
import type { WindowUi } from './window-ui';

/** What can be done with the packages of the window. */
export function packagesFor({
  services,
  packageReviewer: { reviewStaged: review, approveStaged: accepted },
  refresh,
  log,
}: {
  readonly services: WindowServices;
  readonly packageReviewer: PackageReviewer;
  readonly refresh: () => Promise<void>;
  readonly log: Log;
}): PackageActions {
  const { packages, settings, place, folder, packageMemory } = services;
  const { decisions } = packageMemory;
  const { env } = process;
  return new PackageActions({
    packages,
    installer: createInstaller({ places: place, settings, env, review, accepted, decisions }),
    decisions,
    npm: createNpm({ settings, env }),
    places: place,
    folder: () => (place.includeProject() ? folder : undefined),
    refresh,
    log,
  });
}

/** Shows what packages would do before they run. */
export function reviewerFor(services: WindowServices, { place }: WindowUi, log: Log): PackageReviewer {
  const { packages, approval, settings } = services;
  const { dir, jitiDir, storageDir } = place;
  const previewer = new Previewer({ workerFile: join(dir, 'dist', 'preview-worker.js'), jitiDir });
  const releases = createReleases({ settings, env: process.env, log });
  return new PackageReviewer({ packages, approval, previewer, releases, storageDir });
}
