import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync } from 'node:fs'
import { basename } from 'node:path'
import type { ConfirmationRow } from 'protocol'
import { io } from 'socket.io-client'
import { onTestFinished } from 'vitest'
import type { Birth, Death, Told } from '../crash/life.ts'
import type { Broken } from '../crash/mutants.ts'
import { type ServerName, type StartOf, servers } from '../crash/servers.ts'
import type { Reach } from '../crash/steps.ts'
import { folder } from './data-dir.ts'
import { killedProgram } from './killed-programs.ts'
import { migratedDatabase } from './migrated-database.ts'
import { builtMemoryWorker } from './program.ts'
import { jwtSecret, tokenFor, withStepUp } from './start-jarvis.ts'

/** The remains of a kill at one moment of a life: a copy of the data dir, and the outside world as it was. */
export type Left = {
  dataDir: string
  /** Puts the outside world back, once. The life must have ended. */
  putBack(): void
}

/** The moments of a life that are kept. */
export type Moments = {
  /** As the database and the scenery reach them, and from the life's start on. */
  points: readonly string[]
  /** Keeps the outside world where it is no file of the data dir. @returns what puts it back */
  keep?: (() => () => void) | undefined
}

/** Locks and shared memory mean nothing to the next process. The memory's index has a writer of its own, and is made again. */
const isKept = (path: string) => !/^lock\.db|-shm$|^memory\.db/.test(basename(path))

/** @returns a copy of the data dir as a SIGKILL would leave it now: what is not committed is in no file that the next life reads */
function copyOf(dataDir: string): string {
  const copy = wholeCopyOf(dataDir)
  if (existsSync(`${dataDir}.key`)) cpSync(`${dataDir}.key`, `${copy}.key`)
  return copy
}

/** Copies the data dir. A process of its own may remove the view of a command meanwhile: the copy begins anew when a file is gone while it is read. */
function wholeCopyOf(dataDir: string): string {
  for (let left = 20; ; left -= 1) {
    const copy = folder()
    try {
      cpSync(dataDir, copy, { recursive: true, filter: isKept })
      return copy
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || left === 0) throw error
    }
  }
}

/** Keeps each moment at which a point is reached. A fault of keeping is told once the life is over, because the product would handle it. */
function momentsOf(dataDir: string, { points, keep = () => () => {} }: Moments) {
  const kept = new Map<string, Left[]>(points.map((point) => [point, []]))
  let fault: unknown
  const now = (): Left => ({ dataDir: copyOf(dataDir), putBack: keep() })
  const reach: Reach = (point) => {
    try {
      kept.get(point)?.push(now())
    } catch (error) {
      fault ??= error
    }
  }
  const at = (point: string, nth = 1): Left => {
    if (fault !== undefined) throw fault
    const left = kept.get(point)?.[nth - 1]
    if (left === undefined) throw new Error(`The life reached "${point}" ${kept.get(point)?.length} times, not ${nth}.`)
    return left
  }
  return { now, reach, at }
}

/**
 * A server with several lives on one data dir, whose doors are those of `crash/servers.ts`. Loading the server again is most of what a process
 * costs, so most deaths are copies: one life in the tests' own process goes on to its end, and the next ones begin from what a kill would have
 * left. `crash-copies.test.ts` holds that a copy is what a SIGKILL leaves.
 */
