import type { CDPSession, Page } from 'playwright-core'
import { expect } from 'vitest'
import { assistant, call, entriesOf, type LooseEntry, ran, text, usage, user } from '../scenery/entries.ts'
import { morning } from '../scenery/scenes/morning.ts'
import type { Stage, View } from './browser.ts'

export const done = { type: 'done' as const, usage, stopReason: 'end_turn' as const }
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** Exchanges as uneven as real ones: one line, long prose, code, tables, diagrams and pictures that come late. */
function exchange(at: number, diagramEvery: number): LooseEntry[] {
  const parts = [
    `Answer ${at}.`,
    ...(at % 2 === 0 ? [`Many words of it. ${'They go on for a while, then stop. '.repeat((at * 37) % 50)}`] : []),
    ...(at % 3 === 0 ? [`| guest | CPU |\n|---|---|\n${`| 123 frigate | ${at} % |\n`.repeat((at % 9) + 1)}`] : []),
    ...(at % 5 === 0 ? [`\`\`\`bash\n${'for id in 1 2 3; do qm status $id; done\n'.repeat((at % 40) + 1)}\`\`\``] : []),
    ...(at % diagramEvery === 3 ? [`\`\`\`mermaid\nflowchart TD\n  A${at} --> B --> C --> D\n\`\`\``] : []),
  ]
  const seen = ran(call(`t${at}`, 'look'), 'green', { summary: 'a picture', durationMs: 5 }).map((entry) =>
    entry.type === 'tool_result'
      ? { ...entry, images: [{ id: 'seen', mimeType: 'image/png' as const, bytes: picture.length }] }
      : entry,
  )
  return [
    user(`Question ${at}${at % 13 === 0 ? `\n${'and a second line\n'.repeat(at % 8)}` : ''}`),
    ...(at % 11 === 0 ? seen : []),
    assistant(text(parts.join('\n\n'))),
    done,
  ].map((entry) => ({ ...entry, runId: `run_${at}` }))
}

/** A session of so many exchanges; the newest 33 come with it, the others page by page. */
export async function openLong(
  stage: Stage,
  exchanges: number,
  { diagramEvery = 16, ...view }: View & { diagramEvery?: number } = {},
) {
  const all = Array.from({ length: exchanges }, (_, at) => exchange(at, diagramEvery))
  const entries = entriesOf(all.flat(), Date.now() - 50_000_000)
  const known = entries.findIndex(({ runId }) => runId === `run_${exchanges - 33}`)
  const server = await stage.play({
    ...morning(Date.now()),
    pictures: { seen: ['image/png', picture] },
    sessions: [
      {
        id: 'ses_one',
        title: 'One',
        updatedAt: Date.now(),
        entries: entries.slice(known),
        earlier: entries.slice(0, known),
      },
    ],
  })
  const page = await stage.open(server, '/chat/ses_one', view)
  await page.getByText(`Answer ${exchanges - 1}.`).waitFor()
  await page.evaluate(watchScroll)
  return { page, server }
}

/** Runs in the page: what is on screen, told after it was painted. */
function watchScroll() {
  const element = document.querySelector('.stream') as HTMLElement
  const frame = () => new Promise((next) => requestAnimationFrame(next))
  const rows = () => {
    const { top, bottom } = element.getBoundingClientRect()
    return [...element.querySelectorAll<HTMLElement>('[data-row]')]
      .map((row) => ({ at: Number(row.dataset.row?.slice(4)), box: row.getBoundingClientRect() }))
      .filter(({ box }) => box.bottom > top && box.top < bottom)
      .map(({ at, box }) => ({ at, top: box.top - top, bottom: box.bottom - top }))
  }
  const scroll = {
    /**
     * `blankPx`: how much of the screen's height shows no exchange, though there is one.
     * @param slowPx a movement that is let go on: the most in a frame
     */
    async look(slowPx = 0) {
      // A key scrolls smoothly: wait until it rests.
      let [still, before] = [0, -1]
      while (still < 3) {
        await frame()
        still = Math.abs(element.scrollTop - before) <= slowPx ? still + 1 : 0
        before = element.scrollTop
      }
      const seen = rows()
      const list = element.querySelector('[data-row]')?.parentElement?.getBoundingClientRect()
      const { top, bottom } = element.getBoundingClientRect()
      const wanted = Math.max(0, Math.min(bottom, list?.bottom ?? 0) - Math.max(top, list?.top ?? 0))
      const covered = seen.reduce(
        (px, row) => px + Math.min(row.bottom, element.clientHeight) - Math.max(row.top, 0),
        0,
      )
      return { first: seen[0], last: seen.at(-1), blankPx: Math.round(wanted - covered), topPx: element.scrollTop }
    },
    /**
     * Watches which exchanges each frame shows, until what it returns is called: the frames that went back, or passed
     * more than one exchange and those that the fastest finger passes in their time.
     */
    watch(exchangesPerMs: number) {
      const wrong: string[] = []
      const words = (seen: ReturnType<typeof rows>) => `${seen[0]?.at} to ${seen.at(-1)?.at}`
      let [before, beforeMs] = [rows(), performance.now()]
      // On a busy machine a frame tells its movement late: it may be that of the frame before it too.
      let earlierMs = beforeMs
      let isOn = true
      const tick = () => {
        const [now, nowMs] = [rows(), performance.now()]
        const atOnce = 1 + (nowMs - earlierMs) * exchangesPerMs
        const [oldFirst, first, last] = [before[0]?.at ?? -1, now[0]?.at ?? -1, now.at(-1)?.at ?? -1]
        if (last < oldFirst - atOnce || first > oldFirst) wrong.push(`${words(before)} → ${words(now)}`)
        ;[before, earlierMs, beforeMs] = [now, beforeMs, nowMs]
        if (isOn) requestAnimationFrame(tick)
      }
      tick()
      return () => {
        isOn = false
        return wrong
      }
    },
    /** Watches the place of the first exchange on screen, in every frame, until what it returns is called. */
    hold() {
      const [held] = rows()
      const row = element.querySelector(`[data-row="run_${held?.at}"]`)
      const places: number[] = []
      let isOn = true
      const tick = () => {
        places.push((row?.getBoundingClientRect().top ?? Number.NaN) - element.getBoundingClientRect().top)
        if (isOn) requestAnimationFrame(tick)
      }
      tick()
      return () => {
        isOn = false
        return Math.max(...places) - Math.min(...places)
      }
    },
    first: () => rows()[0]?.at ?? Number.NaN,
    frame,
    element,
  }
  Object.assign(globalThis, { scroll })
}
export type Scroll = {
  look(slowPx?: number): Promise<Seen>
  watch(exchangesPerMs: number): () => string[]
  hold(): () => number
  first(): number
  frame(): Promise<void>
  element: HTMLElement
}
type Seen = { first?: Row; last?: Row; blankPx: number; topPx: number }
type Row = { at: number; top: number; bottom: number }
declare const scroll: Scroll

