import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { JarvisError } from 'protocol'

export type Streams = { input: NodeJS.ReadableStream; output: NodeJS.WritableStream; isTerminal: boolean }

/** Asks a person at a terminal, or reads the answers from a pipe. */
export type Questions = {
  say(text: string): void
  /** @returns the trimmed line, or the fallback for an empty one */
  ask(question: string, fallback?: string): Promise<string>
  /** Asks without echoing the input. */
  askSecret(question: string): Promise<string>
  /** Asks again until the answer is yes or no. */
  confirm(question: string, fallback: boolean): Promise<boolean>
  /** Aborts when the person presses Ctrl-C. */
  signal: AbortSignal
  close(): void
}

/** Every question throws JarvisError `invalid_request` if the input ends or a person presses Ctrl-C. */
export function createQuestions({ input, output, isTerminal }: Streams): Questions {
  let isMuted = false
  const shown = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (!isMuted) output.write(chunk)
      done()
    },
  })
  // The prompt has no history, because a history would keep secrets.
  const lines = createInterface({ input, output: shown, terminal: isTerminal, historySize: 0 })
  const ending = new AbortController()
  const stopped = new JarvisError('invalid_request', 'Stopped: nothing was changed.')
  lines.on('SIGINT', () => {
    ending.abort(stopped)
    lines.close()
  })
  // Piped lines arrive before their questions; the iterator keeps them, while `question()` would lose them.
  const answers = lines[Symbol.asyncIterator]()

  async function next(): Promise<string> {
    const { done, value } = await answers.next()
    ending.signal.throwIfAborted()
    if (done === true) throw new JarvisError('invalid_request', 'The answers ended: nothing was changed.')
    return value
  }
  /** Prints a question. On a terminal readline prints it, so that editing the line redraws it correctly. */
  function put(question: string) {
    if (!isTerminal) {
      output.write(question)
      return
    }
    lines.setPrompt(question)
    lines.prompt()
  }

  async function ask(question: string, fallback?: string): Promise<string> {
    put(`${question}${fallback === undefined || fallback === '' ? '' : ` [${fallback}]`}: `)
    const answer = (await next()).trim()
    if (!isTerminal) output.write('\n')
    return answer === '' ? (fallback ?? '') : answer
  }

  return {
    say: (text) => void output.write(`${text}\n`),
    ask,
    async askSecret(question) {
      isMuted = true
      output.write(`${question}: `)
      try {
        return (await next()).trim()
      } finally {
        isMuted = false
        output.write('\n')
      }
    },
    async confirm(question, fallback) {
      for (;;) {
        const answer = (await ask(`${question} ${fallback ? '[Y/n]' : '[y/N]'}`)).toLowerCase()
        if (answer === '') return fallback
        if (/^y(es)?$/.test(answer)) return true
        if (/^no?$/.test(answer)) return false
      }
    },
    signal: ending.signal,
    close: () => lines.close(),
  }
}
