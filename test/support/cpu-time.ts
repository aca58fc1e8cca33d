// What work costs the processor, which a busy machine does not change as it changes the time on the wall.

/** Milliseconds that this thread computed while `work` ran; what it started and did not wait for is not in it. */
export function cpuMsOf(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
