/** What this thread computes meanwhile. Unlike time on the clock it does not grow with what else the machine does. */
export async function cpuSeconds(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage()
  await work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1e6
}
