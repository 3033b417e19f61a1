import type { Socket } from 'socket.io-client'
import { browserRow } from './browser.ts'
import { cacheRow } from './cache.ts'
import { connect, connectMany, type Run, run } from './client.ts'
import { clusterRow } from './cluster.ts'
import { gateRow } from './gate.ts'
import { loopRow, loopWithMemoryRow } from './loop.ts'
import { callOverMcp, keepAnswer, mcpToken } from './mcp.ts'
import { pageRow } from './page.ts'
import { prefill } from './prefill.ts'
import { rememberRow } from './remember.ts'
import { sandboxRow } from './sandbox.ts'
import { runOverEvents } from './session-events.ts'
import { lazily, type Pool, type Server, type Setup } from './setup.ts'
import { signInRow } from './sign-in.ts'
import { signedRow } from './signed.ts'
import { median, quantile } from './statistics.ts'
import { toolsRow } from './tool-tokens.ts'
import { runOverV1, waitOverV1 } from './v1.ts'
import { watchRow } from './watch.ts'
import { whoAsksRow } from './who-asks.ts'
import { charsOf } from './words.ts'

/** At most `most`, of the baseline or, without one, in the row's unit; absent: no goal. */
type Line = { title: string; most?: number }

export type Row = {
  name: string
  lines: readonly Line[]
  /** One round: a value for each line. */
  ours(): Promise<number[]>
  base?: { name: string; measure(): Promise<number[]>; isGoal: boolean }
}

const chats = 50
const manyChats = 200
const watchers = 20
const turns = 100
const historyTurns = 40
const openings = 20
const idleSockets = 300
const waitingCount = 200
const cardsOfToken = 5
/** Enough that a round's 99th of a hundred is not its slowest. */
const stamps = 400

/** The upstream splits at spaces. */
const handedOver = 'call delegate {"agent":"main","task":"call\\u0020get_cluster_status"}'

/** Words of sessions that another process wrote are indexed once, at the first start. */
async function searchable({ url, token }: Server) {
  for (let isIndexing = true; isIndexing; ) {
    const response = await fetch(`${url}/api/sessions?limit=1`, { headers: { authorization: `Bearer ${token}` } })
    const page = (await response.json()) as { isIndexing?: true }
    isIndexing = page.isIndexing === true
  }
}

export function createRows(setup: Setup): Row[] {
  const measured = new Measured(setup)
  return [
    ...mcpRows(setup),
    ...streamRows(measured),
    ...callRows(measured),
    ...historyRows(measured),
    ...serverRows(setup),
    cacheRow(setup),
    rememberRow(setup),
    clusterRow(setup),
    watchRow(),
    gateRow(),
    signInRow(setup),
    whoAsksRow,
    toolsRow(),
    sandboxRow,
    pageRow(setup),
    browserRow(),
    signedRow(setup),
  ]
}

/** The servers that several rows share. Each is started for the first row that needs it. */
class Measured {
  readonly setup: Setup
  /** A server with the sessions of `prefill`. */
  readonly history: () => Promise<{ pool: Pool; long: string; middle: string; takeShort(): string }>
  /** A server of its own for rows that compare with it: the other rows leave sessions behind. */
  readonly fresh: () => Promise<Pool>
  /** A server with the token of a program. */
  readonly programs: () => Promise<{ pool: Pool; token: string }>

  constructor(setup: Setup) {
    this.setup = setup
    this.history = lazily(async () => {
      const dir = setup.newDir()
      const sessions = prefill(dir)
      const server = await setup.startServer('jarvis', dir)
      await searchable(server)
      return { pool: await setup.openPool(server), ...sessions }
    })
    this.fresh = lazily(async () => setup.openPool(await setup.startServer('jarvis', setup.newDir())))
    this.programs = lazily(async () => {
      const dir = setup.newDir()
      const pool = await setup.openPool(await setup.startServer('jarvis', dir))
      return { pool, token: mcpToken(dir) }
    })
  }

  /** The same on JARVIS and on the relay. */
  both(measure: (pool: Pool) => Promise<number | number[]>): Pick<Row, 'ours' | 'base'> {
    const on = (name: 'jarvis' | 'relay') => async () => [await measure(await this.setup.pool(name))].flat()
    return { ours: on('jarvis'), base: { name: 'relay', measure: on('relay'), isGoal: true } }
  }
}

