import type { CallToolRequest, CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server'
import type { CallOutcome, Runs } from '../agent/runs.ts'
import type { McpToken } from '../auth/mcp-tokens.ts'
import type { Clock } from '../lib/clock.ts'
import type { Card } from '../protocol/index.ts'
import type { Catalog } from '../tools/catalog.ts'
import type { Caller } from './authenticate.ts'
import { type AskedCall, confirmationState } from './confirmation-state.ts'
import type { Surface } from './surface.ts'
import { getConfirmation, isRead } from './tool-list.ts'

/** How often a client that waits hears that it still waits. */
const heartbeatMs = 5_000
/** Cards that one token may have open: more would only tire the person who reads them. */
const mostWaiting = 5
/** A client that asked for no progress gives up after 60 s, as clients are made: before that it is told that it waits. */
const patienceMs = 45_000

export type CallParts = {
  catalog: Catalog
  runs: Runs
  clock: Clock
  /** The session in which a token's calls stand, made at its first call. */
  sessionOf(token: McpToken): string
  /** How many calls of a session wait for a person. */
  waiting(sessionId: string): number
  /** A call that was put before a person, by its id. */
  asked(callId: string): AskedCall | undefined
  /** Aborts when the server goes down: what waits then is withdrawn at its next start. */
  stopping: AbortSignal
  surface: Surface
}

type Result = CallToolResult | InputRequiredResult

/** Who calls, and how they can be reached meanwhile. */
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
  /** What the header `Jarvis-Confirmation` says. */
  waits?: string | undefined
  /** Makes the result in the place of text and data. */
  answer?: (outcome: CallOutcome) => Promise<Result>
}

/** `tools/call`: through the same runs and the same gate as the chat. */
export function createCallTool(parts: CallParts) {
  const { catalog, runs, clock } = parts

  return async function callTool(
    { name, arguments: given = {}, _meta }: Pick<CallToolRequest['params'], 'name' | 'arguments' | '_meta'>,
    { token, gone, clientName, read, signal, say, answer, waits }: Call,
  ): Promise<Result> {
    const tool = catalog.get(name)
    if (tool === undefined && name === getConfirmation.name) return whatBecame(given, token)
    const sessionId = parts.sessionOf(token)
    if (!isRead(tool)) {
      if (token.isReadOnly) {
        return failure(`The MCP token ${token.name} may only read, and ${name} is not a read. Nothing was run.`)
      }
      if (parts.waiting(sessionId) >= mostWaiting) {
        return failure(`${mostWaiting} calls of ${token.name} wait for the operator already. Nothing was run.`)
      }
    }
    const withdrawn = new AbortController()
    const withdraw = () => withdrawn.abort()
    for (const end of [signal, gone]) {
      if (end === undefined) continue
      if (end.aborted) withdraw()
      else end.addEventListener('abort', withdraw, { once: true })
    }
    const onStopping = () => giveUp(failure(`JARVIS is shutting down. ${name} may have to be called again.`))
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
    let isAsked = false
    const onWaiting = (card: Card) => {
      const id = card.callId ?? card.toolUseId
      say?.log({ waitsForOperator: name, id })
      onProgress('Waiting in the JARVIS dashboard')
      if (isAsked) return
      isAsked = true
      const tell = () => giveUp(stillWaiting(name, id, card.expiresAt, isRead(tool)))
      if (manner === 'pending') tell()
      else if (manner === undefined && progressToken === undefined) disarm = clock.after(patienceMs, tell)
    }
    const beat = () => onProgress(isAsked ? 'Waiting in the JARVIS dashboard' : 'Still running')
    const stopBeat = progressToken === undefined ? () => {} : repeat(clock, heartbeatMs, beat)
    const outcome = runs.callTool({
      sessionId,
      toolName: name,
      toolInput: given,
      requestedBy: { kind: 'mcp', name: clientName.slice(0, 100), token: token.name },
      signal: withdrawn.signal,
      onProgress,
      onWaiting,
      read,
    })
    try {
      return await Promise.race([outcome.then(answer ?? toResult), later])
    } finally {
      stopBeat()
      disarm()
      parts.stopping.removeEventListener('abort', onStopping)
      // From here on nobody waits: the card stays until somebody decides or it expires.
      for (const end of [signal, gone]) end?.removeEventListener('abort', withdraw)
    }
  }

  function whatBecame({ id }: Record<string, unknown>, token: McpToken): Result {
    const known = typeof id === 'string' ? parts.asked(id) : undefined
    if (typeof id !== 'string' || known === undefined || known.sessionId !== parts.sessionOf(token)) {
      return failure('No call of this token waits or waited for the operator under that id.')
    }
    const state = confirmationState(id, known)
    return { content: [{ type: 'text', text: JSON.stringify(state) }], structuredContent: state, isError: false }
  }
}

/**
 * How a client wants to wait, said once in its configuration (header) or with a call: `pending` answers as soon as a
 * card is shown, `wait` waits as long as it takes.
 */
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

function toResult(outcome: CallOutcome): CallToolResult {
  switch (outcome.type) {
    case 'tool_result':
      return {
        content: [{ type: 'text', text: outcome.result }],
        ...(isRecord(outcome.data) && { structuredContent: outcome.data }),
        isError: outcome.isError,
      }
    case 'blocked':
      return failure(`Refused: ${outcome.reason} Nothing was run.`)
    case 'confirm_resolved':
      return failure(
        `${unapproved(outcome.decision)}${outcome.note === undefined ? '' : ` Note: ${outcome.note}`} Nothing was run.`,
      )
    default:
      return outcome satisfies never
  }
}

/** @param isReading a rule raised a read: its output schema knows no waiting, so this is told as an error. */
function stillWaiting(name: string, id: string, expiresAt: number, isReading: boolean): CallToolResult {
  const text = `${name} waits for the operator, who sees it in the JARVIS dashboard. Nothing has run yet. Ask ${getConfirmation.name} with {"id": "${id}"} what became of it; do not call ${name} again.`
  const content = [{ type: 'text' as const, text }]
  return isReading
    ? { content, isError: true }
    : { content, structuredContent: { state: 'waiting', id, expiresAt }, isError: false }
}

const failure = (text: string): CallToolResult => ({ content: [{ type: 'text', text }], isError: true })

const unapproved = (decision: string) =>
  decision === 'denied'
    ? 'The operator denied this.'
    : decision === 'expired'
      ? 'Nobody decided in time.'
      : 'It was withdrawn.'

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
