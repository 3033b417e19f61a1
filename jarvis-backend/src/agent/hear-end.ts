import type { Runs } from './runs.ts'

/**
 * Watches a session until a run in it ends. @param ended called once, with the summary of the last tool result or the reason of the last blocked
 * call
 */
export function hearEnd(runs: Pick<Runs, 'watch'>, sessionId: string, ended: (summary: string) => void) {
  let last = ''
  const watch = runs.watch(sessionId, {
    isOperator: false,
    tell(event, payload) {
      if (event === 'chat:tool_result' && 'summary' in payload) last = payload.summary
      if (event === 'chat:blocked' && 'reason' in payload) last = String(payload.reason)
      if (event !== 'chat:done') return
      setImmediate(watch.end)
      ended(last)
    },
  })
}
