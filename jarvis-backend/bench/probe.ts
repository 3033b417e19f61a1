/** Preloaded into every measured process: tells its CPU time and memory over IPC, and ends with the bench. */
export type Reading = {
  /** user + system, since the process began. */
  cpuMs: number
  rssBytes: number
  /** Live bytes: heap and buffers after a collection. Only if `collect` asked for it. */
  liveBytes: number
}

process.on('message', (what) => {
  if (what === 'collect') {
    globalThis.gc?.()
    globalThis.gc?.()
  }
  const { user, system } = process.cpuUsage()
  const { rss, heapUsed, external } = process.memoryUsage()
  const reading: Reading = { cpuMs: (user + system) / 1000, rssBytes: rss, liveBytes: heapUsed + external }
  process.send?.(reading)
})
process.on('disconnect', () => process.exit())
