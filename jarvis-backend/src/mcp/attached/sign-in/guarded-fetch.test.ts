import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { goOutWith, startForwardProxy } from '../../../../test/support/forward-proxy.ts'
import { guardedFetch } from './guarded-fetch.ts'

const addresses: Record<string, string> = {
  'public.example': '8.8.8.8',
  'auth.example': '1.1.1.1',
  'nas.lan': '192.168.1.5',
  'auth.lan': '192.168.1.6',
  'rebound.example': '127.0.0.1',
  'cloud.example': '169.254.169.254',
}
const resolve = async (host: string) => [addresses[host] ?? '']
const refusal = (server: string, asked: string) =>
  guardedFetch(
    new URL(server),
    resolve,
  )(asked).then(
    () => '',
    (error: unknown) => (error as Error).message,
  )

test.each<[server: string, asked: string]>([
  ['https://public.example/mcp', 'https://nas.lan/token'],
  ['https://public.example/mcp', 'https://rebound.example/token'],
  ['https://public.example/mcp', 'https://127.0.0.1/token'],
  ['https://public.example/mcp', 'https://[::1]/token'],
  ['https://public.example/mcp', 'https://cloud.example/latest/meta-data'],
  ['https://nas.lan/mcp', 'https://cloud.example/'],
  ['https://nas.lan/mcp', 'https://127.0.0.1/'],
])('for %s nothing asks %s', async (server, asked) => {
  expect(await refusal(server, asked)).toMatch(/is not a public address$/)
})

test.each<[server: string, asked: string]>([
  ['https://public.example/mcp', 'http://auth.example/token'],
  ['https://nas.lan/mcp', 'http://auth.lan/token'],
  ['https://public.example/mcp', 'https://me:pw@auth.example/token'],
  ['https://public.example/mcp', 'file:///etc/passwd'],
])('for %s nothing asks %s, which is not https', async (server, asked) => {
  expect(await refusal(server, asked)).toMatch(/is not asked for a sign-in: its address must be https/)
})

test('a redirect is followed within an origin and for GET alone, and a long answer is cut off', async () => {
  const server = createServer(({ url, method }, response) => {
    const to: Record<string, string> = { '/near': '/end', '/far': 'http://localhost:1/end', '/ring': '/ring' }
    if (to[url ?? ''] !== undefined) response.writeHead(307, { location: to[url ?? ''] }).end()
    else if (url === '/long') response.end('x'.repeat(300_000))
    else response.end(method)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => void server.close())
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const ask = guardedFetch(new URL(`${origin}/mcp`))
  expect(await (await ask(`${origin}/near`)).text()).toBe('GET')
  await expect(ask(`${origin}/near`, { method: 'POST', body: 'code=1' })).rejects.toThrow('which is not followed')
  await expect(ask(`${origin}/far`)).rejects.toThrow('which is not followed')
  await expect(ask(`${origin}/ring`)).rejects.toThrow('which is not followed')
  await expect(ask(`${origin}/long`)).rejects.toThrow('sent more than 256 kB')
})

test('a public address is asked through the proxy for it, by the address that was judged; one at home is not', async () => {
  const proxy = await startForwardProxy({ refuse: 403 })
  await goOutWith({ HTTPS_PROXY: `http://${proxy.host}` })
  expect(await refusal('https://public.example/mcp', 'https://auth.example/token')).toContain('403')
  expect(proxy.came.map(({ method, target }) => `${method} ${target}`)).toEqual(['CONNECT 1.1.1.1:443'])
  const home = guardedFetch(new URL('https://nas.lan/mcp'), async () => ['127.0.0.1'])
  await expect(home('https://home.example:1/token')).rejects.toThrow('ECONNREFUSED')
  expect(proxy.came).toHaveLength(1)
})
