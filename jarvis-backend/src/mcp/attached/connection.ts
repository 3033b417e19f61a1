import type { CallToolResult, Client, Progress } from '@modelcontextprotocol/client'
import type { AttachedServer, AttachedServerConfig, AttachedState } from 'protocol'
import type { Clock } from '../../lib/clock.ts'
import { whyUnreachable } from '../../lib/unreachable.ts'
import type { Askers } from './askers.ts'
import { type EndingTransport, makeClient } from './client.ts'
import type { Listed } from './definition.ts'
import { close, reasonOf, within } from './ending.ts'
import type { AttachedLog } from './log.ts'
import { answerIn, type Loss, lossOf } from './lost.ts'
import { visible } from './text.ts'
import { ToolListing } from './tool-listing.ts'

/** Time to connect and list the tools; `npx` may have to download the server first. */
const connectMs = 60_000
const idleMs = 5 * 60_000
const aliveMs = 10_000
/** Interval at which a server over HTTP is asked if it is alive, ms. Without calls, nothing else shows that the server has stopped. */
const watchMs = 30_000
/** Minimum time between two such checks if streams end, ms. */
const checkEveryMs = 5_000
const firstRetryMs = 1_000
const longestRetryMs = 5 * 60_000
/** After a connection of this length, the pauses between retries start again at the shortest, ms. */
const wellMs = 60_000
/** Longer than our own timers, so that the SDK's never fire. */
const longMs = 25 * 60 * 60_000

export type Standing = Pick<AttachedServer, 'server' | 'lastError' | 'retryAt' | 'reconnectedAt' | 'goneSince'> & {
  state: AttachedState
}
export type CallOptions = {
  signal: AbortSignal
  onProgress(message: string): void
  /** Called before a call is sent again over a new connection. Returns true if the tool's definition is still the one that the gate judged. */
  mayRepeat(): boolean
}

/** One attached server. It is started on demand and watched; if it fails, it is restarted after growing pauses. */
export interface Connection {
  standing(): Standing
  /** Resolves once it is connected and its tools are up to date. @throws Error with the reason */
  ready(): Promise<void>
  /** Connects again at once, even if earlier attempts failed. */
  retry(): void
  /**
   * Calls a tool. If the server no longer knows the session, it did not run the call; the connection is then renewed and the call is sent again.
   * @throws NotRun if the server cannot have run the call; another error if the server may have run it
   */
  call(toolName: string, args: Record<string, unknown>, options: CallOptions): Promise<CallToolResult>
  /** Ends the server for good. */
  stop(): Promise<void>
}

export type ConnectionParts = {
  config: AttachedServerConfig
  version: string
  clock: Clock
  /** The part of JARVIS's environment that the process receives. */
  env: Record<string, string>
  cwd: string
  log: AttachedLog
  /** Asks a person the server's questions. */
  askers: Pick<Askers, 'elicit'>
  /** Adds the token of a sign-in to requests. */
  signedIn(next: typeof fetch): typeof fetch
  redact(text: string): string
  /** Called after each reading of the server's tools. */
  listed(tools: readonly Listed[]): void
  changed(): void
}

/** Thrown if the server did not run the call. */
export class NotRun extends Error {}

/** Thrown if the session of the call no longer exists. `renewed` settles with the new connection. */
class LostSession extends NotRun {
  readonly renewed: Promise<void>
  constructor(said: string, renewed: Promise<void>) {
    super(said)
    this.renewed = renewed
    renewed.catch(() => {})
  }
}

/** An open connection. `since`: when it was opened, Unix ms. */
type Live = { client: Client; transport: EndingTransport; since: number }