function mcpRows(setup: Setup): Row[] {
  const ownMcp = lazily(async () => {
    const dir = setup.newDir()
    const server = await setup.startServer('jarvis', dir)
    return warmed({ server, token: mcpToken(dir) })
  })
  const bareMcp = lazily(async () => {
    const own = await ownMcp()
    const dir = setup.newDir()
    const answer = await keepAnswer(own.server.url, own.token, dir)
    return warmed({ server: await setup.startServer('mcp-sdk', dir, { MCP_ANSWER: answer }), token: 'none' })
  })
  const overMcp = (open: typeof ownMcp, era: McpEra) => async () => {
    const { server, token } = await open()
    return [(await cpuOf(server, () => callOverMcp(server.url, token, era))) * 1_000]
  }
  const row = (name: string, title: string, era: McpEra): Row => ({
    name,
    lines: [{ title: `1,000 green calls over MCP, ${title}, CPU ms`, most: 1.3 }],
    ours: overMcp(ownMcp, era),
    base: { name: 'the bare SDK', measure: overMcp(bareMcp, era), isGoal: true },
  })
  return [row('mcp', '2026-07-28', 'current'), row('mcp-older', '2025-11-25', 'older')]
}

type McpEra = 'current' | 'older'

/** Both serve for days where they run; one round is not enough for either to be compiled. */
async function warmed<T extends { server: Server; token: string }>(warm: T): Promise<T> {
  for (const era of ['current', 'older', 'current', 'older'] as const) {
    await callOverMcp(warm.server.url, warm.token, era)
  }
  return warm
}

function streamRows(measured: Measured): Row[] {
  const { setup, programs } = measured
  return [
    {
      name: 'tokens',
      lines: [{ title: '50 chats flat out, CPU ms per 1,000 tokens', most: 0.45 }],
      ...measured.both((pool) => streaming(pool, { pace: 'flat', tokens: 400 })),
    },
    {
      name: 'tokens-200',
      lines: [
        { title: '200 chats flat out, CPU ms per 1,000 tokens', most: 0.45 },
        { title: 'RSS after 200 chats flat out, MB', most: 1.2 },
      ],
      ...measured.both(async (pool) => [
        await streaming(pool, { pace: 'flat', tokens: 400, count: manyChats }),
        megabytes((await pool.server.read()).rssBytes),
      ]),
    },
    {
      name: 'paced',
      lines: [{ title: '50 chats of 50 tokens/s, CPU ms per 1,000 tokens', most: 0.85 }],
      ...measured.both((pool) => streaming(pool, { pace: 'paced', tokens: 200 })),
    },
    {
      name: 'v1',
      lines: [{ title: '50 streams over /v1 flat out, CPU ms per 1,000 tokens', most: 1.1 }],
      async ours() {
        const { pool, token } = await programs()
        return [await streamingOverV1(pool.server, token, 2_000)]
      },
      base: {
        name: '/chat',
        isGoal: true,
        measure: async () => [await streaming((await programs()).pool, { pace: 'flat', tokens: 2_000 })],
      },
    },
    {
      name: 'events',
      lines: [{ title: '50 streams of events flat out, CPU ms per 1,000 tokens', most: 1.1 }],
      ours: async () => [await streamingOverEvents((await programs()).pool.server, 2_000)],
      base: {
        name: '/chat',
        isGoal: true,
        measure: async () => [await streaming((await programs()).pool, { pace: 'flat', tokens: 2_000 })],
      },
    },
    {
      name: 'v1-waiting',
      lines: [{ title: 'stream over /v1 whose card waits, live kB', most: 40 }],
      ours: async () => [await waitingStreams(setup)],
    },
  ]
}

function callRows(measured: Measured): Row[] {
  const { fresh } = measured
  return [
    {
      name: 'latency',
      lines: [
        { title: 'added latency p50, one chat, µs', most: 0.9 },
        { title: 'added latency p99, one chat, µs', most: 1.2 },
      ],
      ...measured.both(latency),
    },
    {
      name: 'tool',
      lines: [{ title: 'one round of a green tool call, CPU ms', most: 1 }],
      ...measured.both(({ server, sockets }) =>
        cpuOf(server, () => oneByOne(turns, (i) => run(at(sockets, i), 'call get_cluster_status'))),
      ),
    },
    loopRow(measured.setup),
    loopWithMemoryRow(measured.setup),
    {
      name: 'child',
      lines: [{ title: 'a child run with one green call, CPU ms' }],
      async ours() {
        const { server, sockets } = await fresh()
        return [await cpuOf(server, () => oneByOne(turns, (i) => run(at(sockets, i), handedOver)))]
      },
      base: {
        name: 'the call itself',
        isGoal: false,
        async measure() {
          const { server, sockets } = await fresh()
          return [await cpuOf(server, () => oneByOne(turns, (i) => run(at(sockets, i), 'call get_cluster_status')))]
        },
      },
    },
    {
      name: 'confirm',
      lines: [
        { title: 'confirm → result p50, ms', most: 1.2 },
        { title: 'a whole red call, CPU ms', most: 1.5 },
      ],
      ...measured.both(confirming),
    },
  ]
}

