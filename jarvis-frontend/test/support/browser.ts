import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BrowserContext, CDPSession, Page } from 'playwright-core'
import type { Role } from 'protocol'
import { build } from 'vite'
import { onTestFinished } from 'vitest'
import { isDashboardStale, newestOfDashboard } from '../../../scripts/build.js'
import { savesData, sharedBrowser } from '../../../scripts/shared-browser.ts'
import { slowDown, slowDownPage } from '../../../scripts/slow-pages.ts'
import { testWith } from '../../../scripts/test-with.js'
import type { Scene } from '../scenery/scene.ts'
import { type Scripted, startScripted, tokenOf } from '../scenery/scripted-server.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
export type View = {
  role?: Role | 'nobody'
  theme?: 'dark' | 'light'
  isPhone?: boolean
  height?: number
  /**
   * Whether the page ends with its test, for one that leaves behind what nobody can take back, as a clock does; absent: a page that tests
   * before it had, with an empty storage and a full cache.
   */
  own?: { bypassCSP?: boolean; fetchesAhead?: boolean }
  /** Runs before the page has an address. */
  before?: (page: Page) => unknown
}

export const test = testWith('Chromium')

const staged = join(root, '.staged')

/**
 * The folder of the dashboard as its sources are now. Where `dist` is older, it is built once for all files of tests, because a build takes
 * as long as the tests of a file.
 */
async function builtDashboard(): Promise<string> {
  if (!isDashboardStale()) return join(root, 'dist')
  const version = `of-${Math.ceil(newestOfDashboard())}`
  const dir = join(staged, version)
  if (existsSync(dir)) return dir
  const outDir = mkdtempSync(join(root, '.staged-'))
  // Under Vitest it is `test`, which would build React for development: each page takes twice the time.
  const { NODE_ENV } = process.env
  process.env.NODE_ENV = 'production'
  try {
    await build({ root, logLevel: 'error', build: { outDir, emptyOutDir: true } })
    for (const old of existsSync(staged) ? readdirSync(staged) : []) {
      if (old !== version) rmSync(join(staged, old), { recursive: true, force: true })
    }
    mkdirSync(staged, { recursive: true })
    try {
      renameSync(outDir, dir)
    } catch (error) {
      // Another file of tests has put the same build there meanwhile.
      if (!existsSync(dir)) throw error
    }
  } finally {
    process.env.NODE_ENV = NODE_ENV
    rmSync(outDir, { recursive: true, force: true })
  }
  return dir
}

/** A page and its context, for one test after the other. */
type Seat = { page: Page; context: BrowserContext; cdp: CDPSession }

/** Runs at the start of each document: the first one of a test finds no storage but its token, a reload finds what the page kept. */
function enter({ visit, token }: { visit: number; token?: string }) {
  if (sessionStorage.getItem('visit') === `${visit}`) return
  localStorage.clear()
  sessionStorage.clear()
  sessionStorage.setItem('visit', `${visit}`)
  if (token !== undefined) localStorage.setItem('jarvis.token', token)
}

/**
 * The shared browser and the built dashboard. All tests of a file take turns at one port and, where they look alike, at one page, because a
 * page that finds the dashboard's parts in its cache costs half as much.
 */
export async function openStage() {
  const outDir = await builtDashboard()
  const browser = await sharedBrowser()
  const seats = new Map<string, Seat[]>()
  let ownPort = 0
  let isOwnPortTaken = false
  let visits = 0

  async function newSeat({
    isPhone = false,
    own: { bypassCSP = false, fetchesAhead = false } = {},
  }: View): Promise<Seat> {
    const context = await browser.newContext({
      bypassCSP,
      hasTouch: isPhone,
      isMobile: isPhone,
      // Drawn in software, what moves takes a core.
      reducedMotion: 'reduce',
    })
    if (!fetchesAhead) await context.addInitScript(savesData)
    await slowDown(context)
    const page = await context.newPage()
    await slowDownPage(page)
    return { page, context, cdp: await context.newCDPSession(page) }
  }

  /** Takes back all that a test did to its page. A page that is left open would go on drawing, and slow down every test after it. */
  async function leave({ page, context, cdp }: Seat): Promise<void> {
    page.removeAllListeners()
    for (const other of context.pages()) if (other !== page) await other.close()
    await page.unrouteAll()
    await page.goto('about:blank')
    await page.mouse.move(-1, -1)
    await cdp.send('Page.resetNavigationHistory')
  }

  async function playAt(scene: Scene, port: number): Promise<Scripted> {
    const server = await startScripted(scene, outDir, port)
    onTestFinished(() => server.close())
    return server
  }

  return {
    /** @param port that of a server which was closed, to come back in its place */
    async play(scene: Scene, port?: number): Promise<Scripted> {
      if (port !== undefined || isOwnPortTaken) return playAt(scene, port ?? 0)
      isOwnPortTaken = true
      onTestFinished(() => {
        isOwnPortTaken = false
      })
      // Another program may have got the port since the last test.
      const server = await playAt(scene, ownPort).catch(() => playAt(scene, 0))
      ownPort = server.port
      return server
    },
    async open(server: Scripted, path: string, view: View = {}): Promise<Page> {
      const { role = 'operator', theme = 'dark', isPhone = false, height, own } = view
      const kind = isPhone ? 'phone' : 'desk'
      const free = own === undefined ? seats.get(kind)?.pop() : undefined
      const seat = free ?? (await newSeat(view))
      const { page, context } = seat
      const size = isPhone ? { width: 390, height: height ?? 844 } : { width: 1440, height: height ?? 900 }
      await page.setViewportSize(size)
      await page.emulateMedia({ colorScheme: theme })
      const entered = await page.addInitScript(enter, {
        visit: ++visits,
        ...(role !== 'nobody' && { token: tokenOf(role) }),
      })
      onTestFinished(async ({ task }) => {
        if (own !== undefined || task.result?.state === 'fail') return context.close()
        await entered.dispose()
        await leave(seat)
        seats.set(kind, [...(seats.get(kind) ?? []), seat])
      })
      await view.before?.(page)
      await page.goto(server.url + path)
      return page
    },
    async close() {
      for (const { context } of [...seats.values()].flat()) await context.close()
    },
  }
}

export type Stage = Awaited<ReturnType<typeof openStage>>
