import { JarvisError } from 'protocol'
import { newId } from '../../lib/ids.ts'
import { type ActiveRun, activeRun } from '../active-run.ts'
import { type GivenFile, requireSight } from '../attachments.ts'
import type { ProgramOrigin, Said } from '../program.ts'
import type { RunAgent } from '../run-agent.ts'
import type { RunsParts } from '../runs.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import type { LiveSessions } from '../sessions/live-sessions.ts'
import { titleOf } from '../sessions/title.ts'
import type { RunRow } from '../sessions/transcript-store.ts'

/**
 * A program's message. `sessionId`: made where it is not there. `link`: writes down which run it is, in the transaction that stores the run.
 */
export type ProgramRun = {
  origin: Omit<ProgramOrigin, 'kind' | 'messageId' | 'attachments'>
  /** What comes with it, kept in the session. */
  files?: ProgramFiles
  sessionId: string
  agent: string
  link(run: { runId: string; isQueued: boolean }): void
}

/**
 * `sent`: files that came in the request itself. `earlier`: those of a message that was said before, by its place in `before`.
 * `uploads`: ids of files that `uploader` uploaded.
 */
export type ProgramFiles = {
  sent?: readonly GivenFile[]
  earlier?: ReadonlyMap<number, readonly GivenFile[]>
  uploads?: { uploader: string; ids: readonly string[] }
}

/** Longest text of a message, UTF-8 bytes: programs put passages of documents into it. */
const mostTextBytes = 512 * 1024
/** Most messages of one session that wait for the run that goes on. */
const longestQueue = 10

/**
 * @returns a function that stores a program's message and starts its run, or queues it behind the one that goes on
 * @throws JarvisError `shutting_down`, `unknown_agent`, `message_too_large`, `too_many_requests`; nothing is stored then
 */
export function createStartProgram(
  parts: Pick<RunsParts, 'store' | 'agents' | 'clock' | 'redact' | 'attachments' | 'models'>,
  door: {
    agent: Pick<RunAgent, 'begin' | 'go'>
    live: LiveSessions
    chatRun(session: LiveSession): ActiveRun | undefined
    start(session: LiveSession, run: ActiveRun, work: () => Promise<void>): void
    isStopping(): boolean
  },
): (asked: ProgramRun) => { runId: string; isQueued: boolean } {
  const { store, agents, clock, redact } = parts

  /** Keeps the files, and names them where they belong. Within the transaction that stores the run. */
  function withFiles(origin: ProgramOrigin, sessionId: string, agent: string, files: ProgramFiles): ProgramOrigin {
    const { sent = [], earlier = new Map<number, readonly GivenFile[]>(), uploads } = files
    const attachments = [
      ...parts.attachments.keep(sessionId, sent),
      ...(uploads === undefined ? [] : parts.attachments.attach(sessionId, uploads.uploader, uploads.ids)),
    ]
    const before = origin.before?.map((said, at): Said => {
      const kept = parts.attachments.keep(sessionId, earlier.get(at) ?? [])
      return said.role !== 'user' || kept.length === 0 ? said : { ...said, attachments: kept }
    })
    const all = [...attachments, ...(before ?? []).flatMap((said) => (said.role === 'user' && said.attachments) || [])]
    const chosen = agents.find(agent)?.model ?? origin.model
    requireSight((chosen === undefined ? undefined : parts.models.named(chosen)) ?? parts.models.current(), all)
    return { ...origin, ...(before && { before }), ...(attachments.length > 0 && { attachments }) }
  }

  return ({ origin: given, sessionId, agent, files = {}, link }) => {
    if (door.isStopping()) throw new JarvisError('shutting_down', 'JARVIS is shutting down. Send it again in a moment.')
    if (Buffer.byteLength(given.text) > mostTextBytes)
      throw new JarvisError(
        'message_too_large',
        `A message may hold ${mostTextBytes / 1024} kB. Send less, or in parts.`,
      )
    agents.require(agent)
    const { by, token } = given
    const said = { ...redact.value(given), by, token, kind: 'v1' as const, messageId: newId('msg') }
    const at = clock.now()
    try {
      const { session, run, isQueued } = store.atomically(() => {
        if (store.session(sessionId) === undefined)
          store.createSession({
            id: sessionId,
            title: titleOf(said.text),
            source: 'v1',
            agent,
            at,
            ...(given.person !== undefined && { person: given.person }),
          })
        const origin = withFiles(said, sessionId, agent, files)
        const session = door.live.open(sessionId)
        const isQueued = door.chatRun(session) !== undefined
        if (isQueued && store.unfinishedRuns(sessionId).length > longestQueue)
          throw new JarvisError(
            'too_many_requests',
            `${longestQueue} messages wait already. Send it when some are answered.`,
          )
        const row: RunRow = { id: newId('run'), sessionId, origin, status: isQueued ? 'queued' : 'running', at }
        const run = activeRun({ ...row, position: store.addRun(row) }, origin, session.agent)
        if (!isQueued) run.show = door.agent.begin(session, run)
        link({ runId: row.id, isQueued })
        return { session, run, isQueued }
      })
      if (!isQueued) door.start(session, run, () => door.agent.go(session, run))
      return { runId: run.row.id, isQueued }
    } catch (error) {
      // Its memory may hold changes that were not stored.
      door.live.drop(sessionId)
      throw error
    }
  }
}