const historyRows = ({ history, fresh }: Measured): Row[] => [
  {
    name: 'history',
    lines: [{ title: 'a turn at 5,000 messages, CPU ms', most: 1.15 }],
    async ours() {
      const { pool, long } = await history()
      return [await turnsIn(pool, () => long)]
    },
    base: {
      name: 'a turn at 10',
      isGoal: true,
      async measure() {
        const { pool, takeShort } = await history()
        return [await turnsIn(pool, takeShort)]
      },
    },
  },
  {
    name: 'open',
    lines: [{ title: 'opening a session of 5,000 messages, ms p50', most: 1.5 }],
    async ours() {
      const { pool, long } = await history()
      return [await opening(pool, long)]
    },
    base: {
      name: 'one of 50',
      isGoal: true,
      async measure() {
        const { pool, middle } = await history()
        return [await opening(pool, middle)]
      },
    },
  },
  {
    name: 'sessions',
    lines: [{ title: 'a new chat among 840 sessions, CPU ms', most: 1.15 }],
    async ours() {
      const { pool } = await history()
      return [await turnsIn(pool)]
    },
    base: {
      name: 'in a new database',
      isGoal: true,
      measure: async () => [await turnsIn(await fresh())],
    },
  },
]

function serverRows(setup: Setup): Row[] {
  const startDirs = { jarvis: lazily(setup.newDir), relay: lazily(setup.newDir) }
  const starting = (name: 'jarvis' | 'relay') => async () => {
    const server = await setup.startServer(name, startDirs[name]())
    const ready = await server.read()
    const [socket] = await connect(server, ['/chat'])
    await run(only(socket), 'flat 8')
    const used = await server.read()
    await server.stop()
    return [server.readyMs, megabytes(ready.rssBytes), megabytes(used.rssBytes)]
  }
  return [
    {
      name: 'start',
      lines: [
        { title: 'ready, ms', most: 600 },
        { title: 'RSS when ready, MB', most: 100 },
        { title: 'RSS after a first chat, MB', most: 100 },
      ],
      ours: starting('jarvis'),
      base: { name: 'relay', measure: starting('relay'), isGoal: false },
    },
    {
      name: 'idle',
      lines: [{ title: 'idle socket in three namespaces, live kB', most: 20 }],
      ours: async () => [await idle(await setup.startServer('jarvis', setup.newDir()))],
    },
    {
      name: 'watchers',
      lines: [{ title: 'one chat flat out to 20 watchers, CPU ms per 1,000 deliveries', most: 4 }],
      ours: async () => [await watching(await setup.pool('jarvis'))],
    },
  ]
}

/** CPU ms of the server while `work` goes on, for each of what it returns. */
async function cpuOf(server: Server, work: () => Promise<{ length: number }>): Promise<number> {
  const before = await server.read()
  const { length } = await work()
  return ((await server.read()).cpuMs - before.cpuMs) / length
}

async function oneByOne<T>(count: number, work: (i: number) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  for (let i = 0; i < count; i++) results.push(await work(i))
  return results
}

type Stream = { pace: 'flat' | 'paced'; tokens: number; count?: number }

async function streaming({ server, sockets }: Pool, { pace, tokens, count = chats }: Stream): Promise<number> {
  const perToken = await cpuOf(server, async () => {
    const runs = await Promise.all(sockets.slice(0, count).map((socket) => run(socket, `${pace} ${tokens}`)))
    for (const { chars } of runs) mustBeWhole(chars, tokens)
    return { length: runs.length * tokens }
  })
  return perToken * 1000
}

async function streamingOverV1(server: Server, token: string, tokens: number): Promise<number> {
  const perToken = await cpuOf(server, async () => {
    const answers = Array.from({ length: chats }, () => runOverV1(server.url, token, `flat ${tokens}`))
    for (const chars of await Promise.all(answers)) mustBeWhole(chars, tokens)
    return { length: answers.length * tokens }
  })
  return perToken * 1000
}

async function streamingOverEvents(server: Server, tokens: number): Promise<number> {
  const perToken = await cpuOf(server, async () => {
    const answers = Array.from({ length: chats }, () => runOverEvents(server, `flat ${tokens}`))
    for (const chars of await Promise.all(answers)) mustBeWhole(chars, tokens)
    return { length: answers.length * tokens }
  })
  return perToken * 1000
}

