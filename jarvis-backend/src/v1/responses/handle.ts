import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiError, badField } from 'openai-door/errors'
import { requireFormat } from 'openai-door/format'
import { agentIn, mannerOf, repetitionIn, sessionIn } from 'openai-door/headers'
import { promised } from 'openai-door/promised'
import { type Place, responseId } from 'openai-door/responses/place'
import { type ResponsesRequest, readResponsesRequest } from 'openai-door/responses/request'
import { streamedWriter } from 'openai-door/responses/streamed'
import { wholeWriter } from 'openai-door/responses/whole'
import type { Head } from 'openai-door/responses/wire'
import type { ResponseWriter, Told } from 'openai-door/responses/writer'
import { sendJson } from 'openai-door/send'
import type { Entry } from 'protocol'
import type { Model } from '../../agent/model.ts'
import type { ProgramFiles } from '../../agent/run/start-program.ts'
import type { Runs } from '../../agent/runs.ts'
import type { TranscriptStore } from '../../agent/sessions/transcript-store.ts'
import type { Agents } from '../../agents/agent.ts'
import type { Clock } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import type { Ask } from '../ask.ts'
import { readJson } from '../body.ts'
import { checkFile } from '../check-file.ts'
import type { Conduct } from '../conduct.ts'
import { followRun } from '../follow.ts'
import type { Named, ProgramModels } from '../models.ts'
import { type PlainAnswer, refuseCalls } from '../plain-answer.ts'
import type { Asking, ResponsesDoor } from '../routes.ts'
import { newSessionId, type ProgramToken } from '../token.ts'
import { KeptResponses, seconds } from './kept.ts'

/** The parts that the handlers of `/v1/responses` need. */
export type ResponsesNeeds = {
  agents: Pick<Agents, 'list'>
  models: Pick<ProgramModels, 'require'>
  /** Returns the model that answers: the agent's own, the one that the program named, or the one in use. */
  modelOf(named: Named): Model
  ask: Ask
  /** Searches a request for secrets in small steps, so that `ask` needs little time afterwards. */
  prepare(origin: object, files: ProgramFiles): Promise<void>
  answerPlainly: PlainAnswer
  conduct: Conduct
  runs: Pick<Runs, 'watch' | 'goesOn' | 'stopRun'>
  transcripts: Pick<
    TranscriptStore,
    'session' | 'entry' | 'entriesOfRun' | 'unfinishedRuns' | 'pageBefore' | 'copySession' | 'atomically'
  >
  /** An entry without secrets and without what only a model needs. */
  shown(entry: Entry): Entry
  clock: Clock
  /** Time for which the headers of an answer in one piece are delayed, ms. */
  holdMs: number
}

/** Handlers of `/v1/responses` and what lies below it. */
export class Responses implements ResponsesDoor {
  readonly #needs: ResponsesNeeds
  readonly #kept: KeptResponses

  constructor(needs: ResponsesNeeds) {
    this.#needs = needs
    this.#kept = new KeptResponses(needs)
  }

  async create(request: IncomingMessage, response: ServerResponse, token: ProgramToken): Promise<void> {
    const { bytes, value } = await readJson(request)
    const asked = readResponsesRequest(value, (id) => this.#kept.itemOf(token, id), checkFile)
    const header = agentIn(request)
    const model = this.#needs.models.require(token.name, asked.model, header)
    const manner = mannerOf(request)
    requireFormat(this.#needs.modelOf(model), asked.format, 'text.format')
    if (model.agent === undefined) return this.#answerPlainly(asked, model.name, { response, token })
    const previous =
      asked.previous === undefined ? undefined : this.#kept.requirePlace(token, asked.previous, 'previous_response_id')
    const session = previous?.sessionId ?? sessionIn(request, asked.isStreamed)
    if (asked.ignored.length > 0) response.setHeader('Jarvis-Ignored', asked.ignored.join(', '))
    const [origin, files] = [asked.turn(session !== undefined), asked.files(session !== undefined)]
    await this.#needs.prepare(origin, files)
    const answering = this.#needs.ask({
      token,
      door: 'responses',
      agent: model.agent,
      session,
      ...repetitionIn(request),
      place: previous && this.#kept.placeAfter(token, previous),
      hash: createHash('sha256')
        .update(bytes)
        .update(header ?? '')
        .digest('hex'),
      origin: () => ({ ...origin, ...(model.model !== undefined && { model: model.model }) }),
      files: () => files,
    })
    const { sessionId, runId } = answering
    response.setHeader('Jarvis-Session', sessionId)
    const head = this.#headOf(asked, answering, model.name)
    if (asked.isBackground && !asked.isStreamed) return sendJson(response, 200, this.#kept.stored(answering, head))
    const writer = this.#writerOf(asked, response, { place: answering, head, own: { sessionId, runId } })
    this.#needs.conduct(
      { ...answering, outlives: answering.outlives || asked.isBackground },
      { response, token: token.name, manner, isWhole: !asked.isStreamed, writer },
    )
  }

