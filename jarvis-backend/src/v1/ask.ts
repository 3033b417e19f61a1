import { ApiError } from 'openai-door/errors'
import { JarvisError } from 'protocol'
import type { ProgramFiles, ProgramRun } from '../agent/run/start-program.ts'
import type { Runs } from '../agent/runs.ts'
import type { TranscriptStore } from '../agent/sessions/transcript-store.ts'
import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import { type Asked, type AskedStore, keyKeptMs, repeatedWithinMs } from './asked.ts'
import { isOf, newSessionId, type ProgramToken, sessionIdOf, tokenKey } from './token.ts'

/**
 * A request of a program. `session`: the program's own name for the session, or an id that JARVIS gave; absent: the request gets a session of its
 * own. `isRetry`: the program marks the request as a retry. `origin`: called only if a run begins.
 */
export type Request = {
  token: ProgramToken
  door: string
  agent: string
  session?: string | undefined
  key?: string | undefined
  hash: string
  isRetry: boolean
  /** Returns another session for the run, instead of `session`. Called only if a run begins. */
  place?: (() => string) | undefined
  origin(): Omit<ProgramRun['origin'], 'by' | 'token'>
  files?(): ProgramFiles
}

/**
 * The run that answers a request. `ahead`: an earlier run of the same session that must end first. `outlives`: the run continues if the program
 * disconnects. `isNew`: the run has just begun, in a new session.
 */
export type Answering = {
  sessionId: string
  runId: string
  outlives: boolean
  isNew: boolean
  ahead?: string
}

/** Begins the run of a request, or finds the run that an earlier equal request began. @throws ApiError, JarvisError */
export type Ask = (request: Request) => Answering

export function createAsk(parts: {
  runs: Pick<Runs, 'startProgram' | 'watch'>
  transcripts: Pick<TranscriptStore, 'session' | 'entriesOfRun'>
  asked: AskedStore
  clock: Clock
  /** Called when a run begins. */
  tidy(): void
}): Ask {
  const { runs, transcripts, asked, clock } = parts

  /** @throws JarvisError `unknown_session`; `invalid_request` if the session belongs to another agent */
  function sessionOf({ token, agent, session }: Request): string {
    if (session === undefined) return newSessionId(token, newId('r').slice(2))
    if (!session.startsWith('ses_')) return sessionIdOf(token, agent, session)
    const known = isOf(token, session) ? transcripts.session(session) : undefined
    if (known === undefined)
      throw new JarvisError(
        'unknown_session',
        'This token has no such session. Leave the header out, or name one of your own.',
      )
    if (known.agent !== agent)
      throw new JarvisError(
        'invalid_request',
        `This session is with ${known.agent}. Ask that model, or begin another session.`,
      )
    return session
  }

  /** Returns the earlier request that this request repeats; undefined if there is none. @throws ApiError 422 if another request had the key */
  function earlier({ token, door, session = '', key, hash, isRetry }: Request): Asked | undefined {
    const of = tokenKey(token)
    const known = key === undefined ? asked.same({ token: of, door, session, hash }) : asked.byKey(of, key)
    const keptMs = key === undefined ? repeatedWithinMs : keyKeptMs
    if (known === undefined || known.at <= clock.now() - keptMs) return undefined
    if (known.hash !== hash || known.door !== door || known.session !== session)
      throw new ApiError(
        'idempotency_key_reused',
        'This Idempotency-Key came with another request before. Use a new key.',
        { status: 422 },
      )
    if (key === undefined && known.isDelivered && !isRetry) return undefined
    if (transcripts.session(known.sessionId) === undefined) return undefined
    return hasFailed(known.runId) ? undefined : known
  }

  /** True if a run failed before it changed anything. An equal request then begins a new run. */
  function hasFailed(runId: string): boolean {
    const entries = transcripts.entriesOfRun(runId)
    const isFailed = entries.at(-1)?.type === 'error'
    return isFailed && !entries.some((entry) => entry.type === 'tool_use' && entry.tier !== 'green')
  }

  return (request) => {
    const { token, door, agent, session = '', key, hash } = request
    const outlives = session !== '' || key !== undefined
    const known = earlier(request)
    if (known !== undefined) return { sessionId: known.sessionId, runId: known.runId, outlives, isNew: false }
    const sessionId = request.place?.() ?? sessionOf(request)
    const isNew = transcripts.session(sessionId) === undefined
    const ahead = isNew ? undefined : runAtWork(runs, sessionId)
    const { runId, isQueued } = runs.startProgram({
      origin: {
        ...request.origin(),
        by: token.name,
        token: token.name,
        ...(token.person !== undefined && { person: token.person }),
        ...(token.scope === 'read' && { isReadOnly: true }),
      },
      sessionId,
      agent,
      ...(request.files && { files: request.files() }),
      link: (run) =>
        asked.add({
          runId: run.runId,
          sessionId,
          token: tokenKey(token),
          door,
          session,
          hash,
          at: clock.now(),
          isDelivered: false,
          key,
        }),
    })
    parts.tidy()
    return { sessionId, runId, outlives, isNew, ...(isQueued && ahead !== undefined && { ahead }) }
  }
}

function runAtWork(runs: Pick<Runs, 'watch'>, sessionId: string): string | undefined {
  const watch = runs.watch(sessionId, { isOperator: false, tell() {} })
  const { runId } = watch.snapshot(Number.MAX_SAFE_INTEGER)
  watch.end()
  return runId
}
