import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { systemClock } from 'node-kit/clock'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { findChromium } from '../../../scripts/chromium.js'
import { openDatabase } from '../../src/store/sqlite/database.ts'
import { SqliteTranscriptStore } from '../../src/store/sqlite/sessions/transcript.ts'
import { connect, run } from '../client.ts'
import { writeSession } from '../prefill.ts'
import { type Round, table } from '../report.ts'
import type { Server, Setup } from '../setup.ts'
import { median } from '../statistics.ts'
import { answerOf } from './answer.ts'
import { openGate } from './gate.ts'

const streamed = { tokens: 4_000, message: 'markdown 4000' }
const missed = 'flat 40'
const typed = 20
const width = 1440
const height = 900

const lines = [
  { title: 'first page: JavaScript, kB gzipped', most: 150 },
  { title: 'first page: CSS, kB gzipped', most: 25 },
  { title: 'first page: first contentful paint, ms', most: 1_000 },
  { title: 'first page: largest contentful paint, ms', most: 1_000 },
  { title: 'first page: layout shift', most: 0.01 },
  { title: 'first page: blocking time, ms', most: 200 },
  { title: 'a session of 2,000 messages, from the address to its end on screen, ms', most: 1_000 },
  { title: '200 tokens/s into it: tasks over 50 ms in 20 s', most: 0 },
  { title: '200 tokens/s into it: longest task, ms', most: 50 },
  { title: '200 tokens/s into it: 99th of 100 frames, ms', most: 50 },
  { title: '200 tokens/s into it: slowest key to its paint, ms', most: 100 },
  { title: '200 tokens/s into it: CPU of the page’s thread, ms for a frame', most: 16 },
  { title: 'heap after that answer less before, MB', most: 4 },
  { title: 'heap after a second answer less after the first, MB', most: 4 },
  { title: 'link back to a whole screen, ms', most: 500 },
  { title: 'scrolling 10,000 messages: worst frame, ms', most: 100 },
  { title: 'scrolling 10,000 messages: median frame, ms', most: 20 },
] as const

/** `cpuMs`: of the page's own thread, whatever else the machine does. */
type Counted = { tasks: number[]; keys: number[]; frames: number[] }
type Answered = Counted & { cpuMs: number }

type Opened = { gate: Awaited<ReturnType<typeof openGate>>; server: Server; sessionId: string }

/** The dashboard in a real browser against the built server. @returns a table, after `rounds` rounds and one to warm up. */
export async function ui(setup: Setup, rounds: number): Promise<string> {
  const executablePath = findChromium()
  if (executablePath === undefined) throw new Error('No Chromium found. Install it, or set CHROMIUM_PATH.')
  const scripts = new URL('../../../scripts/build.js', import.meta.url).href
  await ((await import(scripts)) as { buildFrontend(): Promise<void> }).buildFrontend()
  const dir = setup.newDir()
  const { long, longer } = prefill(dir)
  const server = await setup.startServer('jarvis', dir, { CHAT_HISTORY_LIMIT: '4' })
  const gate = await openGate(server.url)
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--js-flags=--expose-gc'] })
  setup.onClose(async () => {
    await browser.close()
    await gate.close()
  })
  const inBrowser = async <T>(work: (page: Page, context: BrowserContext) => Promise<T>): Promise<T> => {
    const context = await browser.newContext({ viewport: { width, height } })
    context.setDefaultTimeout(60_000)
    await context.addInitScript({ path: fileURLToPath(new URL('watch.js', import.meta.url)) })
    await context.addInitScript(`localStorage.setItem('jarvis.token', ${JSON.stringify(server.token)})`)
    try {
      return await work(await context.newPage(), context)
    } finally {
      await context.close()
    }
  }
  const measured: Round[] = []
  for (let round = 0; round <= rounds; round++) {
    const first = await inBrowser((page) => firstPage(page, gate.url))
    const streaming = await inBrowser((page) => stream(page, { gate, server, sessionId: long }))
    const scrolling = await inBrowser((page) => scroll(page, `${gate.url}/chat/${longer}`))
    if (round > 0) measured.push({ ours: [...sizes(), ...first, ...streaming, ...scrolling], base: undefined })
  }
  return table([{ row: { name: 'ui', lines, ours: async () => [] }, rounds: measured }])
}