/** A connection over the SDK's client. */
export class ServerConnection implements Connection {
  readonly #parts: ConnectionParts
  readonly #tools: ToolListing
  #standing: Standing = { state: 'idle' }
  #live: Live | undefined
  #connecting: Promise<void> | undefined
  #giveUp = new AbortController()
  /** Failures in a row. */
  #failures = 0
  /** Number of running calls. */
  #running = 0
  #isStopped = false
  #wasConnected = false
  /**
   * True: the next start asks for the server's version before `initialize`. Some servers exit on such a request, so every second start sends none.
   */
  #asksFirst = true
  /** True if the server has answered a ping. Some servers do not support ping. */
  #answersPing = false
  #checkedAt = Number.NEGATIVE_INFINITY
  /** Cancels the next retry, or the end of an idle server. */
  #cancelTimer: () => void = () => {}
  #cancelWatch: () => void = () => {}

  constructor(parts: ConnectionParts) {
    this.#parts = parts
    this.#tools = new ToolListing({
      clock: parts.clock,
      timeoutMs: connectMs,
      listed: (tools) => {
        if (!this.#isStopped) parts.listed(tools)
      },
    })
  }

  standing(): Standing {
    return this.#standing
  }

  async ready(): Promise<void> {
    const { state, lastError, retryAt = 0 } = this.#standing
    const now = this.#parts.clock.now()
    // After only one failure, a call connects again without a pause.
    if (state === 'failed' && this.#failures > 1 && now < retryAt) {
      const waitS = Math.ceil((retryAt - now) / 1000)
      throw new Error(`${lastError?.message.replace(/\.$/, '') ?? 'it failed'}; it is tried again in ${waitS} s`)
    }
    await this.#connect()
    await this.#tools.refresh()
  }

  retry(): void {
    this.#failures = 0
    const was = this.#live
    // A new connection would break running calls, so the server is only checked.
    if (was !== undefined && this.#running > 0) void this.#checkAlive(was, true)
    else void (was === undefined ? this.#connect() : this.#renew(was)).catch(() => {})
  }

  async call(toolName: string, args: Record<string, unknown>, options: CallOptions): Promise<CallToolResult> {
    const { signal, mayRepeat } = options
    let was = this.#live
    if (was === undefined) throw new Error('it is not connected')
    this.#running += 1
    this.#cancelTimer()
    const onprogress = this.#progressTo(options)
    const send = (to: Live) =>
      this.#sendOnce(to, () =>
        to.client.callTool({ name: toolName, arguments: args }, { signal, onprogress, timeout: longMs }),
      )
    try {
      const result = await send(was).catch(async (error: unknown) => {
        if (!(error instanceof LostSession)) throw error
        await within(signal, error.renewed).catch((why: unknown) => {
          throw new NotRun(why instanceof Error ? why.message : String(why))
        })
        const renewed = this.#live
        if (renewed === undefined) throw new NotRun('it is not connected')
        if (!mayRepeat()) throw new NotRun('after a restart its tool is not what was judged')
        was = renewed
        return send(renewed)
      })
      this.#failures = 0
      return result
    } catch (error) {
      if (signal.aborted && this.#isProcess) void this.#checkAlive(was)
      throw error
    } finally {
      this.#running -= 1
      this.#endWhenIdle()
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#cancelTimer()
    this.#cancelWatch()
    this.#tools.end()
    this.#giveUp.abort(new Error('it is no longer attached'))
    const was = this.#live
    this.#live = undefined
    await Promise.all([close(was?.client, was?.transport), this.#connecting?.catch(() => {})])
  }

  /** True for a program that JARVIS starts; false for a server over HTTP. */
  get #isProcess(): boolean {
    return this.#parts.config.type === 'stdio'
  }

  #become(next: Standing): void {
    this.#standing = next
    this.#parts.changed()
  }

  #connect(): Promise<void> {
    if (this.#isStopped) return Promise.reject(new Error('it is no longer attached'))
    if (this.#live !== undefined) return Promise.resolve()
    this.#connecting ??= this.#open().finally(() => {
      this.#connecting = undefined
    })
    return this.#connecting
  }

  async #open(): Promise<void> {
    const { clock, log } = this.#parts
    this.#cancelTimer()
    this.#become({ ...this.#standing, state: 'connecting' })
    const stop = new AbortController()
    this.#giveUp = stop
    const disarm = clock.after(connectMs, () =>
      stop.abort(new Error(`it did not answer within ${connectMs / 1000} s.`)),
    )
    let transport: EndingTransport | undefined
    let client: Client | undefined
    let whyNot = (said: string) => said
    try {
      const made = await makeClient({
        ...this.#parts,
        asksFirst: this.#asksFirst,
        stale: () => this.#tools.tellStale(),
        streamEnded: () => this.#streamEnded(),
      })
      ;({ client, transport, whyNot } = made)
      await within(stop.signal, client.connect(transport, { timeout: longMs }))
      const opened = { client, transport, since: clock.now() }
      await within(stop.signal, this.#tools.read(made.listTools))
      if (this.#isStopped) throw new Error('it is no longer attached')
      this.#live = opened
      this.#tools.use(made.listTools)
      client.onclose = () => this.#lost(opened)
      this.#tellConnected(client)
      this.#endWhenIdle()
      if (!this.#isProcess) this.#watch(opened)
    } catch (error) {
      const said = error instanceof Error ? reasonOf(error) : String(error)
      const why = transport?.ended ?? (stop.signal.aborted ? said : whyNot(said))
      if (why !== said) log.write('jarvis', said)
      if (this.#isProcess && transport?.ended !== undefined) this.#asksFirst = !this.#asksFirst
      if (client !== undefined) client.onclose = () => {}
      await close(client, transport)
      if (!this.#isStopped) this.#fail(why)
      throw new Error(why)
    } finally {
      disarm()
    }
  }

  #tellConnected(client: Client): void {
    const { clock, log } = this.#parts
    const { name, version } = client.getServerVersion() ?? { name: '', version: '' }
    const protocolVersion = client.getNegotiatedProtocolVersion()
    this.#become({
      state: 'connected',
      server: {
        name: visible(name, 100),
        version: visible(version, 50),
        protocolVersion,
      },
      lastError: this.#standing.lastError,
      ...(this.#wasConnected && { reconnectedAt: clock.now() }),
    })
    log.write('jarvis', this.#wasConnected ? 'Reconnected.' : 'Connected.')
    this.#wasConnected = true
  }

  #lost(was: Live, why?: string): void {
    if (this.#live !== was) return
    this.#leave(was)
    if (this.#parts.clock.now() - was.since >= wellMs) this.#failures = 0
    if (!this.#isStopped) this.#fail(why ?? was.transport.ended ?? 'it closed the connection')
  }

  /** Closes a connection, and with it its session. */
  #leave(was: Live): void {
    this.#live = undefined
    this.#cancelTimer()
    this.#cancelWatch()
    this.#tools.end()
    was.client.onclose = () => {}
    void close(was.client, was.transport)
  }

  /** Connects with a new session. If another caller has already done so, uses that connection. */
  #renew(was: Live): Promise<void> {
    if (this.#live === was) this.#leave(was)
    return this.#connect()
  }

  /** Sends a call once. If it fails, acts on what the failure says about the connection. */
  async #sendOnce(was: Live, send: () => Promise<CallToolResult>): Promise<CallToolResult> {
    try {
      return await send()
    } catch (error) {
      const loss = this.#isProcess ? undefined : lossOf(error)
      if (loss === undefined) throw error
      const said = error instanceof Error ? reasonOf(error) : String(error)
      const renewed = this.#actOn(was, error, loss)
      if (renewed !== undefined && loss.ran === 'no') throw new LostSession(said, renewed)
      if (loss.ran === 'no') throw new NotRun(said, { cause: error })
      throw answerIn(error) ?? error
    }
  }

  /** @returns the new connection, if the session is lost */
  #actOn(was: Live, error: unknown, { isSession, isGone }: Loss): Promise<void> | undefined {
    if (isSession) {
      this.#parts.log.write('jarvis', 'It no longer knows the session.')
      const renewed = this.#renew(was)
      renewed.catch(() => {})
      return renewed
    }
    if (isGone) this.#lost(was, whyUnreachable(error))
    return undefined
  }

  #fail(why: string): void {
    const { clock, config, log } = this.#parts
    this.#failures += 1
    const message = this.#parts.redact(visible(why, 500))
    const pauseMs = Math.min(firstRetryMs * 2 ** (this.#failures - 1), longestRetryMs)
    const retryAt = clock.now() + pauseMs
    log.write(
      'jarvis',
      `Failed: ${message.replace(/\.$/, '')}. It is tried again in ${pauseMs / 1000} s${config.lazy ? ', if it is needed' : ''}.`,
    )
    const { reconnectedAt: _, ...rest } = this.#standing
    const goneSince = this.#wasConnected ? { goneSince: this.#standing.goneSince ?? clock.now() } : {}
    this.#become({ ...rest, ...goneSince, state: 'failed', lastError: { at: clock.now(), message }, retryAt })
    if (!config.lazy) this.#cancelTimer = clock.after(pauseMs, () => void this.#connect().catch(() => {}))
  }

  /** Ends a lazy server after a while without calls. */
  #endWhenIdle(): void {
    const { clock, config, log } = this.#parts
    if (!config.lazy || this.#running > 0 || this.#live === undefined) return
    this.#cancelTimer()
    this.#cancelTimer = clock.after(idleMs, () => {
      const was = this.#live
      this.#live = undefined
      this.#cancelWatch()
      this.#tools.end()
      if (was !== undefined) was.client.onclose = () => {}
      log.write('jarvis', 'Ended, for it had nothing to do.')
      void close(was?.client, was?.transport)
      this.#become({ state: 'idle', server: this.#standing.server })
    })
  }

  /**
   * Checks if a server is alive, and connects again if it is not. @param isAsked true if a person asked for the check. Otherwise, running calls
   * prevent a new connection to a server over HTTP, because it would break them, and each call learns from its own answer if it was sent.
   */
  async #checkAlive(was: Live, isAsked = false): Promise<void> {
    const { clock, log } = this.#parts
    this.#checkedAt = clock.now()
    const stop = new AbortController()
    const disarm = clock.after(aliveMs, () => stop.abort(new Error('silence')))
    const { client } = was
    try {
      const options = { timeout: longMs, signal: stop.signal }
      await within(stop.signal, client.getProtocolEra() === 'modern' ? client.discover(options) : client.ping(options))
      this.#answersPing = true
    } catch (error) {
      if (this.#live !== was || (this.#running > 0 && !isAsked && !this.#isProcess)) return
      if (!stop.signal.aborted) {
        if (!this.#isProcess) void this.#actOn(was, error, lossOf(error))
      } else if (this.#isProcess || this.#answersPing) {
        log.write('jarvis', 'It does not answer any more.')
        this.#lost(was, 'it does not answer')
      }
    } finally {
      disarm()
    }
  }

  /** Checks a server over HTTP at intervals, as long as it answers. */
  #watch(was: Live): void {
    this.#cancelWatch = this.#parts.clock.after(watchMs, async () => {
      if (this.#running === 0) await this.#checkAlive(was)
      if (this.#live === was && (this.#answersPing || this.#running > 0)) this.#watch(was)
    })
  }

  /** Called when a stream of the server's messages ends; the server may have ended too. */
  #streamEnded(): void {
    const isDue = this.#parts.clock.now() - this.#checkedAt >= checkEveryMs
    if (this.#live !== undefined && this.#running === 0 && isDue) void this.#checkAlive(this.#live)
  }

  /** Returns a function that reports a call's progress, at most twice a second. */
  #progressTo({ onProgress }: Pick<CallOptions, 'onProgress'>): (progress: Progress) => void {
    const { clock } = this.#parts
    let toldAt = Number.NEGATIVE_INFINITY
    return ({ message, progress, total }) => {
      if (clock.now() - toldAt < 500) return
      toldAt = clock.now()
      onProgress(visible(message ?? `${progress}${total === undefined ? '' : ` of ${total}`}`, 200))
    }
  }
}