export function killedHouse<Name extends ServerName>(name: Name) {
  let program: Promise<string> | undefined
  const running = new Set<() => Promise<void>>()
  return {
    /** A data dir that has passed its migrations. It ends with the test. */
    newDir(options?: { allChecks: boolean }): string {
      const dir = folder()
      migratedDatabase(dir, options)
      return dir
    },

    /** A life that is looked at and ends in order, in the tests' own process. It ends with the test, where not before. */
    async life(start: StartOf<Name>, { broken, ...kept }: Moments & { broken?: Broken } = { points: [] }) {
      const memoryWorker = builtMemoryWorker()
      const { now, reach, at } = momentsOf(start.dataDir, kept)
      const around = { jwtSecret, reach, broken, memoryWorker }
      const { url, say, go, stop } = await servers[name](start as never, around)
      let stopped: Promise<void> | undefined
      const end = () => {
        running.delete(end)
        stopped ??= stop()
        return stopped
      }
      running.add(end)
      onTestFinished(end)
      return {
        ...client(url),
        stop: end,
        say: async (text: string, id?: string) => say(text, id),
        go,
        /** The remains of a kill now. */
        now,
        /** The remains of a kill as the life reached a point for the `nth` time, from 1. @throws Error if it did not */
        at,
      }
    },

    /** Judges each row by itself, and ends its lives. @throws Error with all rows that do not hold */
    async eachKill<Row extends readonly [dieAt: string, ...unknown[]]>(
      rows: readonly Row[],
      judge: (...row: Row) => Promise<void>,
    ) {
      const failed: string[] = []
      for (const row of rows) {
        try {
          await judge(...row)
        } catch (error) {
          failed.push(`killed at ${JSON.stringify(row)}: ${error instanceof Error ? error.stack : String(error)}`)
        }
        await Promise.all([...running].map((end) => end()))
      }
      if (failed.length > 0) throw new Error(failed.join('\n'))
    },

    /** A life in a process of its own, which is killed with SIGKILL: by itself at `dieAt`, or by `kill()`. It begins to listen before it dies. */
    async killedLife({ dieAt, nth, ...start }: StartOf<Name> & Death) {
      const birth = { name, start, jwtSecret, dieAt, nth } as unknown as Birth
      program ??= killedProgram('life')
      const child = spawn(process.execPath, [await program, JSON.stringify(birth)], {
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
        env: { PATH: process.env.PATH, NODE_ENV: 'production' },
      })
      const ended = once(child, 'exit').then(([code, signal]) => String(signal ?? `exit ${code}`))
      async function kill() {
        child.kill('SIGKILL')
        await ended
      }
      onTestFinished(kill)
      const url = (await answerOf(child, ended)) as string
      const tell = (told: Told) => {
        child.send(told)
        return answerOf(child, ended)
      }
      return {
        ...client(url),
        /** Resolves once it has ended, with what ended it: `SIGKILL`, or `exit 1`. */
        ended,
        hasEnded: () => child.exitCode !== null || child.signalCode !== null,
        kill,
        say: (text: string, sessionId?: string) =>
          tell({ say: text, ...(sessionId !== undefined && { sessionId }) }) as Promise<string>,
        go: () => tell({ go: true }),
      }
    },
  }
}

async function answerOf(child: ChildProcess, ended: Promise<string>): Promise<unknown> {
  const answer = (await Promise.race([once(child, 'message'), ended])) as [unknown] | string
  if (typeof answer === 'string') throw new Error(`The server ended before it answered: ${answer}.`)
  return answer[0]
}

/** The operator's acts at a life's doors. */
function client(url: string) {
  // A password counts for the token that it came with.
  const token = tokenFor('operator')
  const authorization = `Bearer ${token}`
  const request = (method: string, place: string, body?: object) => {
    const headers = { authorization, 'content-type': 'application/json' }
    const ask = () => fetch(`${url}/api/${place}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    return withStepUp(url, authorization, ask)
  }
  async function rest<T>(method: string, place: string, body?: object): Promise<T> {
    const text = await (await request(method, place, body)).text()
    return (text === '' ? undefined : JSON.parse(text)) as T
  }
  const decided = async () => (await rest<{ items: ConfirmationRow[] }>('GET', 'confirmations')).items
  return {
    url,
    token,
    /** Gives the password where it is asked for. @returns the reply as it is */
    request,
    /** Gives the password where it is asked for. @returns the reply’s JSON, whatever its status */
    rest,
    /** Reads a place, or posts to it where it is given a body. @returns the reply’s JSON, whatever its status */
    ask: <T>(place: string, body?: object) => rest<T>(body === undefined ? 'GET' : 'POST', place, body),
    /** All cards, decided or not. */
    cards: decided,
    /** The cards that nobody has decided yet. */
    waiting: async () => (await decided()).filter(({ decision }) => decision === undefined),
    /** Types a message in a chat of its own, and waits until it is acknowledged or the life has ended. */
    async types(message: string) {
      const socket = io(`${url}/chat`, { auth: { token }, transports: ['websocket'], reconnection: false })
      try {
        const reply = (await socket.emitWithAck('chat:send', { message }).catch(() => undefined)) as { ok: boolean }
        if (reply?.ok === false) throw new Error(JSON.stringify(reply))
      } finally {
        socket.disconnect()
      }
    },
  }
}
export type Life = ReturnType<typeof client>
