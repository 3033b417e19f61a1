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

/** How often a waiting client is notified, ms. */
const heartbeatMs = 5_000
/** Most open cards per token, so that one client cannot flood the operator. */
const mostWaiting = 5
/** Clients without progress usually time out after 60 s, so they are told earlier that the call waits, ms. */
const patienceMs = 45_000
/** Calls that take longer become tasks for clients that know tasks, ms. */
const taskAfterMs = 500

export type CallParts = TasksParts & {
  catalog: Catalog
  calls: Calls
  clock: Clock
  /** The session that holds a token's calls; created at the first call. */
  sessionOf(token: ApiToken): string
  /** True if a token may call a tool, by the agent of its calls. */
  isOffered(token: ApiToken, tool: Tool): boolean
  /** Number of a session's calls that wait for a person. */
  waiting(sessionId: string): number
  /** Finds a call that was put before a person. */
  asked(callId: string): AskedCall | undefined
  /** Aborts when the server stops; waiting clients are told how to ask later. */
  stopping: AbortSignal
  surface: Surface
  report(error: unknown, message: string): void
}

type Result = CallToolResult | InputRequiredResult

/** The caller, and the ways to reach it during the call. */
export type Call = Caller & {
  clientName: string
  /** Texts of the resources that the client has read. */
  read: readonly string[]
  /** Aborts when the client cancels. */
  signal?: AbortSignal
  say?: {
    progress(params: { progressToken: string | number; progress: number; message: string }): void
    log(data: Record<string, unknown>): void
  }
  /** The value of the header `Jarvis-Confirmation`. */
  waits?: string | undefined
  /** A task was asked for (2025-11-25), or the client knows them (2026-07-28). */
  task?: 'asked' | 'known'
  /** Makes a result that is more than text and data. */
  answer?: (outcome: CallOutcome) => Promise<Result>
}

