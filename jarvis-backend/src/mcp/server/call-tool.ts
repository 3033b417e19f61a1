import {
  type CallToolRequest,
  type CallToolResult,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server'
import type { Card, ChatEvents } from 'protocol'
import type { CallOutcome, Calls } from '../../agent/calls.ts'
import type { KeptRun } from '../../agent/sessions/kept-runs.ts'
import type { ApiToken } from '../../auth/api-tokens.ts'
import type { Clock } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import type { Catalog } from '../../tools/catalog.ts'
import type { Tool } from '../../tools/tool.ts'
import type { Caller } from './authenticate.ts'
import { failure, stillWaiting, toResult } from './call-result.ts'
import { type AskedCall, confirmationState } from './confirmation-state.ts'
import type { Surface } from './surface.ts'
import { asHandle } from './task-server.ts'
import { currentHandle, olderHandle, type TasksParts } from './tasks.ts'
import { getConfirmation, isRead } from './tool-list.ts'

/** Interval between progress messages to a waiting client, ms. */
const heartbeatMs = 5_000
/** Maximum number of open cards per token, so that one client cannot flood the operator. */
const mostWaiting = 5
/** Clients without progress usually time out after 60 s. They are therefore told after this time that the call waits, ms. */
const patienceMs = 45_000
/** A call that takes longer than this becomes a task, if the client supports tasks, ms. */
const taskAfterMs = 500

export type CallParts = TasksParts & {
  catalog: Catalog
  calls: Calls
  clock: Clock
  /** The session that holds a token's calls; created at the first call. */
  sessionOf(token: ApiToken): string
  /** True if the agent in whose name the token calls may use the tool. */
  isOffered(token: ApiToken, tool: Tool): boolean
  /** Returns the number of calls in a session that wait for a person. */
  waiting(sessionId: string): number
  /** Finds a call that needed a confirmation. */
  asked(callId: string): AskedCall | undefined
  /** Aborts when the server stops. Waiting clients are then told how to ask for the result later. */
  stopping: AbortSignal
  surface: Surface
  report(error: unknown, message: string): void
}

type Result = CallToolResult | InputRequiredResult

/** The caller of a call, and the ways to send it messages during the call. */
export type Call = Caller & {
  clientName: string
  /** Texts of the resources that the client has read. */
  read: readonly string[]
  /** Aborts if the client cancels the call. */
  signal?: AbortSignal
  say?: {
    progress(params: { progressToken: string | number; progress: number; message: string }): void
    log(data: Record<string, unknown>): void
  }
  /** The value of the header `Jarvis-Confirmation`. */
  waits?: string | undefined
  /** `asked`: the client asked for a task (2025-11-25). `known`: the client supports tasks (2026-07-28). */
  task?: 'asked' | 'known'
  /** Builds the result of a tool whose result is more than text and data. */
  answer?: (outcome: CallOutcome) => Promise<Result>
}

/** Handles `tools/call` through the same runs and gate as the chat. */
export class CallTool {
  readonly #parts: CallParts

  constructor(parts: CallParts) {
    this.#parts = parts
  }

  async call(
    { name, arguments: given = {}, _meta }: Pick<CallToolRequest['params'], 'name' | 'arguments' | '_meta'>,
    call: Call,
  ): Promise<Result> {
    const { token, clientName, signal, gone } = call
    const tool = this.#parts.catalog.get(name)
    if (tool === undefined && name === getConfirmation.name) return this.#whatBecame(given, token)
    const isReading = isRead(tool)
    const sessionId = this.#parts.sessionOf(token)
    const refusal = isReading ? undefined : this.#refusalOf(name, token, sessionId)
    if (call.task === 'asked' && (refusal !== undefined || isReading)) {
      // The specification answers "method not found" to a read requested as a task.
      const code = refusal === undefined ? ProtocolErrorCode.MethodNotFound : ProtocolErrorCode.InvalidParams
      throw new ProtocolError(code, refusal ?? `${name} reads at once: call it without a task.`)
    }
    if (refusal !== undefined) return failure(refusal)
    const withdrawn = firstOf([signal, gone])
    const waiting = new WaitingClient(this.#parts, { name, isReading, sessionId, call, _meta })
    const outcome = this.#parts.calls.callTool({
      sessionId,
      runId: waiting.run.id,
      toolName: name,
      toolInput: given,
      client: clientName.slice(0, 100),
      token: token.name,
      person: token.person,
      signal: withdrawn.signal,
      tell(event, payload) {
        if (event === 'chat:confirm_needed') waiting.waitsFor(payload as ChatEvents['chat:confirm_needed'])
        else if (event === 'chat:tool_progress')
          waiting.progressed((payload as ChatEvents['chat:tool_progress']).message)
      },
      read: call.read,
    })
    try {
      return await waiting.answer(outcome.then(call.answer ?? toResult))
    } finally {
      // After this point no client waits. The card stays until it is decided or expires.
      withdrawn.forget()
    }
  }

  /** Returns the reason why a call that changes something is refused before it begins; undefined if it is not refused. */
  #refusalOf(name: string, token: ApiToken, sessionId: string): string | undefined {
    if (token.scope === 'read')
      return `The token ${token.name} may only read, and ${name} is not a read. Nothing was run.`
    return this.#parts.waiting(sessionId) >= mostWaiting
      ? `${mostWaiting} calls of ${token.name} wait for the operator already. Nothing was run.`
      : undefined
  }

  #whatBecame({ id }: Record<string, unknown>, token: ApiToken): Result {
    const known = typeof id === 'string' ? this.#parts.asked(id) : undefined
    // An earlier token of the same name used the same session, so the time is compared too.
    const isOwn = known?.sessionId === this.#parts.sessionOf(token) && known.card.createdAt >= token.createdAt
    if (typeof id !== 'string' || known === undefined || !isOwn) {
      return failure('No call of this token waits or waited for the operator under that id.')
    }
    const state = confirmationState(id, known)
    return { content: [{ type: 'text', text: JSON.stringify(state) }], structuredContent: state, isError: false }
  }
}

