import { noUsage, type Requester } from '../protocol/index.ts'
import type { ActiveRun, LiveSession } from './sessions/live-session.ts'
import type { Draft, TranscriptStore } from './sessions/transcript-store.ts'
import { calling, contextOf, type ToolRunner } from './tool-runner.ts'

/** The run of an MCP client's read: it needs no loop, and its beginning is stored while it runs already. */
export function createReadCall(parts: {
  store: TranscriptStore
  tools: ToolRunner
  /** Inside a transaction. */
  keepEnd(session: LiveSession, run: ActiveRun, last: Extract<Draft, { type: 'done' }>): void
  fail(session: LiveSession, run: ActiveRun, error: unknown): void
}) {
  const { store, tools } = parts

  /** @returns false where it is no read that may run at once: nothing of it is stored then. @throws JarvisError where it cannot be stored */
  return async function read(session: LiveSession, run: ActiveRun, requestedBy: Requester): Promise<boolean> {
    if (run.call === undefined) return false
    const turn = calling('mcp', run.call.toolName, run.call.toolInput)
    const go = await tools.reading(turn.content[0], {
      ...contextOf(session, run),
      requestedBy,
      append(entry) {
        session.append(run, entry)
        if (entry.type !== 'tool_result') return
        const stopReason = run.abort.signal.aborted ? 'aborted' : 'end_turn'
        parts.keepEnd(session, run, { type: 'done', usage: noUsage, stopReason })
      },
    })
    if (go === undefined) return false
    const isBegun = store.together(() => {
      run.row.position = store.addRun(run.row)
      session.append(run, turn)
    })
    try {
      await Promise.all([isBegun, go()])
    } catch (error) {
      // Who watches has seen it begin.
      if (run.entries.length > 0) parts.fail(session, run, error)
      throw error
    }
    return true
  }
}
