import { type Card, JarvisError, type Question } from 'protocol'
import type { Config } from '../config/config.ts'
import { send } from './ask.ts'
import { askAnswer } from './asked.ts'
import { askDecision } from './decide.ts'
import { follow } from './follow.ts'
import type { Input } from './options.ts'
import { reach } from './remote/reach.ts'
import type { Remote } from './remote/remote.ts'
import { Printer, type Told, toldOf } from './terminal/printer.ts'
import { createPrompt } from './terminal/prompt.ts'
import { styleFor } from './terminal/style.ts'
import { visible } from './terminal/visible.ts'

/** Maximum number of earlier entries that are shown when a session is continued. */
const shownBefore = 20

/** `jarvis chat`: a conversation at the terminal. Cards are shown in full and decided at the terminal, with the password. */
export async function chat(
  config: Config,
  { values, positionals }: Input<{ url?: string; model?: string; 'read-only'?: boolean; 'dry-run'?: boolean }>,
): Promise<void> {
  if (process.stdin.isTTY !== true || process.stdout.isTTY !== true)
    throw new JarvisError('invalid_request', 'jarvis chat needs a terminal. Programs use: jarvis ask')
  if (positionals.length > 1)
    throw new JarvisError('invalid_request', 'Use chat, or chat SESSION. jarvis sessions lists them.')
  const remote = await reach(config, values.url)
  const style = styleFor(process.stdout)
  const prompt = createPrompt()
  const printer = new Printer({
    style,
    now: Date.now,
    say: (line) => console.log(line),
    text: (piece) => void process.stdout.write(piece),
  })
  let session = positionals[0]
  let isRehearsal = values['dry-run'] === true
  let stop: (() => void) | undefined
  let lastInterrupt = 0
  prompt.onInterrupt(() => {
    const isTwice = Date.now() - lastInterrupt < 2_000
    lastInterrupt = Date.now()
    if (isTwice || stop === undefined) prompt.close()
    if (isTwice) process.exit(130)
    stop?.()
  })

  async function answer(message: string): Promise<void> {
    const { sessionId, runId, after } = await send(remote, message, {
      session,
      model: values.model,
      ...(isRehearsal && { 'dry-run': true }),
      ...(values['read-only'] === true && { 'read-only': true }),
    })
    session = sessionId
    isRehearsal = false
    const over = new AbortController()
    stop = () => {
      console.log('\nStopping; Ctrl-C again leaves.')
      void remote.call('POST /api/sessions/:id/abort', { params: { id: sessionId } }).catch(() => over.abort())
    }
    const asking = new Asking((told) => printer.tell(told))
    const say = (line: string) => console.log(line)
    try {
      await follow({
        remote,
        sessionId,
        runId,
        after,
        signal: over.signal,
        tell(told) {
          asking.tell(told)
          if (told.event === 'chat:confirm_needed') {
            const card: Card = told.data
            asking.ask(card.toolUseId, (signal) => askDecision({ remote, prompt, card, style, say, signal }))
          } else if (told.event === 'chat:question') {
            const question: Question = told.data
            asking.ask(question.questionId, (signal) => askAnswer({ remote, prompt, question, say, signal }))
          }
        },
      })
    } finally {
      await asking.end()
      printer.rest()
      stop = undefined
    }
  }

  try {
    if (session !== undefined) await showBefore(remote, session)
    console.log(style.dim('Ctrl-C stops an answer, Ctrl-D leaves.'))
    for (;;) {
      const message = await prompt.line(style.bold('> '))
      if (message === undefined) break
      if (message.trim() === '') continue
      try {
        await answer(message)
      } catch (error) {
        if (!(error instanceof JarvisError)) throw error
        console.log(style.red(visible(error.message)))
      }
    }
    if (session !== undefined) console.error(`\njarvis chat ${session} goes on with it.`)
  } finally {
    prompt.close()
  }
}

/** Prints the title and the last entries of a session that is continued. */
async function showBefore(remote: Remote, session: string): Promise<void> {
  const style = styleFor(process.stdout)
  const { title, entries } = await remote.call('GET /api/sessions/:id/snapshot', { params: { id: session } })
  console.log(style.dim(visible(title)))
  const printer = new Printer({
    style,
    now: Date.now,
    isReplay: true,
    say: (line) => console.log(line),
    text: (piece) => void process.stdout.write(piece),
  })
  for (const entry of entries.slice(-shownBefore)) printer.tell(toldOf(entry, session))
}

/** Asks a person about cards and questions, one after the other. Events that arrive meanwhile are printed afterwards. */
class Asking {
  readonly #print: (told: Told) => void
  readonly #open = new Map<string, AbortController>()
  #held: Told[] | undefined
  #last: Promise<void> = Promise.resolve()

  constructor(print: (told: Told) => void) {
    this.#print = print
  }

  tell(told: Told): void {
    if (told.event === 'chat:confirm_resolved') this.#open.get(told.data.toolUseId)?.abort()
    if (told.event === 'chat:question_resolved') this.#open.get(told.data.questionId)?.abort()
    if (this.#held === undefined) this.#print(told)
    else this.#held.push(told)
  }

  /** Does work after earlier work has ended. The work's signal aborts if the card or question is decided elsewhere. */
  ask(id: string, work: (signal: AbortSignal) => Promise<unknown>): void {
    const gone = new AbortController()
    this.#open.set(id, gone)
    this.#last = this.#last.then(async () => {
      if (gone.signal.aborted) return
      this.#held = []
      try {
        if ((await work(gone.signal)) === undefined && gone.signal.aborted) console.log('\nIt was decided elsewhere.')
      } catch (error) {
        console.log(error instanceof Error ? visible(error.message) : String(error))
      } finally {
        const later = this.#held ?? []
        this.#held = undefined
        for (const told of later) this.#print(told)
      }
    })
  }

  /** Aborts the open work and waits for its end. */
  async end(): Promise<void> {
    for (const gone of this.#open.values()) gone.abort()
    await this.#last
  }
}