/** Returns a signal that aborts when the first of several signals aborts. `forget` removes its listeners from them. */
function firstOf(signals: readonly (AbortSignal | undefined)[]): { signal: AbortSignal; forget(): void } {
  const any = new AbortController()
  const abort = () => any.abort()
  for (const one of signals) {
    if (one?.aborted) abort()
    else one?.addEventListener('abort', abort, { once: true })
  }
  return {
    signal: any.signal,
    forget() {
      for (const one of signals) one?.removeEventListener('abort', abort)
    },
  }
}

/** A call for which a client waits. */
type Waited = {
  name: string
  isReading: boolean
  sessionId: string
  call: Call
  _meta: CallToolRequest['params']['_meta']
}

/**
 * The client of one call while the client waits. It receives progress. If a person must decide, or the call takes long, the client gets an id with
 * which it can ask for the result later.
 */
class WaitingClient {
  readonly run: KeptRun
  readonly #parts: CallParts
  readonly #waited: Waited
  readonly #progressToken: string | number | undefined
  readonly #manner: Manner
  /** A result that may be given before the call has ended. */
  readonly #early: Promise<Result>
  #answerEarly = (_: Result) => {}
  readonly #stopBeat: () => void
  #disarm = () => {}
  #progress = 0
  #isWaiting = false
  /** Tells the client how to ask for the result later. Set when the call waits for a person. */
  #tellLater: ((why?: string) => void) | undefined
  #isAnswered = false