const look = (page: Page, slowPx = 0) => page.evaluate((slowPx) => scroll.look(slowPx), slowPx)

/** A finger that moves down and is lifted. Its touches carry their times, so its speed is the same on a busy machine. */
export async function fling(cdp: CDPSession): Promise<void> {
  const stepS = 0.014
  const start = Date.now() / 1_000 - 8 * stepS
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', at: number) =>
    cdp.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: type === 'touchEnd' ? [] : [{ x: 200, y: 150 + 50 * at }],
      timestamp: start + at * stepS,
    })
  const moves = [1, 2, 3, 4, 5, 6, 7, 8]
  await Promise.all([touch('touchStart', 0), ...moves.map((at) => touch('touchMove', at)), touch('touchEnd', 8)])
}

/** All is shown wherever the scrollbar is dragged to, and Home shows the first. */
async function dragged(page: Page): Promise<void> {
  const wrong = await page.evaluate(async () => {
    const seen: unknown[] = []
    for (const place of [0.5, 0.1, 0.9, 0, 0.3, 1, 0]) {
      scroll.element.scrollTop = scroll.element.scrollHeight * place
      const now = await scroll.look()
      if (now.blankPx > 24 || now.first === undefined) seen.push({ place, ...now })
    }
    return seen
  })
  expect(wrong).toEqual([])
  await page.getByRole('log').focus()
  const home = async () => {
    await page.keyboard.press('Home')
    const { first, topPx, blankPx } = await look(page)
    return { at: first?.at, isAtTop: topPx < 2, isBlank: blankPx > 24 }
  }
  await expect.poll(home).toEqual({ at: 0, isAtTop: true, isBlank: false })
  expect(await page.getByRole('button', { name: 'Show earlier entries' }).count()).toBe(0)
}

/** `slowPx`: how far a fling still goes in a frame when the next one begins, so that nobody waits for its end. */
type Way = { slowPx?: number; up: () => Promise<unknown> }

/** Reads upwards until this exchange is on screen, in more than `least` steps: none is skipped, none comes back, no screen is blank. */
export async function readUp(page: Page, to: number, least: number, { slowPx, up }: Way): Promise<void> {
  const wrong: string[] = []
  const words = ({ first, last, blankPx, topPx }: Seen) =>
    `${first?.at} to ${last?.at}, ${blankPx} px blank at ${Math.round(topPx)}`
  // On this phone an exchange is about 400 px high, and flings that follow each other add up to 10 px a ms.
  const perMs = slowPx === undefined ? 0 : 10 / 400
  await page.evaluate((perMs) => Object.assign(globalThis, { release: scroll.watch(perMs) }), perMs)
  let before = await look(page)
  let steps = 0
  while (steps++ < 100 && (before.first?.at ?? 0) > to) {
    await up()
    const now = await look(page, slowPx)
    const [oldFirst, first, last] = [before.first?.at ?? -1, now.first?.at ?? -1, now.last?.at ?? -1]
    // A fling passes many; its frames are watched.
    const skips = slowPx === undefined && last < oldFirst - 1
    if (now.blankPx > 24 || skips || first > oldFirst) wrong.push(`${words(before)} → ${words(now)}`)
    before = now
  }
  expect([...wrong, ...(await page.evaluate<string[]>('release()'))]).toEqual([])
  expect(steps).toBeGreaterThan(least)
  expect(before.first?.at).toBeLessThanOrEqual(to)
}

/** Reads a long session upwards, past the pages of earlier entries, drags its scrollbar, and goes to its first. */
export async function readAll(stage: Stage, exchanges: number): Promise<void> {
  const { page } = await openLong(stage, exchanges)
  await page.mouse.move(700, 400)
  await page.getByRole('log').focus()
  const wheel = () => page.mouse.wheel(0, -600)
  // The newest 33 come first: keys lead past the first page of earlier entries, the wheel to the next. A key scrolls smoothly, which takes three
  // times as long as the wheel.
  await readUp(page, exchanges - 25, 5, { up: wheel })
  await readUp(page, exchanges - 40, 5, { up: () => page.keyboard.press('PageUp') })
  await readUp(page, exchanges - 80, 10, { up: wheel })
  await dragged(page)
}
