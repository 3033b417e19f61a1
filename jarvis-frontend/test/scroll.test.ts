import { afterAll, beforeAll, expect } from 'vitest'
import { assistant, entriesOf, text, user } from './scenery/entries.ts'
import { morning } from './scenery/scenes/morning.ts'
import { openStage, type Stage, test } from './support/browser.ts'
import { done, fling, openLong, readAll, readUp, type Scroll } from './support/long-session.ts'

// 1,000 exchanges: `scroll.night.test.ts`.

declare const scroll: Scroll

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

test('150 exchanges are read upwards with Page Up and the wheel, are shown wherever the scrollbar is dragged to, and Home shows the first', () =>
  readAll(stage, 150))

test('a phone’s reader flings upwards, none skipped and no screen blank', async () => {
  const { page } = await openLong(stage, 120, { isPhone: true })
  const cdp = await page.context().newCDPSession(page)
  // A fling goes the farther the faster the machine draws; it may not pass all in a few.
  await readUp(page, 80, 3, { slowPx: 16, up: () => fling(cdp) })
})

test('what is read stays in its place while diagrams come above, earlier entries load and an answer streams', async () => {
  // Close enough to each other that some are drawn above what is read.
  const { page, server } = await openLong(stage, 300, { diagramEvery: 8 })
  server.append('ses_one', { type: 'user', messageId: 'm', text: 'Go on.', by: 'operator' }, 'run_new')
  await page.evaluate(async () => {
    scroll.element.scrollTop = 100
    await scroll.frame()
    // One whose own diagram is to come grows by itself.
    while (scroll.first() % 8 === 3) {
      scroll.element.scrollTop += 60
      await scroll.frame()
    }
    Object.assign(globalThis, { release: scroll.hold() })
  })
  for (let at = 0; at < 20; at++) server.tell('ses_one', 'chat:token', { text: `Word ${at}. \n\n` })
  await page.locator('[data-row] .drawing img').first().waitFor({ state: 'attached' })
  await page.waitForFunction(() => scroll.element.scrollTop > 5_000)
  await page.evaluate(() => scroll.look())
  expect(await page.evaluate('release()')).toBeLessThan(2)
  // At the end, it follows: a small move upwards lets go, and the way back follows again.
  await page.getByRole('button', { name: 'New text below' }).click()
  await page.getByText('Word 19.').waitFor()
  const belowPx = () =>
    page.evaluate(() => scroll.element.scrollHeight - scroll.element.scrollTop - scroll.element.clientHeight)
  const tell = async (words: string) => {
    server.tell('ses_one', 'chat:token', { text: `${words}\n\n`.repeat(3) })
    await page.getByText(words).last().waitFor({ state: 'attached' })
    await page.evaluate(() => scroll.frame())
  }
  await tell('Followed.')
  expect(await belowPx()).toBeLessThan(2)
  await page.mouse.move(700, 400)
  await page.mouse.wheel(0, -20)
  await page.evaluate(() => scroll.look())
  await tell('Not now.')
  expect(await belowPx()).toBeGreaterThan(40)
  await page.mouse.wheel(0, 4_000)
  await page.evaluate(() => scroll.look())
  await tell('Again.')
  expect(await belowPx()).toBeLessThan(2)
  // A message that is sent here is followed, wherever the reader was.
  await page.evaluate(() => {
    scroll.element.scrollTop = 100
    return scroll.look()
  })
  await page.getByRole('textbox', { name: 'Message' }).fill('And what now?')
  await page.keyboard.press('Control+Enter')
  await page.locator('.queued', { hasText: 'And what now?' }).waitFor()
  await expect.poll(belowPx).toBeLessThan(2)
})

test('a reader who scrolls up in the moment in which the content gets shorter is not taken back to the end', async () => {
  const words = (at: number) => (at < 30 ? `Answer ${at}.` : `Answer ${at}. ${'It goes on. '.repeat(300)}`)
  const entries = Array.from({ length: 40 }, (_, at) =>
    [user(`Question ${at}`), assistant(text(words(at))), done].map((entry) => ({ ...entry, runId: `run_${at}` })),
  ).flat()
  const server = await stage.play({
    ...morning(Date.now()),
    sessions: [{ id: 'ses_one', title: 'One', updatedAt: Date.now(), entries: entriesOf(entries, Date.now()) }],
  })
  const page = await stage.open(server, '/')
  // Rows above are drawn when the page is idle: here, when the test says so.
  await page.evaluate(() => {
    const idle: (() => void)[] = []
    Object.assign(globalThis, { idle, requestIdleCallback: (work: () => void) => idle.push(work) })
  })
  await page.getByRole('link', { name: 'One' }).click()
  await page.getByText('Answer 39.').waitFor()
  const belowPx = await page.evaluate(async () => {
    const { idle } = globalThis as unknown as { idle: (() => void)[] }
    const element = document.querySelector('.stream') as HTMLElement
    const endPx = () => element.scrollHeight - element.clientHeight
    const frame = () => new Promise((next) => requestAnimationFrame(next))
    // Waits until the content gets shorter, because a row turns out lower than its placeholder, before this scroll event arrives.
    for (let [tries, beforePx] = [0, endPx()]; tries < 40 && endPx() >= beforePx; tries++) {
      await frame()
      await frame()
      element.scrollTop = endPx()
      await frame()
      beforePx = endPx()
      element.scrollTop = beforePx - 1_500
      for (const work of idle.splice(0)) work()
      for (let turn = 0; turn < 20; turn++) await undefined
    }
    await frame()
    return endPx() - element.scrollTop
  })
  expect(belowPx).toBeGreaterThan(500)
})

test('on paper stands the whole conversation, from its first message, in light colours and without the frame', async () => {
  const { page } = await openLong(stage, 80, { theme: 'dark' })
  await page.evaluate(() => {
    const rows = () => [...document.querySelectorAll('.user p')].map((one) => one.textContent?.split('\n')[0])
    addEventListener('beforeprint', () => {
      document.title = JSON.stringify({
        rows: rows(),
        parked: document.querySelectorAll('.parked').length,
        theme: document.documentElement.dataset.theme,
      })
    })
    // The dialog of the browser, which nobody would close.
    window.print = () => void dispatchEvent(new Event('beforeprint'))
  })
  await page.locator('body').press('Control+p')
  await expect.poll(() => page.title()).toContain('rows')
  const printed = JSON.parse(await page.title()) as { rows: string[]; parked: number; theme: string }
  expect(printed.rows).toEqual(Array.from({ length: 80 }, (_, at) => `Question ${at}`))
  expect(printed).toMatchObject({ parked: 0, theme: 'light' })

  await page.emulateMedia({ media: 'print' })
  const seen = await page.evaluate(() => ({
    frame: [...document.querySelectorAll('.rail, .composer, .side, .find-button')].filter(
      (part) => part.getClientRects().length > 0,
    ).length,
    isWhole: document.documentElement.scrollHeight > (document.querySelector('.stream-column')?.clientHeight ?? 0),
  }))
  expect(seen).toEqual({ frame: 0, isWhole: true })
  await page.emulateMedia({ media: 'screen' })
  await page.evaluate(() => dispatchEvent(new Event('afterprint')))
  expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
  // The rest of it rests again.
  await expect.poll(() => page.locator('.user').count()).toBeLessThan(80)
})
