import { dependencies } from '../../package.json';

/** The version of pi that we follow; package.json names it. */
export const PI_VERSION = dependencies['@mariozechner/pi-ai'].replace(/^.*@/, '');
