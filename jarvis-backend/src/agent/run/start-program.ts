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
 * A program’s message. `sessionId`: the session; created if it does not exist. `link`: called in the transaction that stores the run, to store the
 * run’s id with the request.
 */
export type ProgramRun = {
  origin: Omit<ProgramOrigin, 'kind' | 'messageId' | 'attachments'>
  /** Files that are sent with the message. They are stored in the session. */
  files?: ProgramFiles
  sessionId: string
  agent: string
  link(run: { runId: string; isQueued: boolean }): void
}

/**
 * `sent`: files in the request itself. `earlier`: files of an earlier message, by the message’s index in `before`. `uploads`: ids of files that
 * `uploader` uploaded.
 */
export type ProgramFiles = {
  sent?: readonly GivenFile[]
  earlier?: ReadonlyMap<number, readonly GivenFile[]>
  uploads?: { uploader: string; ids: readonly string[] }
}

/** Maximum length of a message’s text, UTF-8 bytes. It is long because programs include passages of documents. */
const mostTextBytes = 512 * 1024
/** Maximum queued messages in one session. */
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
   * Stores a program’s message and starts its run, or queues it if a run of the session is in progress.
   * @throws JarvisError `shutting_down`, `unknown_agent`, `message_too_large`, `too_many_requests`; then nothing is stored
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
      // Drop the session from memory, because it may hold changes that were not stored.
      live.drop(sessionId)
      throw error
    }
  }

  /** Stores the message with its session, files and run, in the caller’s transaction. */
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

  /** Stores the files, and adds them as attachments to the messages to which they belong. */
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
