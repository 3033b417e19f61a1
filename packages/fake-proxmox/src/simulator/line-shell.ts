import type { CommandOutput, TerminalSession } from 'homelab-ports/ports'

const word = /'([^']*)'|"([^"]*)"|(\|)|([^\s'"|]+)/g

const control = String.fromCharCode(27)
/** Matches one key: an escape sequence such as a cursor key, a line end, or one character. */
const nextKey = new RegExp(`^(?:${control}\\[[0-9;]*[@-~]?|${control}O?.?|\r\n|.)`, 'su')

type Answer = Pick<CommandOutput, 'stdout' | 'stderr'>

/** A minimal shell: one line at a time, quotes and pipes. @param shell.run answers the programs of one line */
export function lineShell(
  shell: { greeting: string; prompt: string; run(stages: string[][], signal: AbortSignal): Promise<Answer> },
  { onOutput, onEnd }: { onOutput(data: string): void; onEnd(code?: number): void },
): TerminalSession {
  const { prompt } = shell
  const ended = new AbortController()
  /** Input that arrived while a command was running. */
  let input = ''
  let line = ''
  let isBusy = false
  let isHeld = true
  let held = `${shell.greeting.replaceAll('\n', '\r\n')}${prompt}`

  const show = (text: string) => {
    held += text.replaceAll('\n', '\r\n')
    if (isHeld || held === '') return
    const out = held
    held = ''
    onOutput(out)
  }
  function end(code?: number) {
    if (ended.signal.aborted) return
    ended.abort(new Error('the terminal was closed'))
    onEnd(code)
  }

  async function run(text: string) {
    const stages: string[][] = [[]]
    for (const [, single, double, pipe, plain] of text.matchAll(word)) {
      if (pipe === undefined) stages.at(-1)?.push(single ?? double ?? plain ?? '')
      else stages.push([])
    }
    if (text.trim() === '') return
    if (/^(exit|logout)\b/.test(text.trim())) return end(0)
    try {
      const { stdout, stderr } = await shell.run(stages, ended.signal)
      show(stdout + stderr)
    } catch (error) {
      if (ended.signal.aborted) return
      show(`${error instanceof Error ? error.message : String(error)}\n`)
      end()
    }
  }

  async function read() {
    if (isBusy) return
    isBusy = true
    while (input !== '' && !ended.signal.aborted) {
      const key = nextKey.exec(input)?.[0] ?? input
      input = input.slice(key.length)
      if (key === '\r' || key === '\n' || key === '\r\n') {
        const text = line
        line = ''
        show('\n')
        await run(text)
        if (!ended.signal.aborted) show(prompt)
      } else if (key === '\x7f' || key === '\b') {
        if (line !== '') show('\b \b')
        line = [...line].slice(0, -1).join('')
      } else if (key === '\x03') {
        line = ''
        show(`^C\n${prompt}`)
      } else if (key === '\x04') {
        if (line !== '') continue
        show('logout\n')
        end(0)
      } else if (key >= ' ') {
        line += key
        show(key)
      }
    }
    isBusy = false
  }

  const session: TerminalSession = {
    write(data) {
      input += data
      void read()
    },
    resize() {},
    pause() {
      isHeld = true
    },
    resume() {
      isHeld = false
      show('')
    },
    close: () => end(),
  }
  return session
}
