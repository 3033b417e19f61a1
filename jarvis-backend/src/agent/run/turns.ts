import type { ActiveRun } from '../active-run.ts'
import { type BudgetKeeper, type Reservation, wrapUpTokens } from '../budgets.ts'
import { callModel } from '../call-model.ts'
import type { Folding } from '../context/folding.ts'
import { mayFallBack } from '../in-turn.ts'
import { type Model, ModelError, type ModelRequest, type Turn } from '../model.ts'
import { ownPictures, refusedPictures } from '../refused-pictures.ts'
import { troubles } from '../retry.ts'
import type { RunParts } from '../run-agent.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import type { Draft, StoredEntry } from '../sessions/transcript-store.ts'
import { spentOn } from '../spent.ts'
import { talkOnly } from '../talk-only.ts'
import type { OpenStream } from '../token-pump.ts'
import { saying } from '../tool-runner.ts'
import { mutesAtEnd, unansweredWords } from '../unmade.ts'
import type { createRunEnds } from './ends.ts'
import { createEstimate } from './estimate.ts'
import type { RunFacts } from './facts.ts'
import { createSpenderOf } from './spender.ts'

/** Where a model does not say how long its reply can be, tokens. */
const usualOutput = 8_192
/** A shorter answer is not worth a second request, tokens. */
const leastAnswer = 1_000
/** How long the last answer may take, ms. */
const lastAnswerMs = 60_000

type Stop = Extract<Draft, { type: 'stuck' | 'budget' }>

