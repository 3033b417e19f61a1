import { type BudgetKeeper, type CallPlan, type Reservation, wrapUpTokens } from '../budgets.ts'
import { ModelCall } from '../call-model.ts'
import type { Checkpoints } from '../checkpoints.ts'
import type { Folding } from '../context/folding.ts'
import { mayFallBack } from '../in-turn.ts'
import { type Model, ModelError, type ModelRequest, type Turn } from '../model.ts'
import type { Generate, RunParts } from '../ports.ts'
import { ownPictures, refusedPictures } from '../refused-pictures.ts'
import { troubles } from '../retry.ts'
import type { Run } from '../run.ts'
import type { Draft, StoredEntry } from '../sessions/entries.ts'
import { talkOnly } from '../talk-only.ts'
import type { OpenStream } from '../token-pump.ts'
import { saying } from '../tool-runner.ts'
import { mutesAtEnd, unansweredWords } from '../unmade.ts'
import type { RunEnds } from './ends.ts'
import { Estimate } from './estimate.ts'
import type { RunFacts } from './facts.ts'
import { spenderOf } from './spender.ts'

/** The assumed maximum length of a reply, for models whose maximum is not known, tokens. */
const usualOutput = 8_192
/** The shortest answer for which a second request is made, tokens. */
const leastAnswer = 1_000
/** The longest time for the last answer, ms. */
const lastAnswerMs = 60_000
/**
 * Share of the window above which a refusal without a reason may mean that the request is too long. It is below 1 because JARVIS only estimates the
 * tokens.
 */
const nearWindow = 0.6

type Parts = Pick<RunParts, 'store' | 'clock' | 'redact' | 'budgets' | 'models'>
type Stop = Extract<Draft, { type: 'stuck' | 'budget' }>
/** A request that fits the limits, with its reservation. */
type Allowed = { model: Model; request: ModelRequest; plan: CallPlan; reservation: Reservation; signal: AbortSignal }

/** Calls the model for a run, within the run's limits. */
export class Turns {
  readonly #parts: Parts
  readonly #facts: RunFacts
  readonly #folding: Folding
  readonly #ends: RunEnds
  readonly #checkpoints: Checkpoints
  readonly #openStream: OpenStream
  readonly #generate: Generate
  readonly #estimate = new Estimate()

  constructor(
    parts: Parts,
    made: {
      facts: RunFacts
      folding: Folding
      ends: RunEnds
      checkpoints: Checkpoints
      openStream: OpenStream
      generate: Generate
    },
  ) {
    this.#parts = parts
    this.#facts = made.facts
    this.#folding = made.folding
    this.#ends = made.ends
    this.#checkpoints = made.checkpoints
    this.#openStream = made.openStream
    this.#generate = made.generate
  }

