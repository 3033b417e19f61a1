import { JarvisError, noUsage } from 'protocol'
import { Checkpoints } from './checkpoints.ts'
import { ContextReader } from './context/context-reader.ts'
import { Folding } from './context/folding.ts'
import { contextWords } from './context/words.ts'
import { nextStep, type Step } from './next-step.ts'
import { isMessage, type Origin, openingOf } from './origin.ts'
import type { Generate, RunParts } from './ports.ts'
import { duringRehearsal } from './rehearsal.ts'
import { stuckWords } from './repeats.ts'
import { RunEnds } from './run/ends.ts'
import { RunFacts } from './run/facts.ts'
import { followPlan } from './run/follow-plan.ts'
import { looksOnly } from './run/gone.ts'
import { RunReading } from './run/reading.ts'
import { SettleCalls } from './run/settle-calls.ts'
import { stopWords } from './run/stop-words.ts'
import { Turns } from './run/turns.ts'
import type { Run } from './run.ts'
import type { Draft } from './sessions/entries.ts'
import { titleOf, untitled } from './sessions/title.ts'
import { openTodo } from './todo.ts'
import { createTokenPump } from './token-pump.ts'
import { saying } from './tool-runner.ts'

/** Works on runs: executes the steps that `nextStep` decides until the run has its last entry. */
export class RunAgent {
  readonly #parts: RunParts
  readonly #facts: RunFacts
  readonly #ends: RunEnds
  readonly #calls: SettleCalls
  readonly #folding: Folding
  readonly #turns: Turns

  constructor(parts: RunParts) {
    const facts = new RunFacts(parts)
    const ends = new RunEnds(parts, facts)
    const reading = new RunReading(parts, facts)
    const generate = this.#generateKept
    const folding = new Folding(parts, { facts, generate, reader: new ContextReader(parts, facts, reading) })
    const checkpoints = new Checkpoints(parts)
    this.#parts = parts
    this.#facts = facts
    this.#ends = ends
    this.#calls = new SettleCalls(parts, { facts, reading, ends })
    this.#folding = folding
    this.#turns = new Turns(parts, { facts, folding, ends, checkpoints, generate, openStream: createTokenPump() })
  }

  /**
   * Stores a run’s first entries: the message, and the call if the run is a command or came over MCP. Call it in the transaction that stores the
   * run.
   * @returns a function that shows the entries to watchers; call it after the commit
   */
  begin(run: Run): () => void {
    const { session, origin } = run
    const first = openingOf(
      origin,
      () => this.#givenWith(run),
      (name) => this.#parts.skills.opening(run.agent, name, session.id),
    )
    const isNamed = 'text' in origin && session.title === untitled
    if (isNamed) session.rename(titleOf(origin.text))
    const kept = first.map((draft) => run.keep(draft))
    return () => {
      for (const { show } of kept) show()
      if (isNamed) run.emit('chat:title', { title: session.title })
    }
  }

  /** Stores an MCP client’s call and works on it until it ends. @throws the error if the call could not be stored */
  async call(run: Run): Promise<void> {
    const { store } = this.#parts
    run.opens(
      await store.together(() => {
        run.row.position = store.addRun(run.row)
        return this.begin(run)
      }),
    )
    await this.go(run)
  }

