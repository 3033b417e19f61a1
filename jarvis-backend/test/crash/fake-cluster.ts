import { appendFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { systemClock } from 'node-kit/clock'
import { JarvisError } from 'protocol'
import { createSimulator } from '../support/simulator.ts'
import { tasksPerSecond } from './steps.ts'

/**
 * The cluster as a process of its own, which lives on when JARVIS dies: `POST /PART/METHOD {id, args, notify}` answers
 * with JSON lines, `GET /watch` with the state at each change. Every changing request is written down, in memory and in
 * the file named on the command line, before anything is done about it.
 */
export type ClusterRequest = { id: string; method: string; args: unknown[]; at: number }
export type Line = { received: true } | { notify: string; args: unknown[] } | { result: unknown } | { error: Fault }
type Fault = { code: string; message: string }
type Call = { id: string; args: unknown[]; given?: object; notify: string[] }

const [, , recordPath = ''] = process.argv
const guests = 400
const changing = new Set(['cluster/power', 'cluster/restartService', 'api/change', 'shell/run', 'waker/wake'])

const { api, cluster, shell, waker, controls } = createSimulator({
  clock: systemClock,
  protectedTargets: new Set(),
  speed: tasksPerSecond,
})
controls.addGuests(guests)
const requests: ClusterRequest[] = []
let lateMs = 0
const record = {
  requests: () => requests,
  effects: () => controls.effects.length,
  state: () => cluster.state(),
  /** The next changing request lies on the wire that long. */
  lateNext(ms: number) {
    lateMs = ms
  },
}
const parts: Record<string, object> = { api, cluster, shell, waker, controls, record }

async function serve(path: string, call: Call, response: ServerResponse) {
  const say = (line: Line) => response.write(`${JSON.stringify(line)}\n`)
  const [part = '', method = ''] = path.split('/')
  if (changing.has(path)) {
    const waitMs = lateMs
    lateMs = 0
    if (waitMs > 0) await new Promise((arrived) => setTimeout(arrived, waitMs))
    const request = { id: call.id, method: path, args: call.args, at: Date.now() }
    requests.push(request)
    appendFileSync(recordPath, `${JSON.stringify(request)}\n`)
    say({ received: true })
  }
  // A task that has begun goes on when the client is gone, and what the client would have asked for next does not come.
  const gone = new AbortController()
  let [isBegun, hasLeft] = [false, false]
  const endSecond = () => {
    if (isBegun && hasLeft) gone.abort(new Error('the client is gone'))
  }
  // A dead client is seen at once by its end of the connection; the response would notice only when it writes.
  response.socket?.once('end', () => {
    hasLeft = true
    endSecond()
  })
  const listeners = call.notify.map((name) => [name, (...args: unknown[]) => say({ notify: name, args })] as const)
  const onTask = (...args: unknown[]) => {
    isBegun = true
    endSecond()
    say({ notify: 'onTask', args })
  }
  const options = { ...call.given, signal: gone.signal, ...Object.fromEntries(listeners), onTask }
  try {
    const run = (parts[part] as Record<string, (...args: unknown[]) => unknown>)[method]
    if (run === undefined) throw new Error(`no ${path}`)
    say({ result: (await run(...call.args, options)) ?? null })
  } catch (error) {
    const code = error instanceof JarvisError ? error.code : 'internal'
    say({ error: { code, message: String(error instanceof Error ? error.message : error) } })
  }
  response.end()
}

const server = createServer((request, response) => {
  const path = (request.url ?? '').slice(1)
  if (path === 'watch') watch(response)
  else
    read(request).then(
      (text) => serve(path, JSON.parse(text) as Call, response),
      () => response.destroy(),
    )
})

/** The state now and whenever it has changed, some twenty times a second at most. */
function watch(response: ServerResponse) {
  const send = () => response.write(`${JSON.stringify(cluster.state())}\n`)
  let timer: NodeJS.Timeout | undefined
  const unwatch = cluster.watch(() => {
    timer ??= setTimeout(() => {
      timer = undefined
      send()
    }, 50)
  })
  response.on('close', () => {
    unwatch()
    clearTimeout(timer)
  })
  send()
}

async function read(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  return text
}

process.on('disconnect', () => process.exit())
server.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
})
