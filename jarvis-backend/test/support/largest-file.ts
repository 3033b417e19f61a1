import { execFileSync } from 'node:child_process'

/**
 * Does something while no file of this process may grow beyond some bytes: as on a disk that fills, the write that reaches the limit is short, and
 * the next one fails. Nothing is awaited meanwhile, so that no other work meets the limit.
 */
export function withLargestFile<T>(bytes: number, work: () => T): T {
  const limit = (most: string) => execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${most}:`])
  const survive = () => undefined
  process.on('SIGXFSZ', survive)
  limit(String(bytes))
  try {
    return work()
  } finally {
    limit('unlimited')
    process.off('SIGXFSZ', survive)
  }
}
