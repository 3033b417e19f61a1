import { type Answer, type AnswerBody, JarvisError, type Question, type QuestionItem } from 'protocol'
import type { Config } from '../config/config.ts'
import { exitCodes } from './exit-codes.ts'
import type { Input } from './options.ts'
import { asOperator, requireTerminal } from './remote/operator.ts'
import { reach } from './remote/reach.ts'
import type { Remote } from './remote/remote.ts'
import { questionLines } from './terminal/printer.ts'
import { createPrompt, type Prompt } from './terminal/prompt.ts'
import { styleFor } from './terminal/style.ts'
import { visible } from './terminal/visible.ts'

const open = async (remote: Remote) =>
  (await remote.call('GET /api/questions')).items.filter(({ end }) => end === undefined)

/** `jarvis questions`: lists the questions that wait. Exits 3 if there is one. */
export async function questions(config: Config, { values }: Input<{ url?: string; json?: boolean }>): Promise<void> {
  const items = await open(await reach(config, values.url))
  const style = styleFor(process.stdout)
  if (values.json === true) console.log(JSON.stringify(items, null, 2))
  else if (items.length === 0) console.log('No question waits.')
  else console.log(items.flatMap((question) => questionLines(question, style)).join('\n'))
  if (items.length > 0) process.exitCode = exitCodes.waits
}

/**
 * `jarvis answer`: answers a question. The typed text counts as the operator's words, so the command asks for the password. The answer permits
 * nothing.
 */
export async function answer(config: Config, { values, positionals }: Input<{ url?: string }>): Promise<void> {
  const [id = ''] = positionals
  if (id === '' || positionals.length > 1)
    throw new JarvisError('invalid_request', 'Use answer ID. jarvis questions lists them.')
  requireTerminal('An answer')
  const remote = await reach(config, values.url)
  const question = (await open(remote)).find(({ questionId }) => questionId === id)
  if (question === undefined)
    throw new JarvisError('not_found', `No question ${id} waits. jarvis questions lists them.`)
  console.log(questionLines(question, styleFor(process.stdout)).join('\n'))
  const prompt = createPrompt()
  prompt.onInterrupt(() => prompt.close())
  try {
    const done = await askAnswer({ remote, prompt, question, say: (line) => console.log(line) })
    if (done === undefined) process.exitCode = exitCodes.waits
  } finally {
    prompt.close()
  }
}

/** Asks for the answers to a question that was shown. @returns undefined if no answer was given here */
export async function askAnswer(of: {
  remote: Remote
  prompt: Prompt
  question: Question
  say(line: string): void
  signal?: AbortSignal
}): Promise<true | undefined> {
  const { remote, prompt, question, say, signal } = of
  const answers: Answer[] = []
  for (const item of question.items) {
    for (;;) {
      const way =
        item.options.length === 0
          ? 'Answer'
          : item.isMultiple === true
            ? 'Numbers with commas, or words'
            : 'A number, or words'
      const said = await prompt.line(`${visible(item.text)} ${way} ([n] none of it, nothing: later): `, {
        isFresh: true,
        ...(signal && { signal }),
      })
      if (said === undefined || said.trim() === '') return undefined
      if (said.trim() === 'n') return give(of, { declined: true })
      const read = answerOf(item, said.trim())
      if (typeof read !== 'string') {
        answers.push(read)
        break
      }
      say(read)
    }
  }
  return give({ remote, prompt, question, say }, { answers })
}

/** @returns the answer, or the reason why the text is not an answer */
export function answerOf({ options, isMultiple, typed }: QuestionItem, said: string): Answer | string {
  if (options.length > 0 && /^\d+(\s*,\s*\d+)*$/.test(said)) {
    const chosen = said.split(',').map((one) => Number(one) - 1)
    if (chosen.some((at) => at < 0 || at >= options.length)) return `There are options 1 to ${options.length}.`
    if (chosen.length > 1 && isMultiple !== true) return 'Choose one.'
    return { chosen }
  }
  return typed === 'none' ? `Choose by number, 1 to ${options.length}.` : { text: said }
}

async function give(
  { remote, prompt, question, say }: { remote: Remote; prompt: Prompt; question: Question; say(line: string): void },
  body: AnswerBody,
): Promise<true | undefined> {
  const done = await asOperator({ remote, prompt }, 'Your password answers', async (operator) => {
    await operator.call('POST /api/questions/:id', { params: { id: question.questionId }, body })
    return true as const
  })
  say(done === true ? 'Answered.' : 'Nothing was answered; the question waits.')
  return done
}
