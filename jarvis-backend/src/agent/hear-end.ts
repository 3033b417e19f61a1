import type { Runs } from './runs.ts'

/** Watches a session until its run is done. @param ended told once, with what its last call came to */
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
