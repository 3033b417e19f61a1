/** Keeps the newest lines of a log. `lines` returns them oldest first; `id` increases with each line. */
export type LogRing<T> = { add(line: T): void; lines(): (T & { id: number })[] }

export function createLogRing<T extends object>(limit: number): LogRing<T> {
  const kept: (T & { id: number })[] = []
  let nextId = 1
  return {
    add(line) {
      kept.push({ ...line, id: nextId++ })
      if (kept.length > limit) kept.shift()
    },
    lines: () => [...kept],
  }
}
