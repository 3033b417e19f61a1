import { type EntryOf, JarvisError, type ToolInput } from 'protocol'
import type { Clock } from '../lib/clock.ts'
import { unfitInput } from '../lib/depth.ts'
import { type ActiveRun, activeRun } from './active-run.ts'
import type { StoredOrigin } from './origin.ts'
import type { RunAgent } from './run-agent.ts'
import type { KeptRun } from './sessions/kept-runs.ts'
import type { LiveSession } from './sessions/live-session.ts'
import type { LiveSessions } from './sessions/live-sessions.ts'
import type { StoredEntry } from './sessions/transcript-store.ts'
import { settles } from './settles.ts'
import type { Watcher, Watchers } from './watchers.ts'

export type CallOutcome = EntryOf<'tool_result'> | EntryOf<'blocked'> | EntryOf<'confirm_resolved'>

type AskedCall = {
  sessionId: string
  runId: string
  /** How the client calls itself, and the name of its token. */
  client: string
  token: string
  /** Who made the token; absent: the first owner. */
  person?: string | undefined
  toolName: string
  toolInput: ToolInput
  signal: AbortSignal
  /** Hears what happens in the call's run. */
  tell: Watcher['tell']
  /** What the client has read besides results of its calls. */
  read: readonly string[]
}

/**
 * MCP clients' calls, each a run of its own. They have a method of their own beside `Runs.start`, because a message waits its
 * turn, can be sent twice and outlives its sender, while a call begins at once beside others, returns its outcome and ends with its caller.
 * Both start their run in the same function of `runs.ts`.
 */
export type Calls = {
  /** Runs one tool call for an MCP client through the gate. Withdrawn when `signal` aborts. */
  callTool(call: AskedCall): Promise<CallOutcome>
  /** Ends a kept call that waits or reads. @returns false when it has begun to change something or has ended. */
  withdraw(run: KeptRun, by: string): boolean
  /** Resolves when a kept call has ended; undefined when it is not running. */
  ending(run: KeptRun): Promise<void> | undefined
}

/** A change has begun. */
const changes = (entry: StoredEntry) => entry.type === 'tool_use' && entry.tier !== 'green'

/** @param parts the door of `runs.ts`, and the agent behind it */
export function createCalls(parts: {
  agent: Pick<RunAgent, 'call'>
  live: Pick<LiveSessions, 'open' | 'get'>
  watchers: Pick<Watchers, 'add'>
  start(session: LiveSession, run: ActiveRun, work: () => Promise<void>): void
  stopRun(run: ActiveRun, by: string): void
  isStopping(): boolean
  clock: Clock
  report(error: unknown, message: string): void
}): Calls {
  const { agent, live, start, stopRun, clock, report } = parts

  return {
    async callTool({ sessionId, runId, client, token, person, toolName, toolInput, signal, tell, read }) {
      if (parts.isStopping()) throw new JarvisError('shutting_down', 'JARVIS is shutting down.')
      const unfit = unfitInput(toolInput)
      if (unfit !== undefined) throw new JarvisError('invalid_request', `The arguments are ${unfit}.`)
      const session = live.open(sessionId)
      const origin: StoredOrigin = { kind: 'mcp', client, token, ...(person !== undefined && { person }) }
      const run = activeRun(
        { id: runId, sessionId, origin, status: 'running', at: clock.now(), position: 0 },
        { ...origin, asked: { toolName, toolInput, read } },
        session.agent,
      )
      const unwatch = parts.watchers.add(sessionId, {
        isOperator: false,
        tell: (event, payload) => void (payload.runId === run.row.id && tell(event, payload)),
      })
      let fault: unknown
      start(session, run, () =>
        agent.call(session, run).catch((error: unknown) => {
          fault = error
        }),
      )
      const onAbort = () => {
        try {
          stopRun(run, client)
        } catch (error) {
          // No caller catches this error; the run stops anyway.
          report(error, `run ${run.row.id} could not be written down as stopped`)
          run.abort.abort()
        }
      }
      if (signal.aborted) onAbort()
      else signal.addEventListener('abort', onAbort, { once: true })
      await run.ended
      signal.removeEventListener('abort', onAbort)
      unwatch()
      const outcome = run.entries.find(settles)
      if (outcome === undefined) throw fault ?? new JarvisError('internal', 'The call ended without an outcome.')
      return outcome
    },

    withdraw({ id, sessionId }, by) {
      const run = live.get(sessionId)?.runs.get(id)
      if (run === undefined || run.entries.some(changes)) return false
      stopRun(run, by)
      return true
    },

    ending: ({ id, sessionId }) => live.get(sessionId)?.runs.get(id)?.ended,
  }
}
