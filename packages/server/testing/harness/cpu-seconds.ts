/** The CPU time this thread uses meanwhile. Unlike wall time, it does not depend on the load of the machine. */
export async function cpuSeconds(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage()
  await work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1e6
}
