import { type EntryOf, JarvisError, type ToolInput } from 'protocol'
import { settles } from 'protocol/settles'
import { unfitInput } from '../lib/depth.ts'
import type { StoredOrigin } from './origin.ts'
import type { RunParts } from './ports.ts'
import type { ActiveRuns } from './run/active-runs.ts'
import { Run } from './run.ts'
import type { RunAgent } from './run-agent.ts'
import type { StoredEntry } from './sessions/entries.ts'
import type { KeptRun } from './sessions/kept-runs.ts'
import type { LiveSessions } from './sessions/live-sessions.ts'
import type { Watcher, Watchers } from './watchers.ts'

export type CallOutcome = EntryOf<'tool_result'> | EntryOf<'blocked'> | EntryOf<'confirm_resolved'>

type AskedCall = {
  sessionId: string
  runId: string
  /** `client`: the name that the client gives itself. `token`: the name of its token. */
  client: string
  token: string
  /** The person who made the token; undefined: the first owner. */
  person?: string | undefined
  toolName: string
  toolInput: ToolInput
  signal: AbortSignal
  /** Receives the events of the call’s run. */
  tell: Watcher['tell']
  /** Texts that the client has read besides results of its calls. */
  read: readonly string[]
}

type Parts = Pick<RunParts, 'clock' | 'report'> & {
  live: Pick<LiveSessions, 'open' | 'get'>
  watchers: Pick<Watchers, 'add'>
}

/**
 * Runs calls of MCP clients; each call is a run of its own. A chat message waits in a queue, may be sent twice, and continues if its sender leaves.
 * A call starts at once, returns its outcome, and ends with its caller, so it does not go through `Runs.start`. Both end up in `ActiveRuns.begin`.
 */
export class Calls {
  readonly #parts: Parts
  readonly #agent: Pick<RunAgent, 'call'>
  readonly #active: ActiveRuns

  constructor(parts: Parts, { agent, active }: { agent: Pick<RunAgent, 'call'>; active: ActiveRuns }) {
    this.#parts = parts
    this.#agent = agent
    this.#active = active
  }

  /** Runs one tool call for an MCP client through the gate. If `signal` aborts, the call is withdrawn. */
  async callTool(call: AskedCall): Promise<CallOutcome> {
    const { sessionId, client, signal, tell } = call
    if (this.#active.isStopping) throw new JarvisError('shutting_down', 'JARVIS is shutting down.')
    const unfit = unfitInput(call.toolInput)
    if (unfit !== undefined) throw new JarvisError('invalid_request', `The arguments are ${unfit}.`)
    const run = this.#runOf(call)
    const unwatch = this.#parts.watchers.add(sessionId, {
      isOperator: false,
      tell: (event, payload) => void (payload.runId === run.id && tell(event, payload)),
    })
    let fault: unknown
    this.#active.begin(run, () =>
      this.#agent.call(run).catch((error: unknown) => {
        fault = error
      }),
    )
    const onAbort = () => this.#abort(run, client)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    await run.ended
    signal.removeEventListener('abort', onAbort)
    unwatch()
    const outcome = run.entries.find(settles)
    if (outcome === undefined) throw fault ?? new JarvisError('internal', 'The call ended without an outcome.')
    return outcome
  }

  /** Stops a kept call that waits for a decision or only reads. @returns false if the call has begun to change something, or has ended */
  withdraw({ id, sessionId }: KeptRun, by: string): boolean {
    const run = this.#parts.live.get(sessionId)?.runs.get(id)
    if (run === undefined || run.entries.some(changes)) return false
    this.#active.stop(run, by)
    return true
  }

  /** Resolves when a kept call has ended; undefined if it is not running. */
  ending({ id, sessionId }: KeptRun): Promise<void> | undefined {
    return this.#parts.live.get(sessionId)?.runs.get(id)?.ended
  }

  #runOf({ sessionId, runId, client, token, person, toolName, toolInput, read }: AskedCall): Run {
    const { live, clock } = this.#parts
    const session = live.open(sessionId)
    const origin: StoredOrigin = { kind: 'mcp', client, token, person }
    const row = { id: runId, sessionId, origin, status: 'running' as const, at: clock.now(), position: 0 }
    return new Run(session, row, { origin: { ...origin, asked: { toolName, toolInput, read } } })
  }

  #abort(run: Run, client: string): void {
    try {
      this.#active.stop(run, client)
    } catch (error) {
      // No caller would catch this error, so it is reported, and the run stops anyway.
      this.#parts.report(error, `run ${run.id} could not be written down as stopped`)
      run.haltCalls()
    }
  }
}

/** True for the entry of a call that has begun and may change something (not green). */
const changes = (entry: StoredEntry) => entry.type === 'tool_use' && entry.tier !== 'green'