/** Calls the model for a run, within the limits of what it may use. */
export function createTurns(
  parts: RunParts,
  made: {
    facts: RunFacts
    folding: Folding
    ends: ReturnType<typeof createRunEnds>
    openStream: OpenStream
    checkpoint(run: ActiveRun): void
  },
) {
  const { clock, redact, budgets } = parts
  const { facts, folding, ends } = made
  const estimate = createEstimate()
  const spenderOf = createSpenderOf(parts)

  async function requestOf(session: LiveSession, run: ActiveRun, mayCallTools: boolean): Promise<ModelRequest> {
    const { prompt, tools, effort, temperature, mostTokens, toolChoice, format } = facts.profileOf(session, run)
    const messages = await folding.messages(session, run)
    return {
      system: prompt,
      messages,
      tools,
      ...(effort !== undefined && { effort }),
      ...(temperature !== undefined && { temperature }),
      ...(mostTokens !== undefined && { maxOutputTokens: mostTokens }),
      ...(toolChoice !== undefined && { toolChoice }),
      ...(format !== undefined && { format }),
      ...(run.origin.kind === 'v1' && { isFinal: true }),
      mayCallTools,
    }
  }

  const planOf = (model: Model, request: ModelRequest, run: ActiveRun) => ({
    model: model.id,
    inputTokens: estimate(request, model.id, run.entries),
    outputTokens: model.mostOutputTokens?.(request) ?? request.maxOutputTokens ?? usualOutput,
  })

  /** Calls the model and stores its turn and what it used together. */
  async function call(
    session: LiveSession,
    run: ActiveRun,
    given: { model: Model; request: ModelRequest; reservation: Reservation; signal: AbortSignal; mostTokens: number },
  ) {
    const { model, request, reservation, signal, mostTokens } = given
    const { id } = run.row
    let isKept = false
    let cut: Turn['cut']
    let unseen = 0
    try {
      await callModel({
        model,
        session,
        run,
        request,
        signal,
        mostTokens,
        openStream: made.openStream,
        redact: redact.text,
        redactors: { text: redact.stream(), thinking: redact.stream() },
        checkpoint: () => made.checkpoint(run),
        keep(turn) {
          isKept = true
          if (turn.unmade?.why === 'text') parts.wrote(model, turn.unmade.toolNames)
          ends.keepTurn(session, run, turn, () =>
            reservation.settle(turn.usage, { isPartial: turn.isUsagePartial === true, said: charsOf(turn.content) }),
          )
        },
        async generate(...args) {
          const turn = await parts.generate(
            ...args,
            ({ message, retryInMs }) => {
              run.notice = { message, retryAt: clock.now() + retryInMs }
              session.emit(id, 'chat:notice', { message, retryInMs })
            },
            reservation.again,
          )
          cut = turn.cut
          unseen = turn.unseen ?? 0
          return turn
        },
      })
      const warning = cut && parts.cutOff(model, cut)
      if (warning !== undefined) tell(session, run, warning)
      const leftOut = parts.leftOutNow(model)
      if (leftOut !== undefined) tell(session, run, leftOut)
      if (unseen > 0)
        tell(
          session,
          run,
          `${model.id} takes no pictures: it answered without seeing ${unseen === 1 ? 'the attached one' : `the ${unseen} attached ones`}.`,
        )
    } finally {
      if (!isKept) reservation.release()
    }
  }

  /** The run's last words: one answer without tools where it fits, and JARVIS's own. */
  async function last(session: LiveSession, run: ActiveRun, stop: Stop): Promise<void> {
    const model = facts.modelFor(session, run)
    session.append(run, stop)
    const plain = { ...(await requestOf(session, run, false)), maxOutputTokens: wrapUpTokens }
    const request = (await parts.factsOf(model)).tools === false ? talkOnly(plain) : plain
    const plan = planOf(model, request, run)
    const reservation = budgets.askLast(spenderOf(session, run), plan)
    if (reservation !== undefined) {
      const late = new AbortController()
      const disarm = clock.after(lastAnswerMs, () =>
        late.abort(new ModelError('model_timeout', 'It took too long.', { isRetryable: false })),
      )
      try {
        const signal = AbortSignal.any([run.modelAbort.signal, late.signal])
        await call(session, run, { model, request, reservation, signal, mostTokens: plan.outputTokens })
      } catch (error) {
        // JARVIS's own words stand in for the answer.
        if (run.modelAbort.signal.aborted || !(error instanceof ModelError)) throw error
      } finally {
        disarm()
      }
    }
    if (!run.isOver && !run.abort.signal.aborted) ends.endStopped(session, run)
  }

  /** Lets the next model that the operator named answer in this run from now on. @returns whether there is one */
  function fallBack(session: LiveSession, run: ActiveRun, model: Model, error: unknown): boolean {
    if (!(error instanceof ModelError) || !(mayFallBack(error) || isWindow(error)) || run.modelAbort.signal.aborted)
      return false
    const failed = [...(run.failed?.models ?? []), model.id]
    const { format } = facts.profileOf(session, run)
    const least = isWindow(error) ? parts.windowOf(model).tokens : 0
    const next = parts
      .fallbacksOf(facts.ownModelOf(run))
      .filter(({ id }) => !failed.includes(id))
      .filter(({ formats = [] }) => format === undefined || formats.includes(format.type))
      .find((other) => parts.windowOf(other).tokens > least)
    if (next === undefined) return false
    run.failed = { models: failed, standIn: next.id }
    tell(session, run, `${troubles[error.code]} ${next.id} answers in the place of ${model.id}.`)
    return true
  }

  /** After a turn without a word: asks the model once more, then those that stand in for it, and says in the end that there is no answer. */
  async function again(
    session: LiveSession,
    run: ActiveRun,
    { times, mayCallTools }: { times: number; mayCallTools: boolean },
  ): Promise<void> {
    const mutes = mutesAtEnd(run.entries)
    const model = facts.modelFor(session, run)
    if (times === 1) tell(session, run, `${troubles.model_mute} Asking once more.`)
    else if (
      !fallBack(session, run, model, new ModelError('model_mute', troubles.model_mute, { isRetryable: false }))
    ) {
      const done = { type: 'done', ...spentOn(run.entries, parts.costOf), stopReason: 'unanswered' } as const
      return ends.end(session, run, done, [saying(unansweredWords(mutes))])
    }
    await take(session, run, mayCallTools)
  }

  function tell(session: LiveSession, run: ActiveRun, message: string) {
    run.notice = { message }
    session.emit(run.row.id, 'chat:notice', { message })
  }

  /** Takes a turn. @param mostTokens of the reply; absent: as the profile says */
  async function take(session: LiveSession, run: ActiveRun, mayCallTools: boolean, mostTokens?: number): Promise<void> {
    const model = facts.modelFor(session, run)
    const known = await parts.factsOf(model)
    const plain = await requestOf(session, run, mayCallTools)
    const fit = known.tools === false ? talkOnly(plain) : plain
    const request = mostTokens === undefined ? fit : { ...fit, maxOutputTokens: mostTokens }
    const plan = planOf(model, request, run)
    const asked = budgets.ask(spenderOf(session, run), plan)
    if ('refused' in asked) {
      const { refused: text, ...more } = asked
      return last(session, run, { type: 'budget', what: 'stopped', text, ...more })
    }
    if (asked.near !== undefined && mayBeTold(run.entries))
      session.append(run, { type: 'budget', what: 'near', text: asked.near })
    const late = new AbortController()
    const disarm = asked.leftMs === undefined ? () => {} : clock.after(asked.leftMs, () => late.abort(outOfTime))
    try {
      const signal = AbortSignal.any([run.modelAbort.signal, late.signal])
      await call(session, run, { model, request, reservation: asked, signal, mostTokens: plan.outputTokens })
      if (fit.tools.length < plain.tools.length)
        tell(
          session,
          run,
          `${model.id} takes no tools, so it can only talk. Choose another model to have something looked up or done.`,
        )
    } catch (error) {
      if (late.signal.aborted && !run.modelAbort.signal.aborted) {
        const { refused } = asText(budgets.ask(spenderOf(session, run), plan))
        return last(session, run, { type: 'budget', what: 'stopped', text: refused })
      }
      if (!(error instanceof ModelError) || run.modelAbort.signal.aborted) throw error
      const { windowTokens, affordsTokens } = error.limits
      if (windowTokens !== undefined) parts.learnWindow(model, windowTokens)
      if (error.because === 'picture' && leavesOut(session, run, request, error)) return
      // Some servers refuse a conversation that is too long without a word.
      const { tokens, answer } = parts.windowOf(model)
      const mayBeTooLong = error.isBare && plan.inputTokens >= (tokens - answer) * nearWindow
      if ((error.isTooLong || mayBeTooLong) && (await folding.refused(session, run))) return
      const mayAfford = affordsTokens !== undefined && affordsTokens >= leastAnswer && mostTokens === undefined
      if (mayAfford && affordsTokens < (request.maxOutputTokens ?? Number.POSITIVE_INFINITY)) {
        tell(session, run, `The credit pays for an answer of ${number(affordsTokens)} tokens: asking for that many.`)
        return take(session, run, mayCallTools, affordsTokens)
      }
      // The loop takes the turn again, with the model that stands in.
      if (fallBack(session, run, model, error)) return
      if (error.because === 'talks_only' && request.tools.length > 0) {
        parts.learnTalksOnly(model)
        tell(
          session,
          run,
          redact.text(`${error.message} ${model.id} is sent none for 30 days, or until its provider is saved again.`),
        )
        return
      }
      throw error.isTooLong ? unfit(error, model, request) : error
    } finally {
      disarm()
    }
  }

  /**
   * Leaves refused pictures out from now on. @returns whether to take the turn again
   * @throws ModelError that names them, where they came with the message that is being answered
   */
  function leavesOut(session: LiveSession, run: ActiveRun, { messages }: ModelRequest, error: ModelError): boolean {
    const pictures = refusedPictures(error.message, messages)
    if (pictures.length === 0) return false
    const known = ownPictures(run.entries)
    const own = pictures.flatMap((id) => known.get(id) ?? [])
    const which =
      own.length > 0 ? own.join(', ') : pictures.length === 1 ? 'One picture' : `${pictures.length} pictures`
    const text = `${which}: ${error.message} From now on the conversation is sent without ${pictures.length === 1 ? 'it' : 'them'}.`
    session.append(run, { type: 'picture_refused', pictures, text: redact.text(text) })
    if (own.length > 0)
      throw error.as(`${text} Attach a smaller picture, as PNG or JPEG, or go on without it: nothing else is lost.`)
    tell(session, run, redact.text(text))
    return true
  }

  /** A refusal that no fold mended, with what the person can do about it. */
  function unfit(error: ModelError, model: Model, request: ModelRequest): ModelError {
    const { planTokens } = error.limits
    if (planTokens === undefined) {
      const { tokens } = parts.windowOf(model)
      return error.as(
        `${error.message} ${model.id} reads about ${number(tokens)} tokens at once, as far as is known. Begin a new session, or choose a model that reads more.`,
      )
    }
    const own = estimate({ ...request, messages: [] }, model.id, [])
    return error.as(
      `${error.message} The plan takes ${number(planTokens)} tokens, and JARVIS's instructions and tools alone are about ${number(own)}. Use an agent with fewer tools, another model, or a larger plan.`,
    )
  }

  return {
    last,
    again,
    /** Takes a turn, or has the last answer where the turn would pass a limit. */
    take: (session: LiveSession, run: ActiveRun, mayCallTools: boolean) => take(session, run, mayCallTools),
  }
}

