const everyMs = 60_000
const mostKept = 100

/** @returns a function that tells each text at most once a minute, for lines that a client could cause without end */
export function seldom(now: () => number, tell: (text: string) => void): (text: string) => void {
  const toldAt = new Map<string, number>()
  return (text) => {
    const at = now()
    if ((toldAt.get(text) ?? Number.NEGATIVE_INFINITY) + everyMs > at) return
    toldAt.delete(text)
    toldAt.set(text, at)
    for (const oldest of toldAt.keys()) {
      if (toldAt.size <= mostKept) break
      toldAt.delete(oldest)
    }
    tell(text)
  }
}
