import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Reaching } from '../../src/workbench/egress/reach.ts'
import { shop } from './contents.ts'

/** The site that the browser of a desk opens: every name leads to it, so that what goes to a stranger is seen too. @param orders stand on each page */
export async function openSite(orders: readonly string[], sent: (text: string) => void) {
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString()
    })
    request.on('end', () => {
      if (request.url !== '/favicon.ico') sent(`${request.method} http://${request.headers.host}${request.url} ${body}`)
      const page = shop[request.url?.split('?')[0] ?? ''] ?? ''
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(page === '' ? '' : [page, ...orders.map((order) => `<p>${escaped(order)}</p>`)].join('\n'))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const reaching: Reaching = {
    resolve: async () => ['127.0.0.1'],
    isAllowed: (address) => address === '127.0.0.1',
  }
  return {
    reaching,
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.closeAllConnections()
      return new Promise<void>((done) => void server.close(() => done()))
    },
  }
}

export const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
