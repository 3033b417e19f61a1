import type { CallToolResult, Client, Progress, Transport } from '@modelcontextprotocol/client'
import type { AttachedServer, AttachedServerConfig, AttachedState } from 'protocol'
import type { Clock } from '../../lib/clock.ts'
import { whyUnreachable } from '../../lib/unreachable.ts'
import type { Askers } from './askers.ts'
import { type EndingTransport, type ListTools, makeClient } from './client.ts'
import type { Listed } from './definition.ts'
import { close, reasonOf, within } from './ending.ts'
import type { AttachedLog } from './log.ts'
import { answerIn, type Loss, lossOf } from './lost.ts'
import { visible } from './text.ts'

/** Time to connect and list the tools; `npx` may have to download the server first. */
const connectMs = 60_000
const idleMs = 5 * 60_000
const aliveMs = 10_000
/** How often a server over HTTP is asked whether it lives; nothing else shows that one without calls is gone. */
const watchMs = 30_000
/** Least time between two such questions where streams end, ms. */
const checkEveryMs = 5_000
const firstRetryMs = 1_000
const longestRetryMs = 5 * 60_000
/** After this time connected, the pauses between restarts start over. */
const wellMs = 60_000
const refreshEveryMs = 5_000
/** Longer than our own timers, so that the SDK's never fire. */
const longMs = 25 * 60 * 60_000

export type Standing = Pick<AttachedServer, 'server' | 'lastError' | 'retryAt' | 'reconnectedAt' | 'goneSince'> & {
  state: AttachedState
}
export type CallOptions = { signal: AbortSignal; onProgress(message: string): void }

/** One attached server: started on demand, watched, and restarted with growing pauses when it fails. */
export type Connection = {
  standing(): Standing
  /** Resolves once it is connected and its tools are up to date. @throws Error with the reason */
  ready(): Promise<void>
  /** Connects anew at once, whatever failed before. */
  retry(): void
  /**
   * Where the server no longer knows the session and so ran nothing, it is connected anew and the call sent once more.
   * @param mayRepeat asked before that: whether the tool is still what was judged
   * @throws NotRun where the server cannot have run it; another error where it may have
   */
  call(
    toolName: string,
    args: Record<string, unknown>,
    options: CallOptions & { mayRepeat(): boolean },
  ): Promise<CallToolResult>
  /** Ends the server for good. */
  stop(): Promise<void>
}

/** The call reached no tool. */
export class NotRun extends Error {}

/** The session of the call is gone; `renewed` settles with the new connection. */
class LostSession extends NotRun {
  readonly renewed: Promise<void>
  constructor(said: string, renewed: Promise<void>) {
    super(said)
    this.renewed = renewed
    renewed.catch(() => {})
  }
}

