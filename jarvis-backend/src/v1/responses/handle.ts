import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Entry } from 'protocol'
import type { Model } from '../../agent/model.ts'
import type { ProgramFiles } from '../../agent/run/start-program.ts'
import type { Runs } from '../../agent/runs.ts'
import type { TranscriptStore } from '../../agent/sessions/transcript-store.ts'
import type { Agents } from '../../agents/agent.ts'
import type { Clock } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import type { createAsk } from '../ask.ts'
import { readJson } from '../body.ts'
import type { createConduct } from '../conduct.ts'
import { ApiError, badField } from '../errors.ts'
import { followRun } from '../follow.ts'
import { requireFormat } from '../format.ts'
import { mannerOf, repetitionIn, sessionIn } from '../headers.ts'
import { modelsOf, requireModel } from '../models.ts'
import { type createPlainAnswer, refuseCalls } from '../plain-answer.ts'
import { promised } from '../promised.ts'
import { sendJson } from '../send.ts'
import { newSessionId, type ProgramToken } from '../token.ts'
import { createKept, seconds } from './kept.ts'
import { type Place, responseId } from './place.ts'
import { type ResponsesRequest, readResponsesRequest } from './request.ts'
import { streamedWriter } from './streamed.ts'
import { wholeWriter } from './whole.ts'
import type { Head } from './wire.ts'

