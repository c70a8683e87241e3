/** Why nothing was installed, updated or removed, in words for people; everything is as it was before. */
export class InstallFailure extends Error {}

/** The user said no to what was downloaded; everything is as it was before. */
export class InstallRefused extends Error {}
