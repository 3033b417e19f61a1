import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { findChromium } from '../../scripts/chromium.js'

const dir = fileURLToPath(new URL('../public', import.meta.url))

/** The presence ring, quiet: four nodes' arcs and the core. `scale`: how much of the square it takes. */
const ring = (scale, ink, core) => `<g transform="translate(16 16) scale(${scale}) translate(-16 -16)">
  <g fill="none" stroke="${ink}" stroke-width="2.6">
    <path d="M18 5.2A11 11 0 0 1 26.8 14"/><path d="M26.8 18A11 11 0 0 1 18 26.8"/>
    <path d="M14 26.8A11 11 0 0 1 5.2 18"/><path d="M5.2 14A11 11 0 0 1 14 5.2"/>
  </g><circle cx="16" cy="16" r="3.2" fill="${core}"/></g>`
const ground = (radius) => `<rect width="32" height="32" rx="${radius}" fill="#0d0e10"/>`

const icons = [
  ['icon-192.png', 192, ground(7) + ring(1, '#c4c7cb', '#f0f1f3')],
  ['icon-512.png', 512, ground(7) + ring(1, '#c4c7cb', '#f0f1f3')],
  // Android cuts its own shape out of the middle 80 %; iOS rounds the corners itself.
  ['icon-maskable-512.png', 512, ground(0) + ring(0.78, '#c4c7cb', '#f0f1f3')],
  ['icon-apple-180.png', 180, ground(0) + ring(0.9, '#c4c7cb', '#f0f1f3')],
  // Android draws a badge in one colour, from what is not transparent.
  ['badge-96.png', 96, ring(1.2, '#fff', '#fff')],
]

const executablePath = findChromium()
if (executablePath === undefined) throw new Error('No Chromium found. Install it, or set CHROMIUM_PATH.')
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
for (const [name, size, drawing] of icons) {
  const page = await browser.newPage({ viewport: { width: size, height: size } })
  await page.setContent(
    `<style>*{margin:0}svg{display:block}</style><svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 32 32">${drawing}</svg>`,
  )
  writeFileSync(join(dir, name), await page.screenshot({ omitBackground: true }))
  await page.close()
}
await browser.close()
