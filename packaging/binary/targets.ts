// The platforms that Pithead is built for, and the Node that goes into each. Data only.
export const NODE_VERSION = '24.21.0';

export type Target = {
  readonly name: 'linux-x64' | 'linux-arm64' | 'win-x64';
  /** Path of the Node binary inside its package `node-<name>`. */
  readonly binary: string;
  /** What follows the name of a program. */
  readonly suffix: '' | '.exe';
  /** Programs that can drop the symbols of a foreign binary, the first that is there is used. */
  readonly strip: readonly string[];
};

export const TARGETS: readonly Target[] = [
  { name: 'linux-x64', binary: 'bin/node', suffix: '', strip: ['x86_64-linux-gnu-strip', 'strip'] },
  { name: 'linux-arm64', binary: 'bin/node', suffix: '', strip: ['aarch64-linux-gnu-strip'] },
  { name: 'win-x64', binary: 'bin/node.exe', suffix: '.exe', strip: [] },
];