  /** Sends the present state of a response. With `?stream=true`, sends all its events so far, and those that follow until its end. */
  retrieve(id: string, request: IncomingMessage, { response, token }: Asking): void {
    const place = this.#kept.requirePlace(token, id)
    const head = this.#kept.headAgain(place, token)
    const query = new URL(request.url ?? '', 'http://localhost').searchParams
    if (query.get('stream') !== 'true') {
      sendJson(response, 200, this.#kept.stored(place, head))
      return
    }
    if (query.has('starting_after'))
      throw badField(
        'starting_after',
        'The events of a response are numbered anew each time. Leave starting_after out.',
      )
    const { sessionId, runId } = place
    const own = { sessionId, runId }
    const { shown, conduct } = this.#needs
    const writer = streamedWriter(response, { place, head: { ...head, id: responseId(place) }, own, shown })
    conduct(
      { ...place, outlives: true, isNew: false },
      { response, token: token.name, manner: 'wait', isWhole: false, writer },
    )
  }

  /** Refuses to delete a response: the operator must be able to see the requests of programs. */
  remove(): never {
    throw new ApiError(
      'not_supported',
      'JARVIS keeps what programs asked, for its operator to see. Sessions of single requests go after 30 days.',
      { status: 405 },
    )
  }

  compact(): never {
    throw new ApiError(
      'not_supported',
      'JARVIS folds long conversations by itself, and compacts none for programs. Go on with previous_response_id.',
      { status: 400 },
    )
  }

  /** Stops a running response, and withdraws its cards. A response that has ended stays unchanged. */
  cancel(id: string, { response, token }: Asking): void {
    const { runs, transcripts } = this.#needs
    const place = this.#kept.requirePlace(token, id)
    const answer = () => sendJson(response, 200, this.#kept.stored(place, this.#kept.headAgain(place, token)))
    const run = this.#kept.unfinished(place)
    if (run === undefined) {
      answer()
      return
    }
    if (run.status === 'queued')
      throw new ApiError('not_begun', 'It waits behind another response. Cancel that one, or ask again later.', {
        status: 400,
      })
    runs.stopRun(place.sessionId, place.runId, token.name)
    const followed = followRun({ runs, transcripts }, place, { text() {}, thinking() {}, waits() {}, ended: answer })
    response.once('close', followed.end)
  }

  /** Asks the plain model. The response is not stored, so it cannot be read again and no request can continue it. */
  async #answerPlainly(asked: ResponsesRequest, model: string, { response, token }: Asking): Promise<void> {
    refuseCalls(asked)
    if (asked.isBackground) throw badField('background', `${model} keeps nothing: ask it without background.`)
    if (asked.previous !== undefined)
      throw badField('previous_response_id', `${model} keeps nothing: send the earlier messages in input.`)
    if (asked.ignored.length > 0) response.setHeader('Jarvis-Ignored', asked.ignored.join(', '))
    const place = { sessionId: newSessionId(token, newId('r').slice(2)), runId: newId('run') }
    const head = { ...this.#headOf(asked, place, model), isStored: false }
    const writer = this.#writerOf(asked, response, { place, head, own: {} })
    await this.#needs.answerPlainly(asked, response, writer)
  }

  #writerOf(asked: ResponsesRequest, response: ServerResponse, of: Omit<Told, 'shown'>): ResponseWriter {
    const { shown, clock, holdMs } = this.#needs
    const told = { ...of, shown }
    const { isStreamed, showsOwnCalls } = asked
    return promised(
      isStreamed ? streamedWriter(response, told) : wholeWriter(response, told, { clock, holdMs, showsOwnCalls }),
      asked,
    )
  }

  #headOf(asked: ResponsesRequest, place: Place, model: string): Head {
    return {
      id: responseId(place),
      created: seconds(this.#needs.clock.now()),
      model,
      instructions: asked.instructions,
      previous: asked.previous,
      tools: asked.tools,
      isBackground: asked.isBackground,
      metadata: asked.metadata,
      mostTokens: asked.mostTokens,
      textFormat: asked.textFormat,
      toolChoice: asked.toolChoice,
    }
  }
}