export function createConnection(parts: {
  config: AttachedServerConfig
  version: string
  clock: Clock
  /** The part of JARVIS's environment that the process receives. */
  env: Record<string, string>
  cwd: string
  log: AttachedLog
  /** Shows a person what the server asks. */
  askers: Pick<Askers, 'elicit'>
  /** Adds the token of a sign-in to the requests of a fetch. */
  signedIn(next: typeof fetch): typeof fetch
  redact(text: string): string
  /** Called after each listing of its tools. */
  listed(tools: readonly Listed[]): void
  changed(): void
}): Connection {
  const { config, clock, log } = parts
  let standing: Standing = { state: 'idle' }
  let live: { client: Client; transport: Transport; since: number; listTools: ListTools } | undefined
  let connecting: Promise<void> | undefined
  let giveUp = new AbortController()
  let refreshing: Promise<void> | undefined
  let isStale = false
  let refreshedAt = Number.NEGATIVE_INFINITY
  let failures = 0
  let running = 0
  let isStopped = false
  let wasConnected = false
  /** Some servers exit when a request comes before `initialize`, so every second start sends none. */
  let asksFirst = true
  /** Some servers know no ping. */
  let answersPing = false
  let checkedAt = Number.NEGATIVE_INFINITY
  let cancelTimer: () => void = () => {}
  let cancelWatch: () => void = () => {}
  let cancelRefresh: () => void = () => {}

  function become(next: Standing) {
    standing = next
    parts.changed()
  }

  function connect(): Promise<void> {
    if (isStopped) return Promise.reject(new Error('it is no longer attached'))
    if (live !== undefined) return Promise.resolve()
    connecting ??= open().finally(() => {
      connecting = undefined
    })
    return connecting
  }

  async function open() {
    cancelTimer()
    become({ ...standing, state: 'connecting' })
    const stop = new AbortController()
    giveUp = stop
    const disarm = clock.after(connectMs, () =>
      stop.abort(new Error(`it did not answer within ${connectMs / 1000} s.`)),
    )
    let transport: EndingTransport | undefined
    let client: Client | undefined
    let whyNot = (said: string) => said
    try {
      const made = await makeClient({ ...parts, asksFirst, stale: tellStale, streamEnded })
      ;({ client, transport, whyNot } = made)
      const { listTools } = made
      await within(stop.signal, client.connect(transport, { timeout: longMs }))
      const opened = { client, transport, since: clock.now(), listTools }
      await within(stop.signal, readTools(listTools))
      if (isStopped) throw new Error('it is no longer attached')
      live = opened
      client.onclose = () => lost(opened)
      const { name, version } = client.getServerVersion() ?? { name: '', version: '' }
      const protocolVersion = client.getNegotiatedProtocolVersion()
      become({
        state: 'connected',
        server: {
          name: visible(name, 100),
          version: visible(version, 50),
          ...(protocolVersion !== undefined && { protocolVersion }),
        },
        lastError: standing.lastError,
        ...(wasConnected && { reconnectedAt: clock.now() }),
      })
      log.write('jarvis', wasConnected ? 'Reconnected.' : 'Connected.')
      wasConnected = true
      endWhenIdle()
      if (config.type !== 'stdio') watch(opened)
    } catch (error) {
      const said = error instanceof Error ? reasonOf(error) : String(error)
      const why = transport?.ended ?? (stop.signal.aborted ? said : whyNot(said))
      if (why !== said) log.write('jarvis', said)
      if (config.type === 'stdio' && transport?.ended !== undefined) asksFirst = !asksFirst
      if (client !== undefined) client.onclose = () => {}
      await close(client, transport)
      if (!isStopped) fail(why)
      throw new Error(why)
    } finally {
      disarm()
    }
  }

  async function readTools(listTools: ListTools) {
    isStale = false
    refreshedAt = clock.now()
    const tools = await listTools(connectMs)
    if (!isStopped) parts.listed(tools)
  }

  /** Marks the tools as changed: no call is sent before they are read again. */
  function tellStale() {
    isStale = true
    cancelRefresh()
    cancelRefresh = clock.after(Math.max(0, refreshedAt + refreshEveryMs - clock.now()), () => {
      refresh().catch(() => {})
    })
  }

  function refresh(): Promise<void> {
    const { listTools } = live ?? {}
    if (listTools === undefined || (!isStale && refreshing === undefined)) return Promise.resolve()
    cancelRefresh()
    refreshing ??= readTools(listTools)
      .catch((error: unknown) => {
        isStale = true
        throw new Error(`Its list of tools could not be read again: ${reasonOf(error as Error)}`)
      })
      .finally(() => {
        refreshing = undefined
      })
    return refreshing
  }

  function lost(was: NonNullable<typeof live>, why?: string) {
    if (live !== was) return
    leave(was)
    const transport: EndingTransport = was.transport
    if (clock.now() - was.since >= wellMs) failures = 0
    if (!isStopped) fail(why ?? transport.ended ?? 'it closed the connection')
  }

  /** Gives a connection up, and with it the session. */
  function leave(was: NonNullable<typeof live>) {
    live = undefined
    cancelTimer()
    cancelWatch()
    cancelRefresh()
    was.client.onclose = () => {}
    void close(was.client, was.transport)
  }

  /** Connects without the old session, unless that was done already. */
  function renew(was: NonNullable<typeof live>): Promise<void> {
    if (live === was) leave(was)
    return connect()
  }

  /** Sends a call once. What its failure says about the connection is acted on. */
  async function sendOnce(was: NonNullable<typeof live>, send: () => Promise<CallToolResult>) {
    try {
      return await send()
    } catch (error) {
      const loss = config.type === 'stdio' ? undefined : lossOf(error)
      if (loss === undefined) throw error
      const said = error instanceof Error ? reasonOf(error) : String(error)
      const renewed = actOn(was, error, loss)
      if (renewed !== undefined && loss.ran === 'no') throw new LostSession(said, renewed)
      if (loss.ran === 'no') throw new NotRun(said, { cause: error })
      throw answerIn(error) ?? error
    }
  }

  /** @returns the new connection, where the session is lost */
  function actOn(was: NonNullable<typeof live>, error: unknown, { isSession, isGone }: Loss) {
    if (isSession) {
      log.write('jarvis', 'It no longer knows the session.')
      const renewed = renew(was)
      renewed.catch(() => {})
      return renewed
    }
    if (isGone) lost(was, whyUnreachable(error))
    return undefined
  }

  function fail(why: string) {
    failures += 1
    const message = parts.redact(visible(why, 500))
    const pauseMs = Math.min(firstRetryMs * 2 ** (failures - 1), longestRetryMs)
    const retryAt = clock.now() + pauseMs
    log.write(
      'jarvis',
      `Failed: ${message.replace(/\.$/, '')}. It is tried again in ${pauseMs / 1000} s${config.lazy ? ', if it is needed' : ''}.`,
    )
    const { reconnectedAt: _, ...rest } = standing
    const goneSince = wasConnected ? { goneSince: standing.goneSince ?? clock.now() } : {}
    become({ ...rest, ...goneSince, state: 'failed', lastError: { at: clock.now(), message }, retryAt })
    if (!config.lazy) cancelTimer = clock.after(pauseMs, () => void connect().catch(() => {}))
  }

  /** Ends a lazy server after a while without calls. */
  function endWhenIdle() {
    if (!config.lazy || running > 0 || live === undefined) return
    cancelTimer()
    cancelTimer = clock.after(idleMs, () => {
      const was = live
      live = undefined
      cancelWatch()
      if (was !== undefined) was.client.onclose = () => {}
      log.write('jarvis', 'Ended, for it had nothing to do.')
      void close(was?.client, was?.transport)
      become({ state: 'idle', server: standing.server })
    })
  }

  /**
   * Asks a server whether it lives, and connects it anew where it does not.
   * @param isAsked by a person. Otherwise a server over HTTP is left to the calls that run: a new connection would cut them off, and each learns
   * from its own answer whether it was sent.
   */
  async function checkAlive(was: NonNullable<typeof live>, isAsked = false) {
    checkedAt = clock.now()
    const stop = new AbortController()
    const disarm = clock.after(aliveMs, () => stop.abort(new Error('silence')))
    const { client } = was
    try {
      const options = { timeout: longMs, signal: stop.signal }
      await within(stop.signal, client.getProtocolEra() === 'modern' ? client.discover(options) : client.ping(options))
      answersPing = true
    } catch (error) {
      if (live !== was || (running > 0 && !isAsked && config.type !== 'stdio')) return
      if (!stop.signal.aborted) {
        if (config.type !== 'stdio') void actOn(was, error, lossOf(error))
      } else if (config.type === 'stdio' || answersPing) {
        log.write('jarvis', 'It does not answer any more.')
        lost(was, 'it does not answer')
      }
    } finally {
      disarm()
    }
  }

  /** Looks after a server over HTTP as long as it answers. */
  function watch(was: NonNullable<typeof live>) {
    cancelWatch = clock.after(watchMs, async () => {
      if (running === 0) await checkAlive(was)
      if (live === was && (answersPing || running > 0)) watch(was)
    })
  }

  /** A stream of its messages has ended, perhaps with the server. */
  function streamEnded() {
    if (live !== undefined && running === 0 && clock.now() - checkedAt >= checkEveryMs) void checkAlive(live)
  }

  return {
    standing: () => standing,

    async ready() {
      const { state, lastError, retryAt = 0 } = standing
      // After one failure a call connects at once.
      if (state === 'failed' && failures > 1 && clock.now() < retryAt) {
        const waitS = Math.ceil((retryAt - clock.now()) / 1000)
        throw new Error(`${lastError?.message.replace(/\.$/, '') ?? 'it failed'}; it is tried again in ${waitS} s`)
      }
      await connect()
      await refresh()
    },

    retry() {
      failures = 0
      const was = live
      // A new connection would cut running calls off.
      if (was !== undefined && running > 0) void checkAlive(was, true)
      else void (was === undefined ? connect() : renew(was)).catch(() => {})
    },

    async call(toolName, args, { signal, onProgress, mayRepeat }) {
      let was = live
      if (was === undefined) throw new Error('it is not connected')
      running += 1
      cancelTimer()
      let toldAt = Number.NEGATIVE_INFINITY
      const onprogress = ({ message, progress, total }: Progress) => {
        if (clock.now() - toldAt < 500) return
        toldAt = clock.now()
        onProgress(visible(message ?? `${progress}${total === undefined ? '' : ` of ${total}`}`, 200))
      }
      const send = (to: NonNullable<typeof live>) =>
        sendOnce(to, () =>
          to.client.callTool({ name: toolName, arguments: args }, { signal, onprogress, timeout: longMs }),
        )
      try {
        const result = await send(was).catch(async (error: unknown) => {
          if (!(error instanceof LostSession)) throw error
          await within(signal, error.renewed).catch((why: unknown) => {
            throw new NotRun(why instanceof Error ? why.message : String(why))
          })
          if (live === undefined) throw new NotRun('it is not connected')
          if (!mayRepeat()) throw new NotRun('after a restart its tool is not what was judged')
          was = live
          return send(live)
        })
        failures = 0
        return result
      } catch (error) {
        if (signal.aborted && config.type === 'stdio') void checkAlive(was)
        throw error
      } finally {
        running -= 1
        endWhenIdle()
      }
    },

    async stop() {
      isStopped = true
      cancelTimer()
      cancelWatch()
      cancelRefresh()
      giveUp.abort(new Error('it is no longer attached'))
      const was = live
      live = undefined
      await Promise.all([close(was?.client, was?.transport), connecting?.catch(() => {})])
    },
  }
}