  /** Works on a run until it ends. A failure of the run is stored as its end, and does not reject the promise. */
  async go(run: Run): Promise<void> {
    const { store, guide, listener } = this.#parts
    try {
      run.showOpening()
      if (run.entries.length === 0) store.atomically(() => this.begin(run))()
      if (run.origin.kind === 'plan')
        return await followPlan(run, run.origin, { guide, calls: this.#calls, ends: this.#ends })
      if (run.origin.kind === 'command') await this.#answerLine(run, run.origin.line)
      this.#keepPartial(run)
      while (!run.hasEnded) {
        const free = store.untilFree()
        if (free !== undefined) await free
        this.look(run)
        const step = nextStep(run.entries, this.#facts.turnsOf(run))
        if (step.type === 'end' || (run.isStopped && step.type !== 'settle_calls')) return this.#end(run, step)
        await this.#step(run, step)
      }
    } catch (error) {
      // The server is stopping and the next start resumes the run, so nothing is reported.
      if (run.isLeft) return
      const free = store.untilFree()
      if (free !== undefined) await free.catch(() => {})
      this.#ends.fail(run, error)
      if (run.origin.kind === 'plan') guide.stopped(run.origin.plan, run.entries, 'jarvis')
    } finally {
      if (run.hasEnded && isMessage(run.origin)) listener.ended(run.row.sessionId, run.entries, run.agent)
    }
  }

  /** Stops a run if its person was removed or may now only read, or if its token was revoked or has expired. */
  look(run: Run): void {
    if (run.isOver || run.isStopped) return
    const { askers, store } = this.#parts
    const isWritten = run.origin.kind === 'chat' || run.origin.kind === 'command'
    const written = isWritten ? run.row.sessionId : undefined
    const because = askers.goneBecause(this.#facts.principalIn(run), run.row.at, {
      looksOnly: looksOnly(run.origin),
      sessionId: written,
    })
    if (because === undefined) return
    store.setRunStatus(run.id, 'stopping')
    run.halt('jarvis', because)
  }

  async #step(run: Run, step: Exclude<Step, { type: 'end' }>): Promise<void> {
    if (step.type === 'settle_calls') return this.#calls.settle(run, step.calls)
    if (step.type === 'give_up') return this.#turns.last(run, { type: 'stuck', text: stuckWords(run.entries) })
    if (step.type === 'ask_again') return this.#turns.again(run, step)
    // Gives Engine.IO time to flush before the request is built.
    await new Promise(setImmediate)
    if (isMessage(run.origin)) await this.#recall(run, run.origin.text)
    await this.#turns.take(run, step.mayCallTools)
  }

  #end(run: Run, step: Step): void {
    const stopReason = step.type === 'end' && !run.isStopped ? step.stopReason : 'aborted'
    const said = stopReason === 'stuck' || stopReason === 'budget' ? stopWords(run.entries) : goneWords(run)
    this.#ends.end(run, { type: 'done', ...this.#ends.spentOn(run.entries), stopReason }, said)
  }

  /** The parts of a message that only its model is given. */
  #givenWith(run: Run) {
    const { prompts, store, askers } = this.#parts
    const { session, origin } = run
    const summary = prompts.context(this.#facts.principalIn(run))
    const context = session.isRehearsal ? `${summary}\n\n${duringRehearsal}` : summary
    const todo = openTodo(store.newestTodo(session.id))
    const speaker = isMessage(origin) ? askers.speaker(session.id, origin.by) : undefined
    return { context, todo, speaker }
  }

  /** Answers a command such as `/dry-run on`. The command itself took effect when it was sent. */
  async #answerLine(run: Run, line: Extract<Origin, { kind: 'command' }>['line']): Promise<void> {
    if ('ok' in line) {
      if (!line.ok) throw new JarvisError('invalid_request', line.problem)
      return
    }
    if (run.entries.some(({ type }) => type === 'assistant')) return
    const { store, contextReport } = this.#parts
    const { id, isRehearsal } = run.session
    const words = await line.answer({
      isRehearsal,
      agent: run.agent,
      effort: store.session(id)?.effort,
      fold: () => this.#folding.asked(run),
      context: () => contextWords(contextReport(id)),
    })
    run.append(saying(words))
  }

  /** Recalls passages of the memory before a message's first turn. */
  async #recall(run: Run, text: string): Promise<void> {
    if (run.entries.some(({ type }) => type === 'assistant' || type === 'recalled')) return
    const { agent, row } = run
    const asker = this.#facts.principalIn(run)
    const { items, problem } = await this.#parts.prompts.recall(text, { agent, sessionId: row.sessionId, asker })
    if (run.isStopped) return
    if (problem !== undefined) run.tell(problem)
    if (items.length > 0) run.append({ type: 'recalled', items })
  }

  /** Stores the text that had streamed when the server stopped. The model continues after this text. */
  #keepPartial(run: Run): void {
    const text = run.takePartialText()
    if (text === '') return
    const { store } = this.#parts
    store.atomically(() => {
      store.savePartial(run.id, '')
      run.append({
        type: 'assistant',
        model: this.#facts.modelOf(run).id,
        content: [{ type: 'text', text }],
        usage: noUsage,
        isUsagePartial: true,
        stopReason: 'interrupted',
      })
    })
  }

  /** Asks a model. The answer was paid for, so it is stored even if another process locks the database for long. */
  readonly #generateKept: Generate = async (model, asked) => {
    try {
      return await this.#parts.generate(model, asked)
    } finally {
      await this.#parts.store.untilFree('forever')
    }
  }
}

/** Returns JARVIS’s closing text for a run that was stopped because its asker may not ask any more. Empty for any other run. */
const goneWords = ({ endedBecause }: Run): Draft[] =>
  endedBecause === undefined ? [] : [saying(`I stopped. ${endedBecause}`)]
