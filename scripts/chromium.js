import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

// The one without a window first: it opens a page in half the time.
const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** The browser for the tests: `CHROMIUM_PATH`, else the first found on `PATH`. */
export function findChromium() {
  const onPath = (process.env.PATH ?? '').split(delimiter).flatMap((dir) => names.map((name) => join(dir, name)))
  const given = process.env.CHROMIUM_PATH
  return (given ? [given] : onPath).find((path) => {
    try {
      accessSync(path, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

/** It draws in software and asks nobody for anything. */
export const chromiumArgs = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Playwright asks where each request comes from, for which V8 would parse functions a second time.
  '--js-flags=--no-enable-lazy-source-positions',
]
