import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { every } from '../../../test/support/real-time.ts'
import { addressProblem } from './address.ts'
import { createFetchSite, type FetchParts } from './fetch-site.ts'

/** A site on this machine, whose requests are recorded. */
async function site(answer: RequestListener) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.headers.host} ${request.url}`)
    answer(request, response)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { asked, port, url: new URL(`http://site.example:${port}/page`) }
}

/** Every name leads to this machine, which counts as public; a test's sites have ports of their own. */
const here: FetchParts = {
  resolve: async () => ['127.0.0.1'],
  isAllowed: (address) => address === '127.0.0.1',
  isHome: () => false,
  problemOf: (url, listed) => addressProblem(new URL(url.href.replace(/:\d+\//, '/')), listed),
}
const get = (url: URL | string, parts: FetchParts = {}, listed = false) =>
  createFetchSite({ ...here, ...parts })(new URL(url), { listed, signal: new AbortController().signal })
const page =
  (body: string | Buffer, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) =>
    void response.writeHead(200, { 'content-type': 'text/html; charset=UTF-8', ...headers }).end(body)

test('a page is asked for once, by GET, with the name it was given', async () => {
  const { url, asked, port } = await site(page('<p>Hello</p>'))
  let resolved = 0
  const got = await get(url, {
    resolve: async (host) => {
      resolved += 1
      expect(host).toBe('site.example')
      return resolved === 1 ? ['127.0.0.1'] : ['10.0.0.1']
    },
  })
  expect(got).toMatchObject({ status: 200, type: 'text/html', charset: 'utf-8', wireBytes: 12 })
  expect(got.body.toString()).toBe('<p>Hello</p>')
  expect([asked, resolved]).toEqual([[`GET site.example:${port} /page`], 1])
})

describe('addresses that lead into this network are not asked', () => {
  test.each([
    ...['http://127.0.0.1/', 'http://127.1/', 'http://2130706433/', 'http://0x7f.1/', 'http://0177.0.0.1/'],
    ...['http://①②⑦.0.0.1/', 'http://[::1]/', 'http://[::ffff:127.0.0.1]/', 'http://[::ffff:7f00:1]/'],
    ...['http://0.0.0.0/', 'http://[::]/', 'http://10.0.0.5/', 'http://172.16.3.4/', 'http://192.168.1.1/'],
    ...['http://169.254.169.254/latest/meta-data/', 'http://[fd00:ec2::254]/', 'http://100.64.0.1/'],
    ...['http://[64:ff9b::a00:1]/', 'http://[2002:7f00:1::]/', 'http://[2001::1]/', 'http://[fe80::1]/'],
    ...['http://224.0.0.1/', 'http://255.255.255.255/', 'http://198.18.0.1/', 'http://192.0.0.8/'],
  ])('%s', async (url) => {
    await expect(
      createFetchSite()(new URL(url), { listed: false, signal: new AbortController().signal }),
    ).rejects.toThrow('is not a public address')
  })

  test.each([
    ['this machine', ['127.0.0.1']],
    ['a private one among several', ['93.184.216.34', '192.168.1.1']],
    ['this machine, as IPv6', ['::ffff:127.0.0.1']],
    ['the cloud’s own', ['169.254.169.254']],
    ['nowhere', []],
  ])('a name that leads to %s', async (_where, addresses) => {
    const { asked, port } = await site(page(''))
    const fetchSite = createFetchSite({ resolve: async () => addresses, problemOf: () => undefined })
    const url = new URL(`http://evil.example:${port}/`)
    await expect(fetchSite(url, { listed: false, signal: new AbortController().signal })).rejects.toThrow(
      'not a public',
    )
    expect(asked).toEqual([])
  })

  test.each([
    ['ftp://site.example/', 'only http and https'],
    ['file:///etc/passwd', 'only http and https'],
    ['http://user@site.example/', 'a name or password'],
    ['http://:secret@site.example/', 'a name or password'],
    ['http://site.example:22/', 'only the ports 80 and 443'],
    ['https://pve.example:8006/', 'Proxmox’s own'],
  ])('%s', async (url, why) => {
    await expect(get(url, { problemOf: addressProblem })).rejects.toThrow(why)
    expect(addressProblem(new URL('https://pve.lan:8006/'), true)).toContain('Proxmox’s own')
  })
})

describe('a site that policy.yaml lists', () => {
  const home: FetchParts = { isAllowed: () => false, isHome: (address) => address === '127.0.0.1' }

  test('is asked at an address of this network, and no other site is', async () => {
    const { url } = await site(page('ok'))
    expect((await get(url, home, true)).status).toBe(200)
    await expect(get(url, home)).rejects.toThrow('not a public')
  })

  test('may redirect within itself, and not to another site of this network', async () => {
    const other = await site(page('secret'))
    const { url } = await site((request, response) => {
      if (request.url === '/page') response.writeHead(302, { location: '/next' }).end()
      else response.writeHead(302, { location: other.url.href }).end()
    })
    await expect(get(url, home, true)).rejects.toThrow('not a public')
    expect(other.asked).toEqual([])
  })

  test('is never this machine or link-local', async () => {
    const { url, asked } = await site(page(''))
    for (const address of ['127.0.0.1', '169.254.169.254', '::1', 'fe80::1']) {
      const fetchSite = createFetchSite({ resolve: async () => [address], problemOf: () => undefined })
      await expect(fetchSite(url, { listed: true, signal: new AbortController().signal })).rejects.toThrow(
        'not a public',
      )
    }
    expect(asked).toEqual([])
  })
})

describe('redirects', () => {
  const to =
    (location: string, status = 302): RequestListener =>
    (_request, response) =>
      void response.writeHead(status, { location }).end()

  test('are followed, each resolved and judged anew', async () => {
    const { url, port, asked } = await site((request, response) => {
      if (request.url === '/page') to(`http://other.example:${port}/moved`, 301)(request, response)
      else page('there')(request, response)
    })
    const hosts: string[] = []
    const got = await get(url, { resolve: async (host) => [hosts.push(host), '127.0.0.1'].slice(1) as string[] })
    expect([got.url.href, got.hops.length, hosts]).toEqual([
      `http://other.example:${port}/moved`,
      1,
      ['site.example', 'other.example'],
    ])
    expect(asked).toEqual([`GET site.example:${port} /page`, `GET other.example:${port} /moved`])
  })

  test.each([
    ['this machine', 'http://127.0.0.2/', 'not a public'],
    ['this machine, by another name', 'http://localhost.evil.example/', 'not a public'],
    ['another protocol', 'file:///etc/passwd', 'only http and https'],
    ['credentials', 'http://a:b@site.example/', 'a name or password'],
    ['no address', 'http://[', 'cannot be read'],
  ])('to %s is refused', async (_what, location, why) => {
    const { url } = await site(to(location))
    // 127.0.0.1 stands for the public site alone.
    const resolve = async (host: string) => [host === 'site.example' ? '127.0.0.1' : '127.0.0.2']
    await expect(get(url, { resolve })).rejects.toThrow(why)
  })

  test('without end are given up', async () => {
    const { url, asked } = await site((request, response) => to(`${request.url}x`)(request, response))
    await expect(get(url)).rejects.toThrow('more than 5 times')
    expect(asked).toHaveLength(6)
  })
})

describe('hostile answers', () => {
  const bomb = gzipSync(Buffer.alloc(50_000_000))
  test.each<[string, RequestListener, string, FetchParts?]>([
    ['a bomb of gzip', page(bomb, { 'content-encoding': 'gzip' }), 'larger than 10 MB'],
    [
      'a bomb of br',
      page(brotliCompressSync(Buffer.alloc(12_000_000)), { 'content-encoding': 'br' }),
      'larger than 10 MB',
    ],
    [
      'a chain of packings',
      page(gzipSync(gzipSync('x')), { 'content-encoding': 'gzip, gzip, gzip' }),
      'packed more than once',
    ],
    ['an unknown packing', page('x', { 'content-encoding': 'zstd' }), 'in a way that JARVIS does not read'],
    ['broken packing', page('no gzip', { 'content-encoding': 'gzip' }), 'its packing is broken'],
    ['packing cut short', page(gzipSync('x'.repeat(9_000)).subarray(0, 30), { 'content-encoding': 'gzip' }), 'broken'],
    ['a length that is too large', page('x', { 'content-length': '6000000' }), 'larger than 5 MB'],
    ['more bytes than said', page(Buffer.alloc(5_100_000, 'x')), 'larger than 5 MB'],
    ['no text', page('x', { 'content-type': 'application/pdf' }), 'it is application/pdf'],
    ['a fault', (_request, response) => void response.writeHead(503).end('x'), 'it answered 503: the site has a fault'],
    ['no such page', (_request, response) => void response.writeHead(404).end(), 'there is no such page'],
    ['silence', () => {}, 'took longer than 0.3 s', { timeoutMs: 300 }],
    [
      'a slow drip',
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/html' })
        response.on(
          'close',
          every(20, () => response.write('x')),
        )
      },
      'took longer than 0.3 s',
      { timeoutMs: 300 },
    ],
    ['a resolver that hangs', page(''), 'took longer', { timeoutMs: 100, resolve: () => new Promise(() => {}) }],
    ['a connection that breaks off', (request) => void request.socket.destroy(), 'broke the connection off'],
  ])('%s', async (_what, answer, why, parts) => {
    const { url } = await site(answer)
    await expect(get(url, parts)).rejects.toThrow(why)
  })

  test('headers without end', async () => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => {})
      socket.write('HTTP/1.1 200 OK\r\n')
      socket.on(
        'close',
        every(1, () => socket.write(`x-more: ${'y'.repeat(4_000)}\r\n`)),
      )
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    onTestFinished(() => void server.close())
    const url = `http://site.example:${(server.address() as AddressInfo).port}/`
    await expect(get(url)).rejects.toThrow('its headers are larger than 32 KB')
  })

  test('what is no HTTP', async () => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => {})
      socket.end('220 mail.example ESMTP\r\n')
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    onTestFinished(() => void server.close())
    await expect(get(`http://site.example:${(server.address() as AddressInfo).port}/`)).rejects.toThrow(
      'not speak HTTP',
    )
  })

  test('a page of one packing is unpacked, and whoever asks may stop', async () => {
    const { url } = await site(page(gzipSync('<p>small</p>'), { 'content-encoding': 'gzip' }))
    expect((await get(url)).body.toString()).toBe('<p>small</p>')
    const silent = await site(() => {})
    const stop = new AbortController()
    const asked = createFetchSite(here)(silent.url, { listed: false, signal: stop.signal })
    stop.abort(new Error('stopped'))
    await expect(asked).rejects.toThrow('stopped')
  })
})