/** Ends a call that streams past a limit of minutes. */
const outOfTime = new ModelError('model_timeout', 'The time for this run is used up.', { isRetryable: false })

/** Which limit is reached; of a call that fits nevertheless, nothing is used. */
function asText(asked: ReturnType<BudgetKeeper['ask']>): { refused: string } {
  if ('refused' in asked) return asked
  asked.release()
  return { refused: outOfTime.message }
}

/** Whether the conversation was longer than the model reads, so that one that reads more may answer. */
const isWindow = ({ isTooLong, hasSpoken, limits }: ModelError): boolean =>
  isTooLong && !hasSpoken && limits.planTokens === undefined

/** From this part of what fits on, a refusal without a word may mean the length. JARVIS's count of tokens is an estimate. */
const nearWindow = 0.6

const number = (tokens: number) => tokens.toLocaleString('en-US')

/** A person is told once, and again after having allowed more. */
const mayBeTold = (entries: readonly StoredEntry[]): boolean => {
  const newest = entries.findLast(({ type }) => type === 'budget')
  return newest?.type !== 'budget' || newest.what === 'raised'
}

const charsOf = (content: Extract<Draft, { type: 'assistant' }>['content']): number =>
  content.reduce((sum, item) => sum + ('text' in item ? item.text.length : JSON.stringify(item).length), 0)