/** Handles `tools/call` through the same runs and gate as the chat. */
export function createCallTool(parts: CallParts) {
  const { catalog, calls, clock } = parts

  return async function callTool(
    { name, arguments: given = {}, _meta }: Pick<CallToolRequest['params'], 'name' | 'arguments' | '_meta'>,
    { token, gone, clientName, read, signal, say, answer, waits, task }: Call,
  ): Promise<Result> {
    const tool = catalog.get(name)
    if (tool === undefined && name === getConfirmation.name) return whatBecame(given, token)
    const sessionId = parts.sessionOf(token)
    const refusal = refusalOf(name, isRead(tool), token, sessionId)
    if (task === 'asked' && (refusal !== undefined || isRead(tool))) {
      // The specification answers "method not found" to a read requested as a task.
      const code = refusal === undefined ? ProtocolErrorCode.MethodNotFound : ProtocolErrorCode.InvalidParams
      throw new ProtocolError(code, refusal ?? `${name} reads at once: call it without a task.`)
    }
    if (refusal !== undefined) return failure(refusal)
    const withdrawn = new AbortController()
    const withdraw = () => withdrawn.abort()
    for (const end of [signal, gone]) {
      if (end === undefined) continue
      if (end.aborted) withdraw()
      else end.addEventListener('abort', withdraw, { once: true })
    }
    const run: KeptRun = { id: newId('run'), sessionId, tokenName: token.name, at: clock.now() }
    const onStopping = () => {
      ifKept(() => tellLater?.('JARVIS is shutting down. '))
      // No-op for a client that has its answer.
      giveUp(failure(`JARVIS is shutting down. ${name} may have to be called again.`))
    }
    parts.stopping.addEventListener('abort', onStopping, { once: true })
    const progressToken = _meta?.progressToken
    let progress = 0
    const onProgress = (message: string) => {
      if (progressToken === undefined) return
      progress += 1
      say?.progress({ progressToken, progress, message })
    }
    const manner = mannerOf(_meta?.['jarvis/confirmation'] ?? waits)
    let disarm = () => {}
    let giveUp = (_: Result) => {}
    const later = new Promise<Result>((resolve) => {
      giveUp = resolve
    })
    /** Hands the id out if it can be stored; on a full disk the client keeps waiting. */
    const ifKept = (hand: () => void) => {
      try {
        hand()
      } catch (error) {
        parts.report(error, `a call of ${token.name} could not be kept`)
      }
    }
    /** Answers with the id; the client polls from now on. */
    const becomeTask = () => {
      parts.kept.keep(run)
      giveUp(asHandle(task === 'asked' ? { task: olderHandle(run) } : { resultType: 'task', ...currentHandle(run) }))
    }
    /** True once the client was answered with a task. */
    let isAnswered = false
    let isWaiting = false
    /** Answers a client that waits for a person; set once it does. */
    let tellLater: ((why?: string) => void) | undefined
    const onWaiting = (card: Card) => {
      const id = card.callId ?? card.toolUseId
      say?.log({ waitsForOperator: name, id })
      isWaiting = true
      beat()
      if (isAnswered || tellLater !== undefined) return
      const tell = (why = '') => {
        parts.kept.keep(run)
        giveUp(stillWaiting({ name, id, expiresAt: card.expiresAt, isReading: isRead(tool), why }))
      }
      tellLater = tell
      if (manner === 'pending') tell()
      else if (manner === undefined && task === 'known') becomeTask()
      else if (manner === undefined && progressToken === undefined) disarm = clock.after(patienceMs, () => ifKept(tell))
    }
    const beat = () => onProgress(isWaiting ? 'Waiting in the JARVIS dashboard' : 'Still running')
    const stopBeat = progressToken === undefined ? () => {} : repeat(clock, heartbeatMs, beat)
    if (task === 'asked') becomeTask()
    else if (task === 'known' && manner === undefined) disarm = clock.after(taskAfterMs, () => ifKept(becomeTask))
    const outcome = calls.callTool({
      sessionId,
      runId: run.id,
      toolName: name,
      toolInput: given,
      client: clientName.slice(0, 100),
      token: token.name,
      person: token.person,
      signal: withdrawn.signal,
      tell(event, payload) {
        if (event === 'chat:confirm_needed') onWaiting(payload as ChatEvents['chat:confirm_needed'])
        else if (event === 'chat:tool_progress') {
          isWaiting = false
          onProgress((payload as ChatEvents['chat:tool_progress']).message)
        }
      },
      read,
    })
    try {
      return await Promise.race([outcome.then(answer ?? toResult), later])
    } finally {
      isAnswered = true
      stopBeat()
      disarm()
      parts.stopping.removeEventListener('abort', onStopping)
      // From here on nobody waits; the card stays until it is decided or expires.
      for (const end of [signal, gone]) end?.removeEventListener('abort', withdraw)
    }
  }

  /** Why a call is refused before it begins; undefined where it is not. */
  function refusalOf(name: string, isReading: boolean, token: ApiToken, sessionId: string): string | undefined {
    if (isReading) return undefined
    if (token.scope === 'read')
      return `The token ${token.name} may only read, and ${name} is not a read. Nothing was run.`
    return parts.waiting(sessionId) >= mostWaiting
      ? `${mostWaiting} calls of ${token.name} wait for the operator already. Nothing was run.`
      : undefined
  }

  function whatBecame({ id }: Record<string, unknown>, token: ApiToken): Result {
    const known = typeof id === 'string' ? parts.asked(id) : undefined
    // An earlier token of the same name had the same session.
    const isOwn = known?.sessionId === parts.sessionOf(token) && known.card.createdAt >= token.createdAt
    if (typeof id !== 'string' || known === undefined || !isOwn) {
      return failure('No call of this token waits or waited for the operator under that id.')
    }
    const state = confirmationState(id, known)
    return { content: [{ type: 'text', text: JSON.stringify(state) }], structuredContent: state, isError: false }
  }
}

/** How a client wants to wait, set once by a header or with a call: `pending` answers as soon as a card is shown, `wait` waits without limit. */
const mannerOf = (said: unknown): 'pending' | 'wait' | undefined =>
  said === 'pending' || said === 'wait' ? said : undefined

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
