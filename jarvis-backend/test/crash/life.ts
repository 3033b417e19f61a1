import { type ServerName, type StartOf, servers } from './servers.ts'

/** Where a life ends: at what is reached, the `nth` time, from 1. */
export type Death = { dieAt?: string; nth?: number }
/** A life's one argument, as JSON. */
export type Birth = Death & { name: ServerName; start: StartOf<ServerName>; jwtSecret: string }
/** Orders that a life may be given. It answers each with the outcome. */
export type Told = { say: string; sessionId?: string } | { go: true }

/** One life of a server, as a process of its own. It says where it listens, and ends without a word where it is told to die. */
const { name, start, jwtSecret, dieAt, nth = 1 } = JSON.parse(process.argv[2] ?? '') as Birth
process.on('disconnect', () => process.exit())

let left = nth
const served = await servers[name](start as never, {
  jwtSecret,
  reach(point) {
    if (point !== dieAt) return
    left -= 1
    if (left === 0) process.kill(process.pid, 'SIGKILL')
  },
})
process.on('message', (told: Told) => {
  if ('say' in told) process.send?.(served.say(told.say, told.sessionId))
  else {
    served.go?.()
    process.send?.('gone on')
  }
})
process.send?.(served.url)
