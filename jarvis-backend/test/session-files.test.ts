import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SessionFilesReply } from 'protocol'
import { expect, test } from 'vitest'
import { attachedDir, connected, odd, setTier, tool } from './support/attached.ts'
import { folder } from './support/data-dir.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'

/** A pixel, as PNG. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

const listOf = async (jarvis: TestJarvis, sessionId: string) =>
  (await (await jarvis.rest(`/api/sessions/${sessionId}/files`)).json()) as SessionFilesReply
const fileOf = (jarvis: TestJarvis, sessionId: string, path: string, headers: Record<string, string> = {}) =>
  jarvis.rest(`/api/sessions/${sessionId}/files/${path}`, { headers })

/** A conversation in which JARVIS wrote `reports/disk use.md`. */
async function written(content = '# Disks\nAll are well.\n') {
  const dataDir = folder()
  writeFileSync(join(dataDir, 'policy.yaml'), 'workbench: {roots: []}\n')
  const model = scripted(calls(['write_file', { path: 'session/reports/disk use.md', content }]), says('Written.'))
  const jarvis = await startJarvis({ dataDir, model })
  const screen = await jarvis.connect()
  const { sessionId } = await screen.ask('chat:send', { message: 'Write a report.' })
  await screen.next('chat:done')
  const at = (path: string) => join(dataDir, 'workbench', sessionId, path)
  return { jarvis, screen, sessionId, dataDir, at }
}

test('a file that JARVIS wrote is listed with its call, and comes as a download that no browser runs', async () => {
  const { jarvis, screen, sessionId } = await written()
  const result = screen.received.find(({ event }) => event === 'chat:tool_result')?.payload
  expect(result?.files).toEqual(['reports/disk use.md'])
  const by = { toolUseId: result?.toolUseId, toolName: 'write_file', seq: result?.seq }
  expect(await listOf(jarvis, sessionId)).toEqual({
    items: [{ path: 'reports/disk use.md', bytes: 22, changedAt: expect.any(Number), by }],
  })
  const file = await fileOf(jarvis, sessionId, 'reports/disk%20use.md')
  expect(file.status).toBe(200)
  expect(Object.fromEntries(file.headers)).toMatchObject({
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'content-disposition': `attachment; filename="disk_use.md"; filename*=UTF-8''disk%20use.md`,
    'content-length': '22',
    'cache-control': 'private, no-cache',
  })
  expect(await file.text()).toBe('# Disks\nAll are well.\n')
  const known = { 'if-none-match': file.headers.get('etag') ?? '', 'cache-control': 'max-age=0' }
  expect((await fileOf(jarvis, sessionId, 'reports/disk%20use.md', known)).status).toBe(304)
})

test('markup is text, a picture is told by its bytes, and all else is bytes', async () => {
  const { jarvis, sessionId, at } = await written()
  writeFileSync(at('page.html'), '<script>alert(1)</script>')
  writeFileSync(at('drawing.svg'), '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>')
  writeFileSync(at('pixel.txt'), png)
  writeFileSync(at('archive.png'), Buffer.from([80, 75, 3, 4, 0, 0]))
  writeFileSync(at('empty'), '')
  const types = async (path: string) => (await fileOf(jarvis, sessionId, path)).headers.get('content-type')
  expect(await Promise.all(['page.html', 'drawing.svg', 'pixel.txt', 'archive.png', 'empty'].map(types))).toEqual([
    'text/plain; charset=utf-8',
    'text/plain; charset=utf-8',
    'image/png',
    'application/octet-stream',
    'text/plain; charset=utf-8',
  ])
})

test('a range is answered with that part, and a form that is not known with the whole file', async () => {
  const { jarvis, sessionId, at } = await written()
  writeFileSync(at('text'), '0123456789')
  writeFileSync(at('bytes'), '0123456789\0')
  const asked = async (range: string, more: Record<string, string> = {}, path = 'text') => {
    const part = await fileOf(jarvis, sessionId, path, { range, ...more })
    return [part.status, await part.text(), part.headers.get('content-range')]
  }
  expect(await asked('bytes=2-4')).toEqual([206, '234', 'bytes 2-4/10'])
  expect(await asked('bytes=7-')).toEqual([206, '789', 'bytes 7-9/10'])
  expect(await asked('bytes=-2')).toEqual([206, '89', 'bytes 8-9/10'])
  expect(await asked('bytes=0-99')).toEqual([206, '0123456789', 'bytes 0-9/10'])
  expect(await asked('bytes=10-')).toEqual([416, '', 'bytes */10'])
  expect(await asked('bytes=5-2')).toEqual([416, '', 'bytes */10'])
  expect(await asked('bytes=0-1,4-5')).toEqual([200, '0123456789', null])
  expect(await asked('lines=1-2')).toEqual([200, '0123456789', null])
  expect(await asked('bytes=2-4', { 'if-range': '"another"' })).toEqual([200, '0123456789', null])
  expect(await asked('bytes=9-10', {}, 'bytes')).toEqual([206, '9\0', 'bytes 9-10/11'])
})

