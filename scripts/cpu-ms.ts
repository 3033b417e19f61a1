/** The CPU time in ms that some work takes in this process. A machine that pauses it for others adds nothing, as it would to the time of day. */
export function cpuMs(work: () => unknown): number {
  const begunAt = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(begunAt)
  return (user + system) / 1_000
}
