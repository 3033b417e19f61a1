import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { build } from 'vite'
import { afterAll, beforeAll, expect } from 'vitest'
import { findingsInBothThemes, seriousFindings } from '../../jarvis-backend/test/support/axe.ts'
import { sharedBrowser } from '../../scripts/shared-browser.ts'
import { sendBuilt } from './scenery/built-files.ts'
import { test } from './support/browser.ts'

const root = join(import.meta.dirname, '..')
const sizes = { phone: [320, 700], tablet: [768, 900], desktop: [1440, 900] } as const

let dir: string
const server = createServer((request, response) => sendBuilt(dir, new URL(`http://x${request.url}`).pathname, response))
let page: Page
beforeAll(async () => {
  dir = mkdtempSync(join(root, '.staged-gallery-'))
  const { NODE_ENV } = process.env
  process.env.NODE_ENV = 'production'
  try {
    const input = join(root, 'test/gallery/index.html')
    await build({
      root,
      logLevel: 'error',
      build: { outDir: dir, minify: false, rolldownOptions: { input, output: { codeSplitting: false } } },
    })
  } finally {
    process.env.NODE_ENV = NODE_ENV
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const context = await (await sharedBrowser()).newContext({ reducedMotion: 'reduce' })
  page = await context.newPage()
})
afterAll(async () => {
  await page?.context().close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  rmSync(dir, { recursive: true, force: true })
})

test('axe finds nothing serious on any component, in both themes, three sizes and both directions, and none is wider than the page', async () => {
  const problems: string[] = []
  page.on('pageerror', ({ message }) => problems.push(message))
  for (const direction of ['ltr', 'rtl'])
    for (const [name, [width, height]] of Object.entries(sizes)) {
      const view = `${direction} ${name}`
      await page.setViewportSize({ width, height })
      const { port } = server.address() as AddressInfo
      await page.goto(`http://127.0.0.1:${port}/test/gallery/index.html?${direction}`)
      await page.getByRole('heading', { name: 'Components' }).waitFor()
      await page.getByRole('img', { name: 'The invitation as a QR code' }).waitFor()
      // Colours are the same in both directions.
      const found = direction === 'ltr' ? await findingsInBothThemes(page) : await seriousFindings(page)
      problems.push(...found.map((line) => `${view}: ${line}`))
      const wide = await page
        .locator('figure')
        .evaluateAll(
          (figures, width) =>
            figures
              .filter(
                (figure) => figure.scrollWidth > figure.clientWidth || figure.getBoundingClientRect().right > width,
              )
              .map((figure) => figure.textContent?.slice(0, 60)),
          width,
        )
      problems.push(...wide.map((text) => `${view}: too wide: ${text}`))
      const { SHOTS } = process.env
      if (SHOTS) await page.screenshot({ path: join(SHOTS, `gallery-${view}.png`), fullPage: true })
    }
  expect(problems).toEqual([])

  const opens = page.getByRole('button', { name: 'Open the dialog' })
  await opens.click()
  await page.getByRole('dialog', { name: 'A dialog' }).getByRole('button', { name: 'Close' }).waitFor()
  problems.push(...(await findingsInBothThemes(page)))
  await page.keyboard.press('Escape')
  await expect.poll(() => opens.evaluate((button) => button === document.activeElement)).toBe(true)
  expect(problems).toEqual([])
})

test('every component of src/ui stands in the gallery', () => {
  const shown = readFileSync(join(root, 'test/gallery/rows.tsx'), 'utf8')
  const files = readdirSync(join(root, 'src/ui')).filter((file) => file.endsWith('.tsx'))
  // The QR code loads the part that draws it.
  const missing = files.filter((file) => file !== 'qr-drawing.tsx' && !shown.includes(`/src/ui/${file}'`))
  expect(missing).toEqual([])
})
