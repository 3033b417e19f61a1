import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Role } from 'jarvis-backend/protocol'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { build } from 'vite'
import { onTestFinished } from 'vitest'
import { isDashboardStale } from '../../../scripts/build.js'
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
}

export const test = testWith('Chromium')

/** The shared browser and the dashboard, which is built for this file alone where its sources are newer than what was built. */
export async function openStage() {
  const isStale = isDashboardStale()
  const outDir = isStale ? mkdtempSync(join(tmpdir(), 'jarvis-dashboard-')) : join(root, 'dist')
  if (isStale) await build({ root, logLevel: 'error', build: { outDir, emptyOutDir: true } })
  const browser = await sharedBrowser()
  const servers: Scripted[] = []
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
      onTestFinished(() => context.close())
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
      for (const server of servers) await server.close()
      if (isStale) rmSync(outDir, { recursive: true, force: true })
    },
  }
}

export type Stage = Awaited<ReturnType<typeof openStage>>