/** From the upstream's write to the client's event: the median, and the 99th of a hundred. */
async function latency({ sockets }: Pool): Promise<number[]> {
  const delays: number[] = []
  let text = ''
  await run(at(sockets, 0), `stamped ${stamps}`, {
    onText(piece) {
      const nowUs = Number(process.hrtime.bigint() / 1000n)
      const whole = (text + piece).split('.')
      text = whole.pop() ?? ''
      for (const stamp of whole) delays.push(nowUs - Number(stamp))
    },
  })
  if (delays.length !== stamps) throw new Error(`${delays.length} of ${stamps} tokens came`)
  return [median(delays), quantile(delays, 0.99)]
}

async function confirming({ server, sockets }: Pool): Promise<number[]> {
  let runs: Run[] = []
  const cpuMs = await cpuOf(server, async () => {
    // A VM that is off: the cluster says so at once, and what is left is our own time.
    runs = await oneByOne(turns, (i) => run(at(sockets, i), 'call restart_vm {"vmid":142}'))
    return runs
  })
  const confirmed = runs.flatMap(({ confirmMs }) => confirmMs)
  if (confirmed.length !== turns) throw new Error(`${confirmed.length} of ${turns} calls were confirmed`)
  return [median(confirmed), cpuMs]
}

/** Measures one socket alone: an asker stays attached, and each further asker would have to be told. */
const turnsIn = ({ server }: Pool, sessionOf?: () => string) =>
  withSocket(server, (socket) =>
    cpuOf(server, () =>
      oneByOne(historyTurns, () => run(socket, 'flat 8', sessionOf ? { sessionId: sessionOf() } : {})),
    ),
  )

/** From `chat:attach` to the whole snapshot. */
const opening = ({ server }: Pool, sessionId: string) =>
  withSocket(server, async (socket) => {
    const took = await oneByOne(openings, async () => {
      const since = performance.now()
      const reply = (await socket.emitWithAck('chat:attach', { sessionId })) as { ok: boolean }
      if (!reply.ok) throw new Error('the session could not be opened')
      return performance.now() - since
    })
    return median(took)
  })

/** A fresh one, for it may make 100 requests a second. */
async function withSocket<T>(server: Server, work: (socket: Socket) => Promise<T>): Promise<T> {
  const socket = only((await connect(server, ['/chat']))[0])
  try {
    return await work(socket)
  } finally {
    socket.disconnect()
  }
}

async function idle(server: Server): Promise<number> {
  const open = (count: number) => connectMany(server, ['/chat', '/cluster', '/events'], count)
  // The first sockets' permanent cost is not counted.
  await open(20)
  const before = await server.read('collect')
  await open(idleSockets)
  const after = await server.read('collect')
  await server.stop()
  return (after.liveBytes - before.liveBytes) / idleSockets / 1000
}

/** A token may have five cards at a time. */
async function waitingStreams(setup: Setup): Promise<number> {
  const dir = setup.newDir()
  const server = await setup.startServer('jarvis', dir)
  const open = async (count: number) => {
    for (let left = count; left > 0; left -= cardsOfToken) {
      const token = mcpToken(dir, `bench-${count}-${left}`)
      await Promise.all(Array.from({ length: cardsOfToken }, () => waitOverV1(server.url, token)))
    }
  }
  // Code that is compiled on the way is no part of a stream.
  await open(60)
  const before = await server.read('collect')
  await open(waitingCount)
  const after = await server.read('collect')
  await server.stop()
  return (after.liveBytes - before.liveBytes) / waitingCount / 1000
}

async function watching({ server, sockets }: Pool): Promise<number> {
  const tokens = 5_000
  const [sender, ...others] = sockets.slice(0, watchers)
  const { sessionId } = await run(only(sender), 'flat 8')
  await Promise.all(others.map((socket) => socket.emitWithAck('chat:attach', { sessionId })))
  let chars = 0
  const onToken = ({ text }: { text: string }) => {
    chars += text.length
  }
  const perDelivery = await cpuOf(server, async () => {
    for (const socket of others) socket.on('chat:token', onToken)
    const ended = others.map((socket) => new Promise((done) => socket.once('chat:done', done)))
    await Promise.all([run(only(sender), `flat ${tokens}`, { sessionId }), ...ended])
    for (const socket of others) socket.off('chat:token', onToken)
    mustBeWhole(chars / others.length, tokens)
    return { length: watchers * tokens }
  })
  return perDelivery * 1000
}

function mustBeWhole(chars: number, tokens: number) {
  const sent = charsOf(tokens)
  if (chars !== sent) throw new Error(`${chars} of ${sent} characters came`)
}

const megabytes = (bytes: number) => bytes / 1e6

const at = (sockets: readonly Socket[], i: number): Socket => only(sockets[i % sockets.length])

function only<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('nothing there')
  return value
}
