import { JarvisError } from 'protocol'
import { newId } from '../../lib/ids.ts'
import { type GivenFile, requireSight } from '../attachments.ts'
import type { RunParts } from '../ports.ts'
import type { ProgramOrigin, Said } from '../program.ts'
import { Run } from '../run.ts'
import type { RunAgent } from '../run-agent.ts'
import type { LiveSessions } from '../sessions/live-sessions.ts'
import { titleOf } from '../sessions/title.ts'
import type { RunRow } from '../sessions/transcript-store.ts'
import type { ActiveRuns } from './active-runs.ts'

/**
 * A program's message. `sessionId`: made if there is no such session. `link`: stores which run it is, in the transaction that stores the run.
 */
export type ProgramRun = {
  origin: Omit<ProgramOrigin, 'kind' | 'messageId' | 'attachments'>
  /** Files that come with the message. The session keeps them. */
  files?: ProgramFiles
  sessionId: string
  agent: string
  link(run: { runId: string; isQueued: boolean }): void
}

/**
 * `sent`: files that came in the request itself. `earlier`: files of an earlier message, by the message's place in `before`. `uploads`: ids of files
 * that `uploader` uploaded.
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

type Parts = Pick<RunParts, 'store' | 'agents' | 'clock' | 'redact' | 'attachments' | 'models'> & { live: LiveSessions }

/** Stores messages of programs and starts their runs. */
export class ProgramStart {
  readonly #parts: Parts
  readonly #agent: RunAgent
  readonly #active: ActiveRuns

  constructor(parts: Parts, { agent, active }: { agent: RunAgent; active: ActiveRuns }) {
    this.#parts = parts
    this.#agent = agent
    this.#active = active
  }

  /**
   * Stores a program's message and starts its run, or queues it behind the one that goes on.
   * @throws JarvisError `shutting_down`, `unknown_agent`, `message_too_large`, `too_many_requests`; nothing is stored then
   */
  start(asked: ProgramRun): { runId: string; isQueued: boolean } {
    const { store, agents, redact, live } = this.#parts
    const { origin: given, sessionId } = asked
    this.#active.requireOpen()
    if (Buffer.byteLength(given.text) > mostTextBytes)
      throw new JarvisError(
        'message_too_large',
        `A message may hold ${mostTextBytes / 1024} kB. Send less, or in parts.`,
      )
    agents.require(asked.agent)
    const { by, token } = given
    const said = { ...redact.value(given), by, token, kind: 'v1' as const, messageId: newId('msg') }
    try {
      const { run, isQueued } = store.atomically(() => this.#accept(said, asked))
      if (!isQueued) this.#active.begin(run)
      return { runId: run.id, isQueued }
    } catch (error) {
      // Its memory may hold changes that were not stored.
      live.drop(sessionId)
      throw error
    }
  }

  /** Stores the message, with its session, files and run. */
  #accept(said: ProgramOrigin, { sessionId, agent, origin: { person }, files = {}, link }: ProgramRun) {
    const { store, clock, live } = this.#parts
    const at = clock.now()
    if (store.session(sessionId) === undefined)
      store.createSession({ id: sessionId, title: titleOf(said.text), source: 'v1', agent, at, person })
    const origin = this.#withFiles(said, { sessionId, agent, files })
    const session = live.open(sessionId)
    const isQueued = this.#active.chatRun(session) !== undefined
    if (isQueued && store.unfinishedRuns(sessionId).length > longestQueue)
      throw new JarvisError(
        'too_many_requests',
        `${longestQueue} messages wait already. Send it when some are answered.`,
      )
    const row: RunRow = { id: newId('run'), sessionId, origin, status: isQueued ? 'queued' : 'running', at }
    const run = new Run(session, { ...row, position: store.addRun(row) }, { origin })
    if (!isQueued) run.opens(this.#agent.begin(run))
    link({ runId: row.id, isQueued })
    return { run, isQueued }
  }

  /** Keeps the files, and names them in the messages that they belong to. */
  #withFiles(
    origin: ProgramOrigin,
    { sessionId, agent, files }: { sessionId: string; agent: string; files: ProgramFiles },
  ): ProgramOrigin {
    const { attachments: kept, agents, models } = this.#parts
    const { sent = [], earlier = new Map<number, readonly GivenFile[]>(), uploads } = files
    const attachments = [
      ...kept.keep(sessionId, sent),
      ...(uploads === undefined ? [] : kept.attach(sessionId, uploads.uploader, uploads.ids)),
    ]
    const before = origin.before?.map((said, at): Said => {
      const files = kept.keep(sessionId, earlier.get(at) ?? [])
      return said.role !== 'user' || files.length === 0 ? said : { ...said, attachments: files }
    })
    const all = [...attachments, ...(before ?? []).flatMap((said) => (said.role === 'user' && said.attachments) || [])]
    const chosen = agents.find(agent)?.model ?? origin.model
    requireSight((chosen === undefined ? undefined : models.choice.named(chosen)) ?? models.choice.current(), all)
    return { ...origin, ...(before && { before }), ...(attachments.length > 0 && { attachments }) }
  }
}
