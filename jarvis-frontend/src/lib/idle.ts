/** Runs `work` once nothing is urgent, a moment later at the latest where the browser cannot tell. @returns takes it back */
export function whenIdle(work: () => void): () => void {
  if (typeof requestIdleCallback === 'function') {
    const id = requestIdleCallback(work, { timeout: 1_000 })
    return () => cancelIdleCallback(id)
  }
  const id = setTimeout(work, 100)
  return () => clearTimeout(id)
}
