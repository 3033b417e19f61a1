import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { killedProgram } from '../support/killed-programs.ts'
import type { Start } from './server.ts'

export class LifeEnded extends Error {}

/** One life of the server. */
export type Life = {
  url: string
  /** Resolves when it has ended, with what ended it: `SIGKILL`, or `exit 1`. */
  ended: Promise<string>
  hasEnded(): boolean
  kill(): void
  /** Asks it to end by itself. */
  stop(): void
}

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/**
 * Starts processes and knows them all, so that none is left behind. They are bundled: a life begins at once.
 * @param died told of one that ended by itself
 */
export async function createProcesses(died: (how: string) => void) {
  const programs = { server: await killedProgram('server'), 'fake-cluster': await killedProgram('fake-cluster') }
  const alive = new Set<ChildProcess>()
  let isClosed = false

  function run(name: keyof typeof programs, args: readonly string[] = []) {
    if (isClosed) throw new LifeEnded('The experiment is over.')
    const child = spawn(process.execPath, ['--enable-source-maps', programs[name], ...args], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { PATH: process.env.PATH, NODE_ENV: 'production' },
      cwd: path('../../..'),
    })
    alive.add(child)
    const ended = once(child, 'exit').then(([code, signal]) => {
      alive.delete(child)
      const how = signal === null ? `exit ${String(code)}` : String(signal)
      if (how !== 'SIGKILL' && how !== 'exit 0') died(`${name} ended with ${how}`)
      return how
    })
    const message = async () => {
      const first = await Promise.race([once(child, 'message'), ended])
      if (typeof first === 'string') throw new LifeEnded(`${name} ended: ${first}`)
      return first[0] as unknown
    }
    return { child, ended, message, first: message() }
  }

  // The next life is loaded while the present one lives, so that a restart takes no time.
  let next: ReturnType<typeof run> | undefined
  const load = () => {
    const standby = run('server')
    standby.first.catch(() => {})
    return standby
  }

  return {
    async startCluster(recordPath: string): Promise<{ url: string; end(): void }> {
      const { child, first } = run('fake-cluster', [recordPath])
      const { url } = (await first) as { url: string }
      return { url, end: () => void child.kill('SIGKILL') }
    },
    /** @throws LifeEnded where it is killed before it listens. */
    async startServer(start: Start): Promise<Life> {
      const { child, ended, message, first } = next ?? load()
      next = load()
      await first
      const listening = message()
      child.send(start)
      const { url } = (await listening) as { url: string }
      let hasEnded = false
      void ended.then(() => {
        hasEnded = true
      })
      return {
        url,
        ended,
        hasEnded: () => hasEnded,
        kill: () => void child.kill('SIGKILL'),
        stop: () => void child.kill('SIGTERM'),
      }
    },
    close() {
      isClosed = true
      for (const child of alive) child.kill('SIGKILL')
    },
  }
}
