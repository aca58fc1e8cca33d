// The screens of the daily round, which are loaded together: a phone that has one has all of them, also
// where the network is bad a moment later.
export { Find } from './find/find.tsx';
export { MinerList } from './list/list.tsx';
export { Miner } from './miner/miner.tsx';
export { ScanResult } from './scan/result.tsx';
export { Scans } from './scan/scan.tsx';
export { TaskBatch } from './tasks/batch.tsx';
export { Tasks } from './tasks/tasks.tsx';
