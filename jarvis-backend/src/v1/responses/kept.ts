import { badField } from 'openai-door/errors'
import { type Item, itemsOf } from 'openai-door/responses/items'
import { namedIn, type Place, responseId, unknownResponse } from 'openai-door/responses/place'
import { type Head, type Outcome, outcomeOf, responseOf } from 'openai-door/responses/wire'
import type { Entry, EntryOf } from 'protocol'
import type { StoredEntry, TranscriptStore } from '../../agent/sessions/transcript-store.ts'
import type { Agents } from '../../agents/agent.ts'
import type { Clock } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { modelsOf } from '../models.ts'
import { newSessionId, type ProgramToken, sessionOfId } from '../token.ts'

export const seconds = (ms: number) => Math.floor(ms / 1000)

/** The parts that are needed to read stored responses. */
export type KeptNeeds = {
  agents: Pick<Agents, 'list'>
  transcripts: Pick<
    TranscriptStore,
    'session' | 'entry' | 'entriesOfRun' | 'unfinishedRuns' | 'pageBefore' | 'copySession'
  >
  /** An entry without secrets and without what only a model needs. */
  shown(entry: Entry): Entry
  clock: Clock
}

/** Responses as they are stored in transcripts. They can be found by id, sent again, and continued. */
export class KeptResponses {
  readonly #needs: KeptNeeds

  constructor(needs: KeptNeeds) {
    this.#needs = needs
  }

  /** Returns the run of a response if it has not ended; otherwise undefined. */
  unfinished({ sessionId, runId }: Place) {
    return this.#needs.transcripts.unfinishedRuns(sessionId).find(({ id }) => id === runId)
  }

  /** Returns the session and run that a response's id names. @throws ApiError 404 if the token has no such response */
  requirePlace(token: ProgramToken, id: string, param?: string): Place {
    const place = placeIn(token, id)
    const isThere =
      place !== undefined &&
      this.#needs.transcripts.session(place.sessionId) !== undefined &&
      (this.#entriesAt(place).length > 0 || this.unfinished(place) !== undefined)
    if (!isThere) throw unknownResponse(id, param)
    return place
  }

  /** The item of an earlier response, by its id. */
  itemOf(token: ProgramToken, id: string): Item | undefined {
    const place = placeIn(token, id)
    if (place === undefined || this.#needs.transcripts.session(place.sessionId) === undefined) return undefined
    return itemsOf(place, this.#shown(this.#entriesAt(place))).find((item) => item.id === id)
  }

  /**
   * Chooses the session of a request that continues a response. Returns undefined if the request can continue the same session, because nothing came
   * after the response. Otherwise returns a function that branches the session, so that two answers to one response do not mix. @throws ApiError 400
   */
  placeAfter(token: ProgramToken, { sessionId, runId }: Place): (() => string) | undefined {
    const { transcripts } = this.#needs
    const isLast = transcripts
      .pageBefore(sessionId, Number.MAX_SAFE_INTEGER, 1)
      .items.every((one) => one.runId === runId)
    const open = transcripts.unfinishedRuns(sessionId)
    if (isLast && open.every(({ id }) => id === runId)) return undefined
    const last = transcripts.entriesOfRun(runId).at(-1)
    if (last === undefined || open.some(({ id }) => id === runId))
      throw badField(
        'previous_response_id',
        'That response goes on, and another follows it. Ask again when it has ended.',
      )
    return () => this.#branch(token, sessionId, last.seq)
  }

  /** Returns a stored response in its present state. */
  stored(place: Place, head: Omit<Head, 'id'>) {
    const { sessionId, runId } = place
    const entries = this.#shown(this.#needs.transcripts.entriesOfRun(runId))
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
    const run = this.unfinished(place)
    if (run === undefined) return say({ status: 'cancelled' })
    return say({ status: run.status === 'queued' ? 'queued' : 'in_progress' })
  }

  /** Rebuilds the head of a response from its stored run, because the head itself is not stored. */
  headAgain(place: Place, token: ProgramToken): Omit<Head, 'id'> {
    const { agents, transcripts, clock } = this.#needs
    const agent = transcripts.session(place.sessionId)?.agent
    const model = modelsOf(agents.list(), token.name).find((one) => one.agent === agent)?.name ?? 'jarvis'
    const at = transcripts.entriesOfRun(place.runId)[0]?.at ?? this.unfinished(place)?.at ?? clock.now()
    return { created: seconds(at), model }
  }

  /** Returns the entries of a response. Empty if its id combines a session of the token with a run of another session. */
  #entriesAt({ sessionId, runId }: Place): StoredEntry[] {
    const { transcripts } = this.#needs
    const entries = transcripts.entriesOfRun(runId)
    const [first] = entries
    return first !== undefined && transcripts.entry(sessionId, first.seq)?.runId === runId ? entries : []
  }

  #shown(entries: readonly Entry[]): Entry[] {
    return entries.map((entry) => this.#needs.shown(entry))
  }

  /** Copies a session up to an entry. @returns the id of the copy */
  #branch(token: ProgramToken, from: string, entry: number): string {
    const { transcripts, clock } = this.#needs
    const id = newSessionId(token, newId('r').slice(2))
    const title = transcripts.session(from)?.title ?? ''
    const below = entry + 1
    transcripts.copySession({ from, id, title, below, entry, nextSeq: below, source: 'v1', at: clock.now() })
    return id
  }
}

/** Returns the session and the run that an id of a response or an item names, for a token; undefined if the id is not in JARVIS's form. */
function placeIn(token: ProgramToken, id: string): Place | undefined {
  const named = namedIn(id)
  // The session's prefix is the token's, so no token reaches the responses of another.
  return named && { sessionId: sessionOfId(token, named.session), runId: named.runId }
}
