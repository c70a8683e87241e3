/** Why nothing was installed, updated or removed, as a message for the user; everything is as it was before. */
export class InstallFailure extends Error {}

/** The review refused the downloaded packages; everything is as it was before. */
export class InstallRefused extends Error {}
