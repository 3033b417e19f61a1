/** Runs `work` when the browser is idle, or after a short delay if the browser cannot report that. @returns cancels it */
export function whenIdle(work: () => void): () => void {
  if (typeof requestIdleCallback === 'function') {
    const id = requestIdleCallback(work, { timeout: 1_000 })
    return () => cancelIdleCallback(id)
  }
  const id = setTimeout(work, 100)
  return () => clearTimeout(id)
}
