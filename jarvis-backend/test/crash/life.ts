import { type ServerName, type StartOf, servers } from './servers.ts'

/** Where a life ends: at what is reached, the `nth` time, from 1. */
export type Death = { dieAt?: string; nth?: number }
/** A life's one argument, as JSON. */
export type Birth = Death & { name: ServerName; start: StartOf<ServerName>; jwtSecret: string }
/** What a life may be told. It answers each with what came of it. */
export type Told = { say: string; sessionId?: string } | { go: true } | { death: Death }

/** One life of a server, as a process of its own. It says where it listens, and ends without a word where it is told to die. */
const { name, start, jwtSecret, ...first } = JSON.parse(process.argv[2] ?? '') as Birth
process.on('disconnect', () => process.exit())

let { dieAt, nth: left = 1 }: Death = first
const reach = (point: string) => {
  if (point !== dieAt) return
  left -= 1
  if (left === 0) process.kill(process.pid, 'SIGKILL')
}
const served = await servers[name](start as never, { jwtSecret, reach })
process.on('message', (told: Told) => {
  if ('say' in told) process.send?.(served.say(told.say, told.sessionId))
  else if ('death' in told) {
    const { nth = 1 } = told.death
    dieAt = told.death.dieAt
    left = nth
    process.send?.('armed')
  } else {
    served.go?.()
    process.send?.('gone on')
  }
})
process.send?.(served.url)