test('no way leads out of the folder, to a name of secrets or to the folder of another session', async () => {
  const { jarvis, sessionId, dataDir, at } = await written()
  writeFileSync(join(dataDir, 'outside.txt'), 'outside')
  symlinkSync(join(dataDir, 'outside.txt'), at('link.txt'))
  symlinkSync(dataDir, at('out'))
  writeFileSync(at('.env'), 'A=1')
  mkdirSync(at('.ssh'))
  writeFileSync(at('.ssh/id_ed25519'), 'key')
  const status = async (path: string) => (await fileOf(jarvis, sessionId, path)).status
  const ways = [
    'link.txt',
    'out/outside.txt',
    'a%00b',
    'reports',
    '..%2F..%2Foutside.txt',
    '%2Fetc%2Fpasswd',
    '.env',
    '.ssh/id_ed25519',
  ]
  expect(await Promise.all(ways.map(status))).toEqual([400, 400, 400, 400, 403, 404, 403, 403])
  expect((await fileOf(jarvis, 'ses_0', 'link.txt')).status).toBe(404)
  expect((await jarvis.rest('/api/sessions/ses_0/files')).status).toBe(404)
  expect((await listOf(jarvis, sessionId)).items.map(({ path }) => path)).toEqual(['reports/disk use.md'])
})

test('secrets in a text are replaced, and the answer says so', async () => {
  const { jarvis, sessionId, at } = await written()
  writeFileSync(at('app.conf'), 'password = hunter2hunter2\n')
  const file = await fileOf(jarvis, sessionId, 'app.conf')
  expect(file.headers.get('jarvis-redacted')).toBe('true')
  expect(await file.text()).toBe('password = [redacted]\n')
  expect((await fileOf(jarvis, sessionId, 'reports/disk%20use.md')).headers.get('jarvis-redacted')).toBeNull()
})

test('a file that is gone says so, and a file over 50 MB is not sent', async () => {
  const { jarvis, sessionId, at } = await written()
  rmSync(at('reports'), { recursive: true })
  const gone = await fileOf(jarvis, sessionId, 'reports/disk%20use.md')
  expect([gone.status, await gone.json()]).toEqual([
    404,
    {
      error: {
        code: 'not_found',
        message: 'There is no file session/reports/disk use.md. It may have been renamed or deleted.',
      },
    },
  ])
  expect((await listOf(jarvis, sessionId)).items).toMatchObject([
    { path: 'reports/disk use.md', isGone: true, by: { toolName: 'write_file' } },
  ])
  writeFileSync(at('large'), '')
  truncateSync(at('large'), 50 * 1024 ** 2 + 1)
  expect((await fileOf(jarvis, sessionId, 'large')).status).toBe(413)
})

test('a branch has the files that its transcript speaks of, and the session keeps its own', async () => {
  const dataDir = folder()
  writeFileSync(join(dataDir, 'policy.yaml'), 'workbench: {roots: []}\n')
  const write = (path: string, content: string, hash?: string): [string, Record<string, unknown>] => [
    'write_file',
    { path: `session/${path}`, content, ...(hash && { hash }) },
  ]
  const hashOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16)
  const model = scripted(
    calls(write('a.md', 'one')),
    says('Written.'),
    calls(write('a.md', 'two', hashOf('one')), write('b.md', 'new'), write('c.md', 'new')),
    says('Changed.'),
  )
  const jarvis = await startJarvis({ dataDir, model })
  const screen = await jarvis.connect()
  const { sessionId } = await screen.ask('chat:send', { message: 'Write.' })
  await screen.next('chat:done')
  await screen.ask('chat:send', { sessionId, message: 'Change.' })
  await screen.next('chat:done')
  const seq = screen.received.findLast(({ event }) => event === 'chat:user')?.payload.seq
  const at = (id: string, path: string) => join(dataDir, 'workbench', id, path)
  writeFileSync(at(sessionId, 'c.md'), 'by hand')
  const response = await jarvis.rest(`/api/sessions/${sessionId}/branch`, { method: 'POST', json: { before: seq } })
  const branch = (await response.json()) as { id: string; restored?: object[] }
  expect((await listOf(jarvis, branch.id)).items.map(({ path }) => path).sort()).toEqual(['a.md', 'c.md'])
  expect(readFileSync(at(branch.id, 'a.md'), 'utf8')).toBe('one')
  expect(readFileSync(at(branch.id, 'c.md'), 'utf8')).toBe('by hand')
  expect(branch.restored).toEqual([
    {
      path: 'session/c.md',
      writes: 1,
      goesBack: false,
      because: 'It was edited since by something else, so the branch has it as it stands now.',
    },
  ])
  expect(readFileSync(at(sessionId, 'a.md'), 'utf8')).toBe('two')
  expect(readFileSync(at(sessionId, 'b.md'), 'utf8')).toBe('new')
})

test('files that an attached tool returns are kept in the session’s folder under plain names', async () => {
  const { dir } = attachedDir((planPath) => ({ odd: odd(planPath) }), { tools: [tool('report')] })
  const model = scripted(calls(['odd__report', {}]), says('Here it is.'))
  const jarvis = await startJarvis({ dataDir: dir, model })
  await connected(jarvis, 'odd')
  await setTier(jarvis, 'odd__report', 'green')
  const screen = await jarvis.connect()
  const { sessionId } = await screen.ask('chat:send', { message: 'The report, please.' })
  const result = await screen.next('chat:tool_result')
  await screen.next('chat:done')
  expect(result.result).toContain('A file came with it and is kept as session/received/We_ek.pdf.')
  expect(result.files).toEqual(['received/We_ek.pdf', 'received/week.html'])
  const pdf = await fileOf(jarvis, sessionId, 'received/We_ek.pdf')
  expect(Buffer.from(await pdf.arrayBuffer())).toEqual(Buffer.from([0, 1, 2, 3]))
  const page = await fileOf(jarvis, sessionId, 'received/week.html')
  expect([page.headers.get('content-type'), await page.text()]).toEqual([
    'text/plain; charset=utf-8',
    '<script>alert(1)</script>',
  ])
})
