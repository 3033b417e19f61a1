import { systemClock } from 'node-kit/clock'
import type { Missing } from 'protocol'
import { withPorts } from '../../tools/tool.ts'
import { browserTools } from '../../tools/workbench/browser/index.ts'
import { Browsers, idleMs } from '../browser/browsers.ts'
import { chromiumRemedy, findChromium, hasPlaywright, playwrightRemedy } from '../browser/parts.ts'
import { fileIn } from '../browser/session-file.ts'
import type { Reaching } from '../egress/reach.ts'
import { sessionRootName } from '../files/root-of.ts'
import { createSandbox } from '../sandbox/level.ts'
import type { Area, Bench } from './area.ts'

/** `reaching`: replaces the resolver and the check of IP addresses, for tests. `chromium`: paths to look for Chromium at. */
export type BrowserParts = { reaching?: Reaching; chromium?: readonly string[] }

/** The browser area: web pages in a sandboxed Chromium, one browser for each session. */
export function composeBrowser(bench: Bench, parts: BrowserParts = {}): Area {
  const chromium = findChromium(parts.chromium)
  const isInstalled = hasPlaywright()
  // The real clock, because programs take real time even if a test sets the server's clock.
  const sandbox = createSandbox(systemClock)

  function missing(): Missing[] {
    const found: Missing[] = []
    if (chromium === undefined) found.push({ what: 'Chromium', remedy: chromiumRemedy })
    if (!isInstalled) found.push({ what: 'playwright-core', remedy: playwrightRemedy })
    const verdict = sandbox.verdict()
    if (verdict.level !== 'full' && verdict.at > 0)
      found.push({ what: `a full sandbox for the browser (${verdict.because})`, remedy: verdict.remedy })
    return found
  }

  /** Downloads that were kept since a session's last call, by session. */
  const kept = new Map<string, string[]>()
  const browsers = new Browsers({
    clock: bench.clock,
    report: bench.report,
    partsOf(sessionId) {
      if (chromium === undefined) throw new Error(`Chromium is missing: ${chromiumRemedy}.`)
      const listed = (place: string) => {
        const { egress, web } = bench.policy()
        if (!egress.has(place)) return undefined
        return web.private.has(place) ? 'private' : 'public'
      }
      return {
        chromium,
        listed,
        isPrivate: (place) => bench.policy().web.private.has(place),
        folder: () => bench.rootOf(sessionRootName(sessionId)),
        kept: (path) => void kept.set(sessionId, [...(kept.get(sessionId) ?? []), path]),
        egress: {
          isOwn: bench.isOwnPlace,
          ...parts.reaching,
          scratch: bench.scratch,
          log: ({ place, refused, sentBytes, receivedBytes }) =>
            bench.log(
              `The browser of ${sessionId} ${refused === undefined ? `reached ${place}: ${sentBytes} bytes sent, ${receivedBytes} received` : `asked for ${place}: ${refused}`}.`,
              'info',
            ),
        },
      }
    },
  })
  return {
    name: 'browser',
    tools: withPorts(browserTools, {
      browsers,
      missing,
      downloads(sessionId) {
        const files = kept.get(sessionId)
        kept.delete(sessionId)
        return files
      },
      upload: (sessionId: string, path: string) =>
        fileIn(bench.rootOf(sessionRootName(sessionId)), path.replace(/^session\//, '')),
    }),
    missing,
    facts: () => [
      ...(chromium === undefined ? [] : [`Chromium at ${chromium.path}`]),
      `${browsers.running()} of 3 browsers run; each ends after ${idleMs / 60_000} minutes without use`,
    ],
    look: sandbox.tried,
    start() {
      if (bench.policy().browser) void sandbox.tried()
    },
    stop: () => browsers.stop(),
    forget(sessionId) {
      kept.delete(sessionId)
      browsers.end(sessionId).catch((error: unknown) => bench.report(error, 'a browser could not be ended'))
    },
  }
}