/** Handlers of `/v1/responses` and what lies below it. */
export function createResponses(parts: {
  agents: Pick<Agents, 'list'>
  /** The model of an agent; without one, the model in use. */
  modelOf(agent: string | undefined): Model
  ask: ReturnType<typeof createAsk>
  /** Looks for secrets in what a request says, in steps, so that `ask` takes little time. */
  prepare(origin: object, files: ProgramFiles): Promise<void>
  answerPlainly: ReturnType<typeof createPlainAnswer>
  conduct: ReturnType<typeof createConduct>
  runs: Pick<Runs, 'watch' | 'goesOn' | 'stopRun'>
  transcripts: Pick<
    TranscriptStore,
    'session' | 'entry' | 'entriesOfRun' | 'unfinishedRuns' | 'pageBefore' | 'copySession' | 'atomically'
  >
  /** An entry without secrets and without what only a model needs. */
  shown(entry: Entry): Entry
  clock: Clock
  /** How long the headers of a whole answer are held back, ms. */
  holdMs: number
}) {
  const { clock, runs, transcripts, shown } = parts
  const kept = createKept(parts)
  const { requirePlace, stored, headAgain } = kept

  const headOf = (asked: ResponsesRequest, place: Place, model: string): Head => ({
    id: responseId(place),
    created: seconds(clock.now()),
    model,
    instructions: asked.instructions,
    previous: asked.previous,
    tools: asked.tools,
    isBackground: asked.isBackground,
    metadata: asked.metadata,
    mostTokens: asked.mostTokens,
    textFormat: asked.textFormat,
    toolChoice: asked.toolChoice,
  })

  const wholeOf = ({ showsOwnCalls }: ResponsesRequest) => ({ holdMs: parts.holdMs, showsOwnCalls })

  async function create(request: IncomingMessage, response: ServerResponse, token: ProgramToken): Promise<void> {
    const { bytes, value } = await readJson(request)
    const asked = readResponsesRequest(value, (id) => kept.itemOf(token, id))
    const model = requireModel(modelsOf(parts.agents.list(), token.name), asked.model)
    const manner = mannerOf(request)
    requireFormat(parts.modelOf(model.agent), asked.format, 'text.format')
    if (model.agent === undefined) return answerPlainly(asked, model.name, { response, token })
    const previous =
      asked.previous === undefined ? undefined : requirePlace(token, asked.previous, 'previous_response_id')
    const session = previous?.sessionId ?? sessionIn(request, asked.isStreamed)
    if (asked.ignored.length > 0) response.setHeader('Jarvis-Ignored', asked.ignored.join(', '))
    const [origin, files] = [asked.origin(session !== undefined), asked.files(session !== undefined)]
    await parts.prepare(origin, files)
    const answering = parts.ask({
      token,
      door: 'responses',
      agent: model.agent,
      session,
      ...repetitionIn(request),
      place: previous && kept.placeAfter(token, previous),
      hash: createHash('sha256').update(bytes).digest('hex'),
      origin: () => origin,
      files: () => files,
    })
    const { sessionId, runId } = answering
    response.setHeader('Jarvis-Session', sessionId)
    const head = headOf(asked, answering, model.name)
    const own = { sessionId, runId }
    if (asked.isBackground && !asked.isStreamed) return sendJson(response, 200, stored(answering, head))
    const writer = asked.isStreamed
      ? streamedWriter(response, answering, head, { own, shown })
      : wholeWriter(response, answering, head, { own, shown, clock, ...wholeOf(asked) })
    parts.conduct(
      { ...answering, outlives: answering.outlives || asked.isBackground },
      { response, token: token.name, manner, isWhole: !asked.isStreamed, writer: promised(writer, asked) },
    )
  }

  /** Asks the model alone. The response cannot be fetched again, and none can go on from it. */
  async function answerPlainly(
    asked: ResponsesRequest,
    model: string,
    { response, token }: { response: ServerResponse; token: ProgramToken },
  ) {
    refuseCalls(asked)
    if (asked.isBackground) throw badField('background', `${model} keeps nothing: ask it without background.`)
    if (asked.previous !== undefined)
      throw badField('previous_response_id', `${model} keeps nothing: send the earlier messages in input.`)
    if (asked.ignored.length > 0) response.setHeader('Jarvis-Ignored', asked.ignored.join(', '))
    const place = { sessionId: newSessionId(token, newId('r').slice(2)), runId: newId('run') }
    const head = { ...headOf(asked, place, model), isStored: false }
    const writer = asked.isStreamed
      ? streamedWriter(response, place, head, { own: {}, shown })
      : wholeWriter(response, place, head, { own: {}, shown, clock, ...wholeOf(asked) })
    await parts.answerPlainly(asked, response, promised(writer, asked))
  }

  return {
    create,
    /** Tells how a response stands; with `?stream=true` all that it said, and what follows until its end. */
    retrieve: (id: string) => (request: IncomingMessage, response: ServerResponse, token: ProgramToken) => {
      const place = requirePlace(token, id)
      const head = headAgain(place, token)
      const query = new URL(request.url ?? '', 'http://localhost').searchParams
      if (query.get('stream') !== 'true') return sendJson(response, 200, stored(place, head))
      if (query.has('starting_after'))
        throw badField(
          'starting_after',
          'The events of a response are numbered anew each time. Leave starting_after out.',
        )
      const own = { sessionId: place.sessionId, runId: place.runId }
      const writer = streamedWriter(response, place, { ...head, id: responseId(place) }, { own, shown })
      parts.conduct(
        { ...place, outlives: true, isNew: false },
        { response, token: token.name, manner: 'wait', isWhole: false, writer },
      )
    },
    /** Refuses to delete a response: the operator must be able to see the requests of programs. */
    remove(): never {
      throw new ApiError(
        405,
        'not_supported',
        'JARVIS keeps what programs asked, for its operator to see. Sessions of single requests go after 30 days.',
      )
    },
    compact(): never {
      throw new ApiError(
        400,
        'not_supported',
        'JARVIS folds long conversations by itself, and compacts none for programs. Go on with previous_response_id.',
      )
    },
    /** Stops a response that goes on, and withdraws its cards. One that has ended stays as it is. */
    cancel: (id: string) => (_request: IncomingMessage, response: ServerResponse, token: ProgramToken) => {
      const place = requirePlace(token, id)
      const answer = () => sendJson(response, 200, stored(place, headAgain(place, token)))
      const run = kept.unfinished(place)
      if (run === undefined) return answer()
      if (run.status === 'queued')
        throw new ApiError(400, 'not_begun', 'It waits behind another response. Cancel that one, or ask again later.')
      runs.stopRun(place.sessionId, place.runId, token.name)
      const followed = followRun({ runs, transcripts }, place, { text() {}, thinking() {}, waits() {}, ended: answer })
      response.once('close', followed.end)
    },
  }
}
