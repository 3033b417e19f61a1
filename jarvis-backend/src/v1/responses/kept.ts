import type { Entry, EntryOf } from 'protocol'
import type { StoredEntry, TranscriptStore } from '../../agent/sessions/transcript-store.ts'
import type { Agents } from '../../agents/agent.ts'
import type { Clock } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { badField } from '../errors.ts'
import { modelsOf } from '../models.ts'
import { newSessionId, type ProgramToken } from '../token.ts'
import { type Item, itemsOf } from './items.ts'
import { type Place, placeIn, responseId, unknownResponse } from './place.ts'
import { type Head, type Outcome, outcomeOf, responseOf } from './wire.ts'

export const seconds = (ms: number) => Math.floor(ms / 1000)

/** Responses as the transcripts keep them: found by id, told anew, and gone on from. */
export function createKept(parts: {
  agents: Pick<Agents, 'list'>
  transcripts: Pick<
    TranscriptStore,
    'session' | 'entry' | 'entriesOfRun' | 'unfinishedRuns' | 'pageBefore' | 'copySession'
  >
  /** An entry without secrets and without what only a model needs. */
  shown(entry: Entry): Entry
  clock: Clock
}) {
  const { clock, transcripts, shown } = parts
  const unfinished = ({ sessionId, runId }: Place) =>
    transcripts.unfinishedRuns(sessionId).find(({ id }) => id === runId)

  /** The entries of a response. None where an id joins a session of the token to a run of another session. */
  function entriesAt({ sessionId, runId }: Place): StoredEntry[] {
    const entries = transcripts.entriesOfRun(runId)
    const [first] = entries
    return first !== undefined && transcripts.entry(sessionId, first.seq)?.runId === runId ? entries : []
  }

  /** @throws ApiError 404 */
  function requirePlace(token: ProgramToken, id: string, param?: string): Place {
    const place = placeIn(token, id)
    const isThere =
      place !== undefined &&
      transcripts.session(place.sessionId) !== undefined &&
      (entriesAt(place).length > 0 || unfinished(place) !== undefined)
    if (!isThere) throw unknownResponse(id, param)
    return place
  }

  /** The item of an earlier response, by its id. */
  function itemOf(token: ProgramToken, id: string): Item | undefined {
    const place = placeIn(token, id)
    if (place === undefined || transcripts.session(place.sessionId) === undefined) return undefined
    return itemsOf(place, entriesAt(place).map(shown)).find((item) => item.id === id)
  }

  /**
   * Where a request that goes on from a response belongs: to its session where nothing came after it, otherwise to a branch of it, so that two
   * answers to one response do not mix. @throws ApiError 400
   */
  function placeAfter(token: ProgramToken, { sessionId, runId }: Place): (() => string) | undefined {
    const isLast = transcripts
      .pageBefore(sessionId, Number.MAX_SAFE_INTEGER, 1)
      .items.every((one) => one.runId === runId)
    const open = transcripts.unfinishedRuns(sessionId)
    if (isLast && open.every(({ id }) => id === runId)) return undefined
    const entries = transcripts.entriesOfRun(runId)
    const last = entries.at(-1)
    if (last === undefined || open.some(({ id }) => id === runId))
      throw badField(
        'previous_response_id',
        'That response goes on, and another follows it. Ask again when it has ended.',
      )
    return () => {
      const id = newSessionId(token, newId('r').slice(2))
      const title = transcripts.session(sessionId)?.title ?? ''
      const below = last.seq + 1
      transcripts.copySession({
        from: sessionId,
        id,
        title,
        below,
        entry: last.seq,
        nextSeq: below,
        source: 'v1',
        at: clock.now(),
      })
      return id
    }
  }

  /** A response as it stands in the store. */
  function stored(place: Place, head: Omit<Head, 'id'>) {
    const { sessionId, runId } = place
    const entries = transcripts.entriesOfRun(runId).map(shown)
    const own = { sessionId, runId }
    const full = { ...head, id: responseId(place) }
    const say = (outcome: Outcome, usage?: EntryOf<'done'>['usage']) =>
      responseOf(full, outcome, { output: itemsOf(place, entries), usage, own })
    const last = entries.find(({ type }) => type === 'done' || type === 'error')
    if (last?.type === 'error')
      return say({ status: 'failed', error: { code: last.code, message: last.error } }, last.usage)
    if (last?.type === 'done') {
      const { stopReason, usage } = last
      if (stopReason === 'aborted') return say({ status: 'cancelled' }, usage)
      return say(outcomeOf({ type: 'done', at: last.at, stopReason, usage, text: '', handedOut: [] }), usage)
    }
    const run = unfinished(place)
    if (run === undefined) return say({ status: 'cancelled' })
    return say({ status: run.status === 'queued' ? 'queued' : 'in_progress' })
  }

  /** The head of a response of which only the run is kept. */
  function headAgain(place: Place, token: ProgramToken): Omit<Head, 'id'> {
    const agent = transcripts.session(place.sessionId)?.agent
    const model = modelsOf(parts.agents.list(), token.name).find((one) => one.agent === agent)?.name ?? 'jarvis'
    const at = transcripts.entriesOfRun(place.runId)[0]?.at ?? unfinished(place)?.at ?? clock.now()
    return { created: seconds(at), model }
  }

  return { unfinished, requirePlace, itemOf, placeAfter, stored, headAgain }
}
