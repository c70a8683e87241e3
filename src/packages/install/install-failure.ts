/** Why nothing was installed, updated or removed, in words for people; everything is as it was before. */
export class InstallFailure extends Error {}
