import { type Card, JarvisError, type Question, type Snapshot } from 'protocol'
import type { Config } from '../config/config.ts'
import { send } from './ask.ts'
import { askAnswer } from './asked.ts'
import { askDecision } from './decide.ts'
import { follow } from './follow.ts'
import type { Input } from './options.ts'
import { reach } from './remote/reach.ts'
import { createPrinter, type Told, toldOf } from './terminal/printer.ts'
import { createPrompt } from './terminal/prompt.ts'
import { styleFor } from './terminal/style.ts'
import { visible } from './terminal/visible.ts'

/** Entries of a session that are shown when it is taken up. */
const shownBefore = 20

/** `jarvis chat`: a conversation at the terminal. Cards are drawn in full and decided there, with the password. */
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
  /** Events that arrive while a person decides. They are printed afterwards. */
  let held: Told[] | undefined
  const printer = createPrinter({
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
      ...(values.model !== undefined && { model: values.model }),
      ...(isRehearsal && { 'dry-run': true }),
      ...(values['read-only'] === true && { 'read-only': true }),
    })
    session = sessionId
    isRehearsal = false
    const over = new AbortController()
    stop = () => {
      console.log('\nStopping; Ctrl-C again leaves.')
      void remote.send('POST', `sessions/${sessionId}/abort`).catch(() => over.abort())
    }
    const open = new Map<string, AbortController>()
    let asking: Promise<void> = Promise.resolve()
    /** One after the other, whatever comes meanwhile. */
    function askFor(id: string, work: (signal: AbortSignal) => Promise<unknown>) {
      const gone = new AbortController()
      open.set(id, gone)
      asking = asking.then(async () => {
        if (gone.signal.aborted) return
        held = []
        try {
          if ((await work(gone.signal)) === undefined && gone.signal.aborted) console.log('\nIt was decided elsewhere.')
        } catch (error) {
          console.log(error instanceof Error ? visible(error.message) : String(error))
        } finally {
          const later = held ?? []
          held = undefined
          for (const told of later) printer.tell(told)
        }
      })
    }
    const say = (line: string) => console.log(line)
    try {
      await follow({
        remote,
        sessionId,
        runId,
        after,
        signal: over.signal,
        tell(told) {
          if (told.event === 'chat:confirm_resolved') open.get(told.data.toolUseId)?.abort()
          if (told.event === 'chat:question_resolved') open.get(told.data.questionId)?.abort()
          if (held === undefined) printer.tell(told)
          else held.push(told)
          if (told.event === 'chat:confirm_needed') {
            const card: Card = told.data
            askFor(card.toolUseId, (signal) => askDecision({ remote, prompt, card, style, say, signal }))
          } else if (told.event === 'chat:question') {
            const question: Question = told.data
            askFor(question.questionId, (signal) => askAnswer({ remote, prompt, question, say, signal }))
          }
        },
      })
    } finally {
      for (const gone of open.values()) gone.abort()
      await asking
      printer.rest()
      stop = undefined
    }
  }

  try {
    if (session !== undefined) {
      const { title, entries } = await remote.get<Snapshot>(`sessions/${session}/snapshot`)
      console.log(style.dim(visible(title)))
      const before = createPrinter({
        style,
        now: Date.now,
        isReplay: true as const,
        say: (line) => console.log(line),
        text: (piece) => void process.stdout.write(piece),
      })
      for (const entry of entries.slice(-shownBefore)) before.tell(toldOf(entry, session))
    }
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
