import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import type { Reading } from './probe.ts'

/** A process the bench started. */
export type Started = {
  url: string
  pid: number
  /** From spawning it until it said where it listens. */
  readyMs: number
  read(what?: 'collect'): Promise<Reading>
  stop(): Promise<void>
}

const killAfterMs = 15_000

/**
 * Starts a script with nothing of our own environment, and waits until it prints `… is at URL`.
 * @param nodeArgs for Node, before the script
 * @throws Error when it ends before that.
 */
export async function start(
  script: string,
  options: { probe: string; cwd: string; nodeArgs?: readonly string[]; env?: Record<string, string> },
): Promise<Started> {
  const startedAt = performance.now()
  const child = spawn(
    process.execPath,
    ['--expose-gc', '--import', pathToFileURL(options.probe).href, ...(options.nodeArgs ?? []), script],
    {
      cwd: options.cwd,
      env: { PATH: process.env.PATH, NODE_ENV: 'production', ...options.env },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    },
  )
  const url = await addressOf(child, script)
  const readyMs = performance.now() - startedAt
  return {
    url,
    pid: child.pid ?? 0,
    readyMs,
    async read(what) {
      const reading = once(child, 'message')
      child.send(what ?? 'read')
      return (await reading)[0] as Reading
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill()
      const killer = setTimeout(() => child.kill('SIGKILL'), killAfterMs)
      await ended
      clearTimeout(killer)
    },
  }
}

function addressOf(child: ChildProcess, script: string): Promise<string> {
  return new Promise((resolve, reject) => {
    child.on('exit', (code) => reject(new Error(`${script} ended with ${code}`)))
    child.on('error', reject)
    if (child.stdout === null) return
    createInterface(child.stdout).on('line', (line) => {
      const url = / is at (http:\S+)$/.exec(line)?.[1]
      if (url !== undefined) resolve(url)
      // Whatever a server logs at this level is worth seeing.
      else if (line.startsWith('{')) console.error(line)
    })
  })
}