  constructor(parts: CallParts, waited: Waited) {
    const { clock } = parts
    const { call, sessionId, _meta } = waited
    this.#parts = parts
    this.#waited = waited
    this.#early = new Promise((resolve) => {
      this.#answerEarly = resolve
    })
    this.run = { id: newId('run'), sessionId, tokenName: call.token.name, at: clock.now() }
    this.#progressToken = _meta?.progressToken
    this.#manner = mannerOf(_meta?.['jarvis/confirmation'] ?? call.waits)
    this.#stopBeat = this.#progressToken === undefined ? () => {} : repeat(clock, heartbeatMs, () => this.#beat())
    parts.stopping.addEventListener('abort', this.#onStopping, { once: true })
    if (call.task === 'asked') this.#becomeTask()
    else if (call.task === 'known' && this.#manner === undefined)
      this.#disarm = clock.after(taskAfterMs, () => this.#ifKept(() => this.#becomeTask()))
  }

  /** Returns the result of the call, or the early result if it comes first. */
  async answer(result: Promise<Result>): Promise<Result> {
    try {
      return await Promise.race([result, this.#early])
    } finally {
      this.#isAnswered = true
      this.#stopBeat()
      this.#disarm()
      this.#parts.stopping.removeEventListener('abort', this.#onStopping)
    }
  }

  progressed(message: string): void {
    this.#isWaiting = false
    this.#say(message)
  }

  /** Tells the client that the call waits for a person. */
  waitsFor(card: Card): void {
    const { name, isReading, call } = this.#waited
    const id = card.callId ?? card.toolUseId
    call.say?.log({ waitsForOperator: name, id })
    this.#isWaiting = true
    this.#beat()
    if (this.#isAnswered || this.#tellLater !== undefined) return
    const tell = (why = '') => {
      this.#parts.kept.keep(this.run)
      this.#answerEarly(stillWaiting({ name, id, expiresAt: card.expiresAt, isReading, why }))
    }
    this.#tellLater = tell
    if (this.#manner === 'pending') tell()
    else if (this.#manner === undefined && call.task === 'known') this.#becomeTask()
    else if (this.#manner === undefined && this.#progressToken === undefined)
      this.#disarm = this.#parts.clock.after(patienceMs, () => this.#ifKept(tell))
  }

  readonly #onStopping = () => {
    this.#ifKept(() => this.#tellLater?.('JARVIS is shutting down. '))
    // Has no effect on a client that already has its answer.
    this.#answerEarly(failure(`JARVIS is shutting down. ${this.#waited.name} may have to be called again.`))
  }

  #beat(): void {
    this.#say(this.#isWaiting ? 'Waiting in the JARVIS dashboard' : 'Still running')
  }

  #say(message: string): void {
    const progressToken = this.#progressToken
    if (progressToken === undefined) return
    this.#progress += 1
    this.#waited.call.say?.progress({ progressToken, progress: this.#progress, message })
  }

  /** Answers with the id of a task; from then on the client polls the task. */
  #becomeTask(): void {
    this.#parts.kept.keep(this.run)
    const isAsked = this.#waited.call.task === 'asked'
    const handle = isAsked ? { task: olderHandle(this.run) } : { resultType: 'task', ...currentHandle(this.run) }
    this.#answerEarly(asHandle(handle))
  }

  /** Gives the id to the client if the id could be stored. If not, for example on a full disk, the client keeps waiting. */
  #ifKept(hand: () => void): void {
    try {
      hand()
    } catch (error) {
      this.#parts.report(error, `a call of ${this.run.tokenName} could not be kept`)
    }
  }
}

/**
 * The way in which a client wants to wait, set by a header or with a call. `pending`: it gets an answer as soon as a card is shown. `wait`: it waits
 * without limit. Undefined: the default.
 */
type Manner = 'pending' | 'wait' | undefined
const mannerOf = (said: unknown): Manner => (said === 'pending' || said === 'wait' ? said : undefined)

function repeat(clock: Clock, everyMs: number, run: () => void): () => void {
  let disarm = () => {}
  const arm = () => {
    disarm = clock.after(everyMs, () => {
      run()
      arm()
    })
  }
  arm()
  return () => disarm()
}
