import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { Browsers, idleMs } from '../src/workbench/browser/browsers.ts'
import { mostBytes } from '../src/workbench/browser/outline.ts'
import { findChromium } from '../src/workbench/browser/parts.ts'
import { pageAddress } from '../src/workbench/browser/site.ts'
import { makeScratch } from '../src/workbench/scratch.ts'
import { createFakeClock } from '../test/support/fake-clock.ts'
import type { Row } from './rows.ts'
import { median } from './statistics.ts'

const elements = 4_000
const snapshots = 5

/** Half links, half fields and buttons, each with a name. */
const page = `<!doctype html><title>Many</title>${Array.from({ length: elements / 4 }, (_, at) =>
  [
    `<a href="/a${at}">Article number ${at}</a>`,
    `<button>Open drawer ${at}</button>`,
    `<p>Row ${at} of the list is well.</p>`,
    `<input aria-label="Amount ${at}">`,
  ].join(''),
).join('\n')}`

/**
 * A browser as a session has one: started in its sandbox, on a page of 4,000 elements, read again and again, and left alone for ten minutes of a
 * clock that is not the machine's. What it had then must be gone.
 */
export function browserRow(): Row {
  return {
    name: 'browser',
    lines: [
      { title: 'start in the sandbox and first page, ms' },
      { title: `snapshot of ${elements.toLocaleString('en')} elements, ms p50` },
      { title: 'its size, kB', most: mostBytes / 1024 },
      { title: 'Chromium on that page, all processes, PSS MB' },
      { title: 'after ten minutes without use, processes', most: 0 },
    ],
    async ours() {
      const chromium = findChromium()
      if (chromium === undefined) throw new Error('There is no Chromium here.')
      const server = createServer((_request, response) => {
        response.writeHead(200, { 'content-type': 'text/html' }).end(page)
      })
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      const clock = createFakeClock(Date.now())
      // Programs take real time; only what waits for minutes is moved on by hand.
      const browsers = new Browsers({
        clock,
        report: (error) => console.error(error),
        partsOf: () => ({
          chromium,
          listed: () => undefined,
          isPrivate: () => false,
          folder: () => ({ name: 'session', path: tmpdir(), write: true, own: [] }),
          egress: {
            scratch: makeScratch,
            resolve: async () => ['127.0.0.1'],
            isAllowed: (address) => address === '127.0.0.1',
            log: () => {},
          },
        }),
      })
      const address = pageAddress(`http://page.example:${(server.address() as AddressInfo).port}/`)
      if ('refused' in address) throw new Error(address.refused)
      const { signal } = new AbortController()
      const others = new Set(below(process.pid))
      try {
        const since = performance.now()
        await browsers.on('ses_1', (browsing) => browsing.open(address, signal))
        const startMs = performance.now() - since
        const took: number[] = []
        let text = ''
        for (let at = 0; at < snapshots; at += 1) {
          await browsers.onOpen('ses_1', async (browsing) => {
            const tab = browsing.tab()
            const begun = performance.now()
            await tab.read()
            text = tab.outline({}).text
            took.push(performance.now() - begun)
          })
        }
        const own = below(process.pid).filter((pid) => !others.has(pid))
        const bytes = own.reduce((sum, pid) => sum + pssOf(pid), 0)
        await clock.advance(idleMs)
        for (let tries = 0; tries < 100 && own.some(isAlive); tries += 1)
          await new Promise((resolve) => setTimeout(resolve, 100))
        return [startMs, median(took), Buffer.byteLength(text) / 1024, bytes / 1e6, own.filter(isAlive).length]
      } finally {
        await browsers.stop()
        server.closeAllConnections()
        server.close()
      }
    },
  }
}

const statusOf = (pid: number | string): string => {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return ''
  }
}
const isAlive = (pid: number) => /^State:\s+[^ZX]/m.test(statusOf(pid))

/** All processes below one, also those of Chromium's own namespaces. */
function below(root: number): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), Number(/^PPid:\s+(\d+)/m.exec(statusOf(name))?.[1])] as const)
  const found = [root]
  for (const pid of found) for (const [child, parent] of parents) if (parent === pid) found.push(child)
  return found.slice(1)
}

/** Memory of a process in bytes. Shared pages are counted in part. */
function pssOf(pid: number): number {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0) * 1024
  } catch {
    return Number(/^VmRSS:\s+(\d+)/m.exec(statusOf(pid))?.[1] ?? 0) * 1024
  }
}
