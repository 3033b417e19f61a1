import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { io } from 'socket.io-client'
import { beforeAll, onTestFinished } from 'vitest'
import type { ConfirmationRow } from '../../src/protocol/index.ts'
import type { Birth, Death, Told } from '../crash/life.ts'
import { type ServerName, type StartOf, servers } from '../crash/servers.ts'
import { folder } from './data-dir.ts'
import { killedProgram } from './killed-programs.ts'
import { migratedDatabase } from './migrated-database.ts'
import { builtMemoryWorker } from './program.ts'
import { jwtSecret, tokenFor, withStepUp } from './start-jarvis.ts'

/**
 * A server with several lives on one data dir, whose doors are those of `crash/servers.ts`. Only a life that is killed is a process of its own:
 * loading the server again is most of what a process costs.
 */
export function killedHouse<Name extends ServerName>(name: Name) {
  let program = ''
  beforeAll(async () => {
    program = await killedProgram('life')
  })
  return {
    /** A data dir that has passed its migrations. It ends with the test. */
    newDir(options?: { allChecks: boolean }): string {
      const dir = folder()
      migratedDatabase(dir, options)
      return dir
    },

    /** A life that is looked at and ends in order, in the tests' own process. It ends with the test, where not before. */
    async life(start: StartOf<Name>) {
      const memoryWorker = builtMemoryWorker()
      const around = { jwtSecret, reach: () => {}, ...(memoryWorker && { memoryWorker }) }
      const { url, say, go, stop } = await servers[name](start as never, around)
      let stopped: Promise<void> | undefined
      const end = () => {
        stopped ??= stop()
        return stopped
      }
      onTestFinished(end)
      return { ...client(url), stop: end, say: async (text: string, id?: string) => say(text, id), go }
    },

    /** A life in a process of its own, which is killed with SIGKILL: by itself at `dieAt`, or by `kill()`. It begins to listen before it dies. */
    async killedLife({ dieAt, nth, ...start }: StartOf<Name> & Death) {
      const birth = { name, start, jwtSecret, dieAt, nth } as unknown as Birth
      const child = spawn(process.execPath, [program, JSON.stringify(birth)], {
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

/** What the operator does at a life's doors. */
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
