import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Role } from 'jarvis-backend/protocol'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { build } from 'vite'
import { onTestFinished } from 'vitest'
import { isDashboardStale, newestOfDashboard } from '../../../scripts/build.js'
import { savesData, sharedBrowser } from '../../../scripts/shared-browser.ts'
import { slowDown, slowDownPage } from '../../../scripts/slow-pages.ts'
import { testWith } from '../../../scripts/test-with.js'
import type { Scene } from '../../src/testing/scene.ts'
import { type Scripted, startScripted, tokenOf } from '../../src/testing/scripted-server.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
export type View = {
  role?: Role | 'nobody'
  theme?: 'dark' | 'light'
  isPhone?: boolean
  height?: number
  bypassCSP?: boolean
  /** Whether all parts of the dashboard are fetched while the page is idle; absent: each on first use, which costs less. */
  fetchesAhead?: boolean
  /** Whether all tests of the file share the page, which ends with the stage; absent: the page ends with its test. */
  isShared?: boolean
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

/** The shared browser and the built dashboard. */
export async function openStage() {
  const outDir = await builtDashboard()
  const browser = await sharedBrowser()
  const servers: Scripted[] = []
  const shared: BrowserContext[] = []
  return {
    /** `port`: that of a server which was closed, to come back in its place. */
    async play(scene: Scene, port?: number): Promise<Scripted> {
      const server = await startScripted(scene, outDir, port)
      servers.push(server)
      return server
    },
    async open(
      server: Scripted,
      path: string,
      {
        role = 'operator',
        theme = 'dark',
        isPhone = false,
        height,
        bypassCSP = false,
        fetchesAhead = false,
        isShared = false,
      }: View = {},
    ): Promise<Page> {
      const size = isPhone ? { width: 390, height: height ?? 844 } : { width: 1440, height: height ?? 900 }
      const options: BrowserContextOptions = {
        viewport: size,
        colorScheme: theme,
        bypassCSP,
        hasTouch: isPhone,
        isMobile: isPhone,
        // Drawn in software, what moves takes a core.
        reducedMotion: 'reduce',
      }
      const context = await browser.newContext(options)
      // A page that is left open goes on drawing, and slows down every test after it.
      if (isShared) shared.push(context)
      else onTestFinished(() => context.close())
      if (!fetchesAhead) await context.addInitScript(savesData)
      if (role !== 'nobody') {
        await context.addInitScript((token) => {
          if (sessionStorage.getItem('seen') === null) localStorage.setItem('jarvis.token', token)
          sessionStorage.setItem('seen', '1')
        }, tokenOf(role))
      }
      await slowDown(context)
      const page = await context.newPage()
      await slowDownPage(page)
      await page.goto(server.url + path)
      return page
    },
    async close() {
      for (const context of shared) await context.close()
      for (const server of servers) await server.close()
    },
  }
}

export type Stage = Awaited<ReturnType<typeof openStage>>
