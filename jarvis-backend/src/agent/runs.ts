import { newId } from '../lib/ids.ts'
import { type Card, JarvisError, maxMessageBytes, type QueuedMessage, type Snapshot } from '../protocol/index.ts'
import { type ActiveRun, activeRun } from './active-run.ts'
import { type Calls, createCalls } from './calls.ts'
import { effortOrder } from './effort.ts'
import { originOf } from './origin.ts'
import { rehearsalOrder } from './rehearsal.ts'
import { createRunAgent, type RunParts } from './run-agent.ts'
import type { KeptRuns } from './sessions/kept-runs.ts'
import type { LiveSession } from './sessions/live-session.ts'
import { createLiveSessions } from './sessions/live-sessions.ts'
import { snapshotOf } from './sessions/snapshot.ts'
import { titleOf } from './sessions/title.ts'
import type { Draft, RunRow, StoredEntry } from './sessions/transcript-store.ts'
import { wireEntry } from './sessions/wire-entry.ts'
import type { Watcher, Watchers } from './watchers.ts'

export type Sent = { sessionId: string; runId: string; messageId: string; queued: boolean }

/** One session as a watcher has it. */
export type Watch = {
  /**
   * All that a fresh screen needs; events that follow are told. Synchronously after `watch`, nothing lies between the two.
   * @param since what the screen has: older entries are left out, unless more was missed than a snapshot holds.
   */
  snapshot(since?: number): Snapshot
  end(): void
}

/** The one door through which a run starts, and is watched. */
export type Runs = {
  /** Stores the message and starts its run, or queues it behind the one that goes on. @throws JarvisError */
  start(message: {
    sessionId?: string
    text: string
    by: string
    requestId?: string
    /** `provider/model` for this answer, and in a new session for all of it. Absent: the session's. */
    model?: string
  }): Sent
  /** Stops the run that goes on, if any; its pending cards are cancelled. */
  abort(sessionId: string, by: string): void
  unqueue(sessionId: string, messageId: string): void
  /** Tells a watcher of all that happens in a session from now on. @throws JarvisError `unknown_session` */
  watch(sessionId: string, watcher: Watcher): Watch
  rename(sessionId: string, title: string): void
  /** Turns rehearsal on or off: changes are described and not run, or run again. Withdraws waiting cards. */
  setRehearsal(sessionId: string, isRehearsal: boolean, by: string): void
  /** Ends what goes on in it and deletes it. */
  remove(sessionId: string, by: string): Promise<void>
  isRunning(sessionId: string): boolean
  /** Gives a session the name that a model found for it, and tells whoever watches. */
  name(sessionId: string, runId: string, title: string): void
  /** Adds a line to a run that has ended. */
  note(sessionId: string, runId: string, entry: Draft): void
  /**
   * Resumes what a stopped process left unfinished. Called once, before anybody is served.
   * @param mayGoOn otherwise it is stopped, and what was queued is not begun
   */
  resume(mayGoOn: boolean): void
  /** Takes no more work and ends the models' streams. The next start resumes unfinished runs. */
  stop(): void
  /** Stores each session's exact `seq`; called last before the store closes. */
  rest(): void
}

/** About a screen and a half; earlier entries are read page by page. */
const snapshotEntries = 100
const longestQueue = 50

