import { accessSync, constants, realpathSync } from 'node:fs'
import { dirname } from 'node:path'

/** The paths of Chromium's programs. The usual start scripts are not used, because they read files that the sandbox does not have. */
const places = [
  '/usr/lib/chromium/chromium-headless-shell',
  '/usr/lib/chromium/chromium',
  '/usr/lib/chromium-browser/chromium-browser',
  '/usr/lib64/chromium-browser/chromium-browser',
  '/opt/google/chrome/chrome',
]

/** The system's Chromium: the program, and its folder if that is outside `/usr`. */
export function findChromium(candidates: readonly string[] = places): { path: string; folder?: string } | undefined {
  for (const candidate of candidates) {
    try {
      accessSync(candidate, constants.X_OK)
      const path = realpathSync(candidate)
      return { path, ...(!path.startsWith('/usr/') && { folder: dirname(path) }) }
    } catch {
      // Tries the next candidate.
    }
  }
  return undefined
}

export const chromiumRemedy = 'apt install chromium-headless-shell (or chromium), then restart JARVIS'
export const playwrightRemedy = 'npm install playwright-core in JARVIS’s folder, then restart JARVIS'

type Playwright = typeof import('playwright-core')

/** Loads Playwright, which is optional, when the first page is opened. @throws Error that tells how to install it */
export async function loadPlaywright(): Promise<Playwright> {
  try {
    return await import('playwright-core')
  } catch (cause) {
    throw new Error(`playwright-core is missing: ${playwrightRemedy}.`, { cause })
  }
}

/** Returns true if playwright-core is installed. Does not load it. */
export function hasPlaywright(): boolean {
  try {
    import.meta.resolve('playwright-core')
    return true
  } catch {
    return false
  }
}