  /**
   * Takes a turn. If the turn would exceed a limit, takes the run’s last answer instead.
   * @param mostTokens maximum tokens of the reply; undefined: as in the profile
   */
  async take(run: Run, mayCallTools: boolean, mostTokens?: number): Promise<void> {
    const { clock, budgets, models } = this.#parts
    const model = this.#facts.modelFor(run)
    const known = await models.factsOf(model)
    const plain = await this.#requestOf(run, mayCallTools)
    const fit = known.tools === false ? talkOnly(plain) : plain
    const wanted = mostTokens === undefined ? fit : { ...fit, maxOutputTokens: mostTokens }
    const planned = this.#planOf(model, wanted, run)
    const asked = budgets.ask(spenderOf(run, this.#parts), planned)
    if ('refused' in asked) {
      const { refused: text, ...more } = asked
      return this.last(run, { type: 'budget', what: 'stopped', text, ...more })
    }
    const { outputTokens } = asked
    const request = outputTokens === undefined ? wanted : { ...wanted, maxOutputTokens: outputTokens }
    const plan = outputTokens === undefined ? planned : { ...planned, outputTokens }
    if (asked.near !== undefined && mayBeTold(run.entries))
      run.append({ type: 'budget', what: 'near', text: asked.near })
    const late = new AbortController()
    const disarm = asked.leftMs === undefined ? () => {} : clock.after(asked.leftMs, () => late.abort(outOfTime))
    try {
      const signal = AbortSignal.any([run.modelSignal, late.signal])
      await this.#call(run, { model, request, plan, reservation: asked, signal })
      if (fit.tools.length < plain.tools.length)
        run.tell(
          `${model.id} takes no tools, so it can only talk. Choose another model to have something looked up or done.`,
        )
    } catch (error) {
      if (late.signal.aborted && !run.modelSignal.aborted) {
        const { refused } = asText(budgets.ask(spenderOf(run, this.#parts), plan))
        return this.last(run, { type: 'budget', what: 'stopped', text: refused })
      }
      if (!(error instanceof ModelError) || run.modelSignal.aborted) throw error
      const fewer = await this.#recover(run, error, { model, request, plan, isCut: mostTokens !== undefined })
      if (fewer !== undefined) return this.take(run, mayCallTools, fewer)
    } finally {
      disarm()
    }
  }

  /** Ends a run that must stop: takes one last answer without tools, if it fits the limits, and adds JARVIS’s own closing text. */
  async last(run: Run, stop: Stop): Promise<void> {
    const { clock, budgets, models } = this.#parts
    const model = this.#facts.modelFor(run)
    run.append(stop)
    const plain = { ...(await this.#requestOf(run, false)), maxOutputTokens: wrapUpTokens }
    const request = (await models.factsOf(model)).tools === false ? talkOnly(plain) : plain
    const plan = this.#planOf(model, request, run)
    const reservation = budgets.askLast(spenderOf(run, this.#parts), plan)
    if (reservation !== undefined) {
      const late = new AbortController()
      const disarm = clock.after(lastAnswerMs, () =>
        late.abort(new ModelError('model_timeout', 'It took too long.', { isRetryable: false })),
      )
      try {
        const signal = AbortSignal.any([run.modelSignal, late.signal])
        await this.#call(run, { model, request, plan, reservation, signal })
      } catch (error) {
        // If the last answer fails, the run ends with JARVIS’s own closing text only.
        if (run.modelSignal.aborted || !(error instanceof ModelError)) throw error
      } finally {
        disarm()
      }
    }
    if (!run.isOver && !run.isStopped) this.#ends.endStopped(run)
  }

  /**
   * Called after a turn without text and without a call. Asks the model once more, then the models that replace it. If none answers, ends the run
   * and says that there is no answer.
   */
  async again(run: Run, { times, mayCallTools }: { times: number; mayCallTools: boolean }): Promise<void> {
    const mutes = mutesAtEnd(run.entries)
    const model = this.#facts.modelFor(run)
    if (times === 1) run.tell(`${troubles.model_mute} Asking once more.`)
    else if (!this.#fallBack(run, model, new ModelError('model_mute', troubles.model_mute, { isRetryable: false }))) {
      const done = { type: 'done', ...this.#ends.spentOn(run.entries), stopReason: 'unanswered' } as const
      return this.#ends.end(run, done, [saying(unansweredWords(mutes))])
    }
    await this.take(run, mayCallTools)
  }

  async #requestOf(run: Run, mayCallTools: boolean): Promise<ModelRequest> {
    const { prompt, tools, effort, temperature, mostTokens, toolChoice, format } = this.#facts.profileOf(run)
    const messages = await this.#folding.messages(run)
    return {
      system: prompt,
      messages,
      tools,
      effort,
      temperature,
      maxOutputTokens: mostTokens,
      toolChoice,
      format,
      ...(run.origin.kind === 'v1' && { isFinal: true }),
      mayCallTools,
    }
  }

  #planOf(model: Model, request: ModelRequest, run: Run): CallPlan {
    return {
      model: model.id,
      inputTokens: this.#estimate.of(request, model.id, run.entries),
      outputTokens: model.mostOutputTokens?.(request) ?? request.maxOutputTokens ?? usualOutput,
    }
  }

  /** Calls the model, and stores its turn together with the tokens it used. */
  async #call(run: Run, { model, request, plan, reservation, signal }: Allowed): Promise<void> {
    const { clock, redact, models } = this.#parts
    let isKept = false
    let came: Turn | undefined
    try {
      const call = new ModelCall({
        run,
        model,
        request,
        signal,
        mostTokens: plan.outputTokens,
        openStream: this.#openStream,
        redact: (text) => redact.text(text),
        redactors: { text: redact.stream(), thinking: redact.stream() },
        checkpoint: () => this.#checkpoints.grew(run),
        keep: (turn) => {
          isKept = true
          if (turn.unmade?.why === 'text') models.wrote(model, turn.unmade.toolNames)
          this.#ends.keepTurn(run, turn, () =>
            reservation.settle(turn.usage, { isPartial: turn.isUsagePartial === true, said: charsOf(turn.content) }),
          )
        },
        generate: async (sink, signal) => {
          came = await this.#generate(model, {
            request,
            sink,
            signal,
            retries: {
              tell: ({ message, retryInMs }) => run.tellRetry(message, retryInMs, clock.now()),
              may: (spent, isLost) => reservation.again(spent, isLost),
            },
          })
          return came
        },
      })
      await call.make()
      this.#tellOf(run, model, came)
    } finally {
      if (!isKept) reservation.release()
    }
  }

  /** Tells the person which parts of the request the model did not get: cut text, left-out tools, or pictures. */
  #tellOf(run: Run, model: Model, { cut, unseen = 0 }: Pick<Turn, 'cut' | 'unseen'> = {}): void {
    const warning = cut && this.#parts.models.cutOff(model, cut)
    if (warning !== undefined) run.tell(warning)
    const leftOut = this.#parts.models.leftOutNow(model)
    if (leftOut !== undefined) run.tell(leftOut)
    if (unseen > 0)
      run.tell(
        `${model.id} takes no pictures: it answered without seeing ${unseen === 1 ? 'the attached one' : `the ${unseen} attached ones`}.`,
      )
  }

  /**
   * Reacts to a failed request: changes what made it fail, so that the loop can take the turn again.
   * @returns a lower maximum of tokens for an immediate second request, if the credit pays only for a shorter answer
   * @throws the error, or a more detailed one, if nothing can be changed
   */
  async #recover(
    run: Run,
    error: ModelError,
    { model, request, plan, isCut }: { model: Model; request: ModelRequest; plan: CallPlan; isCut: boolean },
  ): Promise<number | undefined> {
    const { models, redact } = this.#parts
    const { windowTokens, affordsTokens } = error.limits
    if (windowTokens !== undefined) models.learnWindow(model, windowTokens)
    if (error.because === 'picture' && this.#leavesOut(run, request, error)) return undefined
    // Some servers give no reason when they refuse a conversation that is too long.
    const { tokens, answer } = models.windowOf(model)
    const mayBeTooLong = error.isBare && plan.inputTokens >= (tokens - answer) * nearWindow
    if ((error.isTooLong || mayBeTooLong) && (await this.#folding.refused(run))) return undefined
    const mayAfford = affordsTokens !== undefined && affordsTokens >= leastAnswer && !isCut
    if (mayAfford && affordsTokens < (request.maxOutputTokens ?? Number.POSITIVE_INFINITY)) {
      run.tell(`The credit pays for an answer of ${number(affordsTokens)} tokens: asking for that many.`)
      return affordsTokens
    }
    if (this.#fallBack(run, model, error)) return undefined
    if (error.because === 'talks_only' && request.tools.length > 0) {
      models.learnTalksOnly(model)
      run.tell(
        redact.text(`${error.message} ${model.id} is sent none for 30 days, or until its provider is saved again.`),
      )
      return undefined
    }
    throw error.isTooLong ? this.#unfit(error, model, request) : error
  }

  /** Makes the next fallback model that the operator configured answer in this run from now on. @returns false if there is none */
  #fallBack(run: Run, model: Model, error: unknown): boolean {
    const { models } = this.#parts
    if (!(error instanceof ModelError) || !(mayFallBack(error) || isWindow(error)) || run.modelSignal.aborted)
      return false
    const failed = [...(run.failed?.models ?? []), model.id]
    const { format } = this.#facts.profileOf(run)
    const least = isWindow(error) ? models.windowOf(model).tokens : 0
    const next = models
      .fallbacksOf(this.#facts.ownModelOf(run))
      .filter(({ id }) => !failed.includes(id))
      .filter(({ formats = [] }) => format === undefined || formats.includes(format.type))
      .find((other) => models.windowOf(other).tokens > least)
    if (next === undefined) return false
    run.standInFor(failed, next.id)
    run.tell(`${troubles[error.code]} ${next.id} answers in the place of ${model.id}.`)
    return true
  }

  /**
   * Leaves refused pictures out of the conversation from now on. @returns false if the request has no pictures
   * @throws ModelError with the pictures’ names, if they were attached to the message that is being answered
   */
  #leavesOut(run: Run, { messages }: ModelRequest, error: ModelError): boolean {
    const { redact } = this.#parts
    const pictures = refusedPictures(error.message, messages)
    if (pictures.length === 0) return false
    const known = ownPictures(run.entries)
    const own = pictures.flatMap((id) => known.get(id) ?? [])
    const which =
      own.length > 0 ? own.join(', ') : pictures.length === 1 ? 'One picture' : `${pictures.length} pictures`
    const text = `${which}: ${error.message} From now on the conversation is sent without ${pictures.length === 1 ? 'it' : 'them'}.`
    run.append({ type: 'picture_refused', pictures, text: redact.text(text) })
    if (own.length > 0)
      throw error.as(`${text} Attach a smaller picture, as PNG or JPEG, or go on without it: nothing else is lost.`)
    run.tell(redact.text(text))
    return true
  }

  /** Returns the error of a request that is too long even after folding, with advice for the person. */
  #unfit(error: ModelError, model: Model, request: ModelRequest): ModelError {
    const { planTokens } = error.limits
    if (planTokens === undefined) {
      const { tokens } = this.#parts.models.windowOf(model)
      return error.as(
        `${error.message} ${model.id} reads about ${number(tokens)} tokens at once, as far as is known. Begin a new session, or choose a model that reads more.`,
      )
    }
    const own = this.#estimate.of({ ...request, messages: [] }, model.id, [])
    return error.as(
      `${error.message} The plan takes ${number(planTokens)} tokens, and JARVIS's instructions and tools alone are about ${number(own)}. Use an agent with fewer tools, another model, or a larger plan.`,
    )
  }
}

/** The reason with which a call is aborted that streams beyond a limit of minutes. */
const outOfTime = new ModelError('model_timeout', 'The time for this run is used up.', { isRetryable: false })

/** Returns a sentence about the limit that was reached. If the limits allow the call after all, releases its reservation. */
function asText(asked: ReturnType<BudgetKeeper['ask']>): { refused: string } {
  if ('refused' in asked) return asked
  asked.release()
  return { refused: outOfTime.message }
}

/** True if the conversation was longer than the model can read. A model with a larger window may then answer. */
const isWindow = ({ isTooLong, hasSpoken, limits }: ModelError): boolean =>
  isTooLong && !hasSpoken && limits.planTokens === undefined

const number = (tokens: number) => tokens.toLocaleString('en-US')

/** True if the warning about a near limit may be shown: once, and again after a person has raised the limit. */
const mayBeTold = (entries: readonly StoredEntry[]): boolean => {
  const newest = entries.findLast(({ type }) => type === 'budget')
  return newest?.type !== 'budget' || newest.what === 'raised'
}

const charsOf = (content: Extract<Draft, { type: 'assistant' }>['content']): number =>
  content.reduce((sum, item) => sum + ('text' in item ? item.text.length : JSON.stringify(item).length), 0)
