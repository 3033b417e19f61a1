import { type ChildProcess, spawn } from 'node:child_process'
import { onTestFinished } from 'vitest'
import { findScript } from '../../../scripts/script.js'
import { program } from './program.ts'
import type { TestJarvis } from './start-jarvis.ts'

export type Ended = { code: number | null; stdout: string; stderr: string }

type Options = { env?: Record<string, string>; input?: string }

/** The environment of a command: a server and its data dir; nothing of this machine's own settings. */
function envFor(jarvis: Pick<TestJarvis, 'url' | 'dataDir'>, more: Record<string, string> = {}) {
  const { port } = new URL(jarvis.url)
  return {
    PATH: process.env.PATH ?? '',
    HOME: jarvis.dataDir,
    TERM: 'xterm',
    JARVIS_DATA_DIR: jarvis.dataDir,
    PORT: port,
    HOST: '127.0.0.1',
    LOG_LEVEL: 'silent',
    ...more,
  }
}

/** Runs the command line in pipes. `said` resolves with standard error once it has such a text. */
export function shell(jarvis: TestJarvis, args: readonly string[], { env, input = '' }: Options = {}) {
  const child = spawn(process.execPath, [...program('cli'), ...args], { env: envFor(jarvis, env), cwd: jarvis.dataDir })
  child.stdin.end(input)
  const heard = listen(child)
  return { child, ended: heard.ended, said: heard.until }
}

/** Runs it at a pseudo-terminal, of which both outputs are one. */
export function terminal(
  jarvis: TestJarvis,
  args: readonly string[],
  { env, columns = 100 }: { env?: Record<string, string>; columns?: number } = {},
) {
  const quoted = [process.execPath, ...program('cli'), ...args].map((word) => `'${word}'`).join(' ')
  const command = `stty cols ${columns} rows 40; exec ${quoted}`
  const child = spawn(findScript() ?? 'script', ['-qfec', command, '/dev/null'], {
    env: envFor(jarvis, env),
    cwd: jarvis.dataDir,
  })
  const heard = listen(child)
  return {
    ended: heard.ended,
    shown: heard.until,
    /** All that was shown until now, without colours. */
    text: heard.text,
    type: (keys: string) => void child.stdin.write(keys),
  }
}

/** Colours, and where the cursor goes. */
const codes = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*[A-Za-z]`, 'g')

function listen(child: ChildProcess) {
  const texts = { stdout: '', stderr: '' }
  let isOver = false
  /** Up to where a text was found before. */
  let from = 0
  const wake: (() => void)[] = []
  const tell = () => {
    for (const run of wake.splice(0)) run()
  }
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.on('data', (piece: Buffer) => {
      texts[name] += piece.toString()
      tell()
    })
  const ended = new Promise<Ended>((resolve) =>
    child.on('close', (code) => {
      isOver = true
      resolve({ code, ...texts })
      tell()
    }),
  )
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return {
    ended,
    text: () => texts.stdout.replace(codes, ''),
    /** The first such text, without colours, after the one that was found before. */
    async until(text: string): Promise<void> {
      for (;;) {
        const all = (texts.stderr === '' ? texts.stdout : texts.stderr).replace(codes, '')
        const at = all.indexOf(text, from)
        if (at >= 0) {
          from = at + text.length
          return
        }
        if (isOver) throw new Error(`It ended before ${JSON.stringify(text)}: ${texts.stdout}\n${texts.stderr}`)
        await new Promise<void>((resolve) => wake.push(resolve))
      }
    },
  }
}
