import { afterAll } from 'vitest'

export type AtEnd = (end: () => void | Promise<void>) => void

/** For what the tests of a file share, such as a server or a page: takes what ends it, and runs it after the last test, the newest first. */
export function atFileEnd(): AtEnd {
  const ends: Parameters<AtEnd>[0][] = []
  afterAll(async () => {
    for (const end of ends.reverse()) await end()
  })
  return (end) => void ends.push(end)
}