function prefill(dataDir: string): { long: string; longer: string } {
  const database = openDatabase(`${dataDir}/jarvis.db`)
  const store = new SqliteTranscriptStore(database)
  // Answers have many lengths.
  const say = (at: number) => answerOf(((at * 7_919) % 2_400) + 200)
  const ids = database.atomically(() => ({
    long: writeSession(store, 2_000, { at: systemClock.now(), say }),
    longer: writeSession(store, 10_000, { at: systemClock.now(), say }),
  }))
  database.close()
  return ids
}

/** Sizes of the first page, by the check that guards them. */
function sizes(): number[] {
  const script = fileURLToPath(new URL('../../../jarvis-frontend/scripts/size.js', import.meta.url))
  const { stdout } = spawnSync(process.execPath, [script], { encoding: 'utf8' })
  return ['js', 'css'].map((kind) => Number(new RegExp(`^${kind}: ([\\d.]+)`, 'm').exec(stdout)?.[1]))
}

async function firstPage(page: Page, url: string): Promise<number[]> {
  await page.goto(url)
  await page.getByRole('textbox', { name: 'Message' }).waitFor()
  await page.waitForLoadState('networkidle')
  const { firstPaintMs, largestPaintMs, shift, tasks } = (await page.evaluate('bench')) as {
    firstPaintMs: number
    largestPaintMs: number
    shift: number
    tasks: { at: number; ms: number }[]
  }
  const blockedMs = tasks.filter(({ at }) => at >= firstPaintMs).reduce((sum, { ms }) => sum + ms - 50, 0)
  return [firstPaintMs, largestPaintMs, shift, blockedMs]
}

async function stream(page: Page, opened: Opened): Promise<number[]> {
  const openedAt = performance.now()
  await page.goto(`${opened.gate.url}/chat/${opened.sessionId}`)
  await page.locator('.usage').last().waitFor()
  const openMs = performance.now() - openedAt
  await page.evaluate('bench.readAll()')
  await page.evaluate('bench.toEnd()')
  const before = await heapMb(page)
  const counted = await answer(page)
  const after = await heapMb(page)
  await answer(page)
  const atLast = await heapMb(page)
  const frames = [...counted.frames].sort((a, b) => a - b)
  return [
    openMs,
    counted.tasks.length,
    Math.max(0, ...counted.tasks),
    frames[Math.floor(frames.length * 0.99)] ?? Number.NaN,
    Math.max(0, ...counted.keys),
    counted.cpuMs / counted.frames.length,
    after - before,
    atLast - after,
    await reattach(page, opened),
  ]
}

/** One answer at 200 tokens a second, into which the person types the next question. */
async function answer(page: Page): Promise<Answered> {
  const field = page.locator('#composer')
  // By class: a role would be worked out anew for the whole page, in the page, as often as it is looked for.
  const stop = page.locator('.composer .stop')
  await field.fill(streamed.message)
  await page.keyboard.press('Enter')
  await stop.waitFor()
  await page.evaluate('bench.count()')
  const cpu = await cpuFrom(page)
  const everyMs = (streamed.tokens / 200 / (typed + 2)) * 1_000
  for (let at = 0; at < typed; at++) {
    await page.keyboard.press('a')
    await page.waitForTimeout(everyMs)
  }
  await stop.waitFor({ state: 'detached' })
  const cpuMs = await cpu()
  const counted = (await page.evaluate('bench.stop()')) as Counted
  await field.fill('')
  return { ...counted, cpuMs }
}

/** @returns what tells the CPU time of the page's thread from here on, ms. */
async function cpuFrom(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const read = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1_000
  }
  const before = await read()
  return async () => (await read()) - before
}

/** Live megabytes of the page's heap, after a collection. */
async function heapMb(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  await session.detach()
  return usedSize / 1e6
}

/** From the network's return, and Try now, until the screen is whole again, with what was said meanwhile. */
async function reattach(page: Page, { gate, server, sessionId }: Opened): Promise<number> {
  gate.cut()
  await page.locator('.strip.lost').waitFor()
  const [socket] = await connect(server, ['/chat'])
  if (socket === undefined) throw new Error('no socket')
  await run(socket, missed, { sessionId })
  socket.disconnect()
  gate.mend()
  return (await page.evaluate(`bench.reattach('${missed}')`)) as number
}

async function scroll(page: Page, url: string): Promise<number[]> {
  await page.goto(url)
  await page.locator('.usage').last().waitFor()
  await page.evaluate('bench.readAll()')
  await page.evaluate('bench.toEnd()')
  await page.evaluate('bench.count()')
  await page.evaluate('bench.scroll()')
  const { frames } = (await page.evaluate('bench.stop()')) as Counted
  return [Math.max(...frames), median(frames)]
}
