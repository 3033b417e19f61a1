import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createFetchSite } from '../src/workbench/web/fetch-site.ts'
import { createPageReader } from '../src/workbench/web/page-reader.ts'
import { createPages } from '../src/workbench/web/pages.ts'
import type { Row } from './rows.ts'
import type { Setup } from './setup.ts'
import { lazily } from './setup.ts'
import { median } from './statistics.ts'
import { wordAt } from './words.ts'

const reads = 5
const builtPageWorker = new URL('../dist/page-worker.js', import.meta.url)

/** Reads pages of 1 MB and of 7 kB from loopback, as `web_fetch` does: connect, unpack, a thread for each, Markdown without what is hidden. */
export function pageRow(setup: Setup): Row {
  const opened = lazily(async () => {
    const pages = new Map([1_000_000, 7_000].map((bytes) => [bytes, pageOf(bytes)]))
    const server = createServer((request, response) => {
      const body = pages.get(Number(request.url?.split('/')[1])) ?? ''
      response.writeHead(200, { 'content-type': 'text/html' }).end(body)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    setup.onClose(async () => {
      server.closeAllConnections()
      server.close()
    })
    return (server.address() as AddressInfo).port
  })
  const read = async (bytes: number): Promise<number[]> => {
    const port = await opened()
    const fetchSite = createFetchSite({
      resolve: async () => ['127.0.0.1'],
      isAllowed: (address) => address === '127.0.0.1',
      problemOf: () => undefined,
    })
    const pages = createPages({ fetchSite, readPage: createPageReader({ worker: builtPageWorker }), now: Date.now })
    const took: number[] = []
    const cpu: number[] = []
    for (let at = 0; at < reads; at += 1) {
      const since = performance.now()
      const before = process.cpuUsage()
      const url = new URL(`http://page.example:${port}/${bytes}/${at}`)
      const page = await pages.read(url, { sessionId: 'ses_1', listed: false, signal: AbortSignal.timeout(60_000) })
      const { user, system } = process.cpuUsage(before)
      took.push(performance.now() - since)
      cpu.push((user + system) / 1_000)
      if (page.how === 'stripped' || page.text.length < bytes / 4)
        throw new Error(`Of ${bytes} bytes ${page.text.length} characters came, ${page.how}.`)
    }
    return [median(took), median(cpu)]
  }
  return {
    name: 'page',
    lines: [{ title: 'a page of 1 MB as Markdown, ms p50' }, { title: 'of it CPU, threads included, ms' }],
    ours: () => read(1_000_000),
    base: { name: 'one of 7 kB', isGoal: false, measure: () => read(7_000) },
  }
}

/** An article with links, lists and code, of about so many bytes. */
function pageOf(bytes: number): string {
  const parts: string[] = []
  let size = 0
  for (let at = 0; size < bytes; at += 1) {
    const words = Array.from({ length: 60 }, (_, word) => wordAt(at * 60 + word)).join('')
    const kinds = [
      `<h2>Part ${at}</h2><p>${words} <a href="/p${at}">more of it</a>.</p>`,
      `<ul><li>${words}</li><li><b>${at}</b></li></ul>`,
      `<pre><code>step ${at}\n${words}</code></pre>`,
    ]
    const part = kinds[at % kinds.length] ?? ''
    parts.push(part)
    size += part.length
  }
  return `<!doctype html><title>A long page</title><nav><a href="/">Home</a></nav><article>${parts.join('\n')}</article>`
}