export function createRuns(
  parts: RunParts & {
    watchers: Pick<Watchers, 'add' | 'publish'>
    afterCommit(run: () => void): void
    pending(sessionId: string): Card[]
    hasTool(name: string): boolean
    /** An operator has the cards of the session before them. */
    seen(sessionId: string): void
    kept: Pick<KeptRuns, 'get'>
    /** Withdraws a card. */
    cancel(toolUseId: string, by: string, note: string): void
    /** Writes down who turned rehearsal on or off, with the change itself. */
    recordRehearsal(change: { sessionId: string; isRehearsal: boolean; by: string }): void
    /** A session's standing has changed: its title, or whether it runs. */
    changed(sessionId: string): void
  },
): { runs: Runs; calls: Calls } {
  const { store, models, clock, redact } = parts
  let isStopping = false
  const agent = createRunAgent(parts)

  const toWire = (entry: StoredEntry) => wireEntry(entry, redact)
  const { watchers, afterCommit, report } = parts
  const live = createLiveSessions({ store, publish: watchers.publish, clock, afterCommit, report, toWire })
  const { stored, open } = live

  const chatRun = (session: LiveSession | undefined) =>
    session && [...session.runs.values()].find(({ origin }) => 'text' in origin)

  const queuedOf = (sessionId: string): QueuedMessage[] =>
    store
      .unfinishedRuns(sessionId)
      .flatMap(({ status, origin, at }) =>
        status === 'queued' && origin.kind === 'chat'
          ? [{ messageId: origin.messageId, text: origin.text, by: origin.by, at }]
          : [],
      )

  /** Starts a run after the caller has acknowledged the message. */
  function start(session: LiveSession, run: ActiveRun, work: () => Promise<void>) {
    const { row } = run
    session.runs.set(row.id, run)
    parts.changed(session.id)
    run.ended = Promise.resolve()
      .then(work)
      .catch((error: unknown) => parts.report(error, `run ${row.id} could not be ended`))
      .then(() => {
        session.runs.delete(row.id)
        if (!isStopping) goOn(session)
      })
      .catch((error: unknown) => parts.report(error, `session ${session.id} could not go on`))
  }

  /** Stores the stop first, so that a crash before the run's end does not undo it. */
  function stopRun(run: ActiveRun, by: string) {
    run.abortedBy = by
    store.setRunStatus(run.row.id, 'stopping')
    run.abort.abort()
    run.modelAbort.abort()
  }

  /** After a run: the next queued message, or rest. */
  function goOn(session: LiveSession) {
    const next = store.unfinishedRuns(session.id).find(({ status }) => status === 'queued')
    if (next !== undefined && chatRun(session) === undefined) {
      store.setRunStatus(next.id, 'running')
      tellQueue(session, next.id)
      const run = activeRun(next, liveOrigin(next))
      start(session, run, () => agent.go(session, run))
    }
    live.leave(session)
    parts.changed(session.id)
  }

  function keepRehearsal(sessionId: string, isRehearsal: boolean, by: string) {
    store.setRehearsal(sessionId, isRehearsal)
    parts.recordRehearsal({ sessionId, isRehearsal, by })
  }

  function setRehearsal(sessionId: string, isRehearsal: boolean, by: string) {
    if (stored(sessionId).isRehearsal === isRehearsal) return
    // Withdraws waiting cards first, so that a failure in between leaves nothing that would run.
    if (isRehearsal)
      for (const { toolUseId } of parts.pending(sessionId)) parts.cancel(toolUseId, by, 'Rehearsal began.')
    store.atomically(() => keepRehearsal(sessionId, isRehearsal, by))
    const session = live.get(sessionId)
    if (session !== undefined) {
      session.isRehearsal = isRehearsal
      const [runId = ''] = session.runs.keys()
      session.emit(runId, 'chat:rehearsal', { isRehearsal, by })
    }
    parts.changed(sessionId)
  }

  const tellQueue = (session: LiveSession, runId: string) =>
    session.emit(runId, 'chat:queued', { queued: queuedOf(session.id) })

  const liveOrigin = ({ origin }: RunRow) => originOf(origin, parts.hasTool)

  const calls = createCalls({ agent, live, watchers, start, stopRun, isStopping: () => isStopping, clock, report })

  const runs: Runs = {
    start({ sessionId, text, by, requestId, model }) {
      if (isStopping) throw new JarvisError('shutting_down', 'JARVIS is shutting down. Send it again in a moment.')
      if (Buffer.byteLength(text) > maxMessageBytes) {
        throw new JarvisError(
          'message_too_large',
          `A message may hold ${maxMessageBytes / 1024} kB. Send less, or in parts.`,
        )
      }
      if (requestId !== undefined) {
        const earlier = store.replyTo('send', by, requestId)
        if (earlier !== undefined) return earlier as Sent
      }
      if (model !== undefined) models.require(model)
      const at = clock.now()
      const safe = redact.text(text)
      const id = sessionId ?? newId('ses')
      // Takes effect at once, even when the line itself is queued.
      const isRehearsal = rehearsalOrder(safe)?.isRehearsal
      if (sessionId !== undefined && isRehearsal !== undefined) setRehearsal(sessionId, isRehearsal, by)
      const accept = () => {
        if (sessionId === undefined) {
          store.createSession({ id, title: titleOf(safe), source: 'chat', at })
          if (isRehearsal === true) keepRehearsal(id, true, by)
          if (model !== undefined) store.setModel(id, model)
        }
        const effort = effortOrder(safe)?.effort
        if (effort !== undefined) store.setEffort(id, effort ?? undefined)
        const { archivedAt, model: chosen = model } = stored(id)
        if (archivedAt !== undefined) store.archiveSession(id, undefined)
        const session = open(id)
        const queued = chatRun(session) !== undefined
        if (queued && queuedOf(id).length >= longestQueue) {
          throw new JarvisError(
            'too_many_requests',
            `${longestQueue} messages wait already. Send it when some are answered.`,
          )
        }
        const messageId = newId('msg')
        const asked = chosen === undefined ? {} : { model: model ?? chosen }
        const row: RunRow = {
          id: newId('run'),
          sessionId: id,
          origin: { kind: 'chat', messageId, text: safe, by, ...asked },
          status: queued ? 'queued' : 'running',
          at,
        }
        const run = activeRun({ ...row, position: store.addRun(row) }, liveOrigin(row))
        if (!queued) run.show = agent.begin(session, run)
        const sent = { sessionId: id, runId: row.id, messageId, queued }
        if (requestId !== undefined) store.rememberReply('send', by, requestId, sent, at)
        return { session, sent, run }
      }
      try {
        const { session, sent, run } = store.atomically(accept)
        // Not before the sender has its answer, and has joined the session's room.
        if (sent.queued) queueMicrotask(() => tellQueue(session, sent.runId))
        else start(session, run, () => agent.go(session, run))
        return sent
      } catch (error) {
        // Its memory may hold changes that were not stored.
        live.drop(id)
        throw error
      }
    },

    abort(sessionId, by) {
      stored(sessionId)
      for (const run of live.get(sessionId)?.runs.values() ?? []) stopRun(run, by)
    },

    unqueue(sessionId, messageId) {
      stored(sessionId)
      const row = store
        .unfinishedRuns(sessionId)
        .find(({ origin }) => origin.kind === 'chat' && origin.messageId === messageId)
      if (row === undefined || !store.removeQueued(row.id)) {
        throw new JarvisError('not_found', 'That message is no longer queued.')
      }
      tellQueue(open(sessionId), row.id)
    },

    watch(sessionId, watcher) {
      stored(sessionId)
      return {
        snapshot(since) {
          if (watcher.isOperator) parts.seen(sessionId)
          const known = stored(sessionId)
          const session = live.get(sessionId)
          const entries = store.entriesBefore(sessionId, Number.MAX_SAFE_INTEGER, snapshotEntries)
          const waiting = { pending: parts.pending(sessionId), queued: queuedOf(sessionId) }
          return snapshotOf({ stored: known, session, run: chatRun(session), ...entries, ...waiting }, toWire, since)
        },
        end: watchers.add(sessionId, watcher),
      }
    },

    rename(sessionId, given) {
      stored(sessionId)
      const title = redact.text(given)
      const session = live.get(sessionId)
      if (session === undefined) store.renameSession(sessionId, title)
      else session.rename(title)
      parts.changed(sessionId)
    },

    setRehearsal,

    async remove(sessionId, by) {
      stored(sessionId)
      const session = live.get(sessionId)
      await live.removing(sessionId, async () => {
        for (const { id } of store.unfinishedRuns(sessionId)) store.removeQueued(id)
        const runs = [...(session?.runs.values() ?? [])]
        for (const run of runs) stopRun(run, by)
        await Promise.all(runs.map(({ ended }) => ended))
        store.deleteSession(sessionId)
      })
      parts.changed(sessionId)
    },

    name(sessionId, runId, title) {
      const session = open(sessionId)
      session.rename(title)
      session.emit(runId, 'chat:title', { title })
      live.leave(session)
      parts.changed(sessionId)
    },

    note(sessionId, runId, entry) {
      const session = open(sessionId)
      session.append({ row: { id: runId }, entries: [] }, entry)
      live.leave(session)
    },

    isRunning: (sessionId) => (live.get(sessionId)?.runs.size ?? 0) > 0,

    resume(mayGoOn) {
      if (!mayGoOn) for (const { id, status } of store.unfinishedRuns()) if (status === 'queued') store.removeQueued(id)
      const rows = store.unfinishedRuns()
      for (const row of rows.filter(({ status }) => status !== 'queued')) {
        const entries = store.entriesOfRun(row.id)
        const session = open(row.sessionId)
        const run = activeRun(row, liveOrigin(row), entries)
        start(session, run, () => agent.go(session, run))
        // Nobody takes a client's answer any more, but a client that asks later; and what that one had read is forgotten, so
        // that no call of it is judged now for the first time.
        const isJudged = entries.some(({ type }) => type === 'confirm_needed' || type === 'tool_use')
        const isLeft = run.origin.kind === 'mcp' && (parts.kept.get(row.id) === undefined || !isJudged)
        if (!mayGoOn || isLeft) stopRun(run, 'jarvis')
        else if (row.status === 'stopping') stopRun(run, 'by' in run.origin ? run.origin.by : run.origin.client)
      }
      for (const { sessionId } of rows) {
        const session = open(sessionId)
        if (session.runs.size === 0) goOn(session)
      }
    },

    rest() {
      for (const session of live.all()) session.rest()
    },

    stop() {
      isStopping = true
      for (const session of live.all()) for (const run of session.runs.values()) run.modelAbort.abort()
    },
  }

  return { runs, calls }
}
