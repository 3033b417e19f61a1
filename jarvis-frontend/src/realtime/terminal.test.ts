import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Server, type Socket } from 'socket.io'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openShell, type TerminalEnd } from './terminal.ts'

let http: HttpServer
let io: Server
let opened: unknown[]
let typed: string[]
let sizes: unknown[]
/** Answers of the server to `terminal:open`, in order; after the last one the terminal is open. */
let answers: ((socket: Socket) => unknown)[]
let isClosing: boolean
let last: Socket

beforeEach(async () => {
  ;[opened, typed, sizes, answers, isClosing] = [[], [], [], [], false]
  http = createServer()
  io = new Server(http)
  const terminal = io.of('/terminal')
  terminal.use((socket, next) =>
    socket.handshake.auth.token === 'tok'
      ? next()
      : next(Object.assign(new Error('x'), { data: { message: 'Sign in again.' } })),
  )
  terminal.on('connection', (socket) => {
    last = socket
    socket.on('terminal:open', (payload, ack) => {
      opened.push(payload)
      const answer = answers.shift() ?? (() => ({ ok: true, terminalId: 't1' }))
      const reply = answer(socket)
      if (reply !== undefined) ack(reply)
    })
    socket.on('terminal:input', ({ data }, ack) => {
      typed.push(data)
      ack(isClosing ? { ok: false, error: { code: 'forbidden', message: 'It is closed.' } } : { ok: true })
    })
    socket.on('terminal:resize', (payload, ack) => {
      sizes.push(payload)
      ack({ ok: true })
    })
  })
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', done))
  vi.stubGlobal('location', { origin: `http://127.0.0.1:${(http.address() as AddressInfo).port}` })
})
afterEach(async () => {
  vi.unstubAllGlobals()
  await io.close()
})

const once = <T>(attempt: () => Promise<T>) => attempt()

function open({ token = 'tok', withPassword = once as typeof once } = {}) {
  const shown: string[] = []
  const ends: TerminalEnd[] = []
  let tell = () => {}
  const on = {
    output: (data: string) => {
      shown.push(data)
      tell()
    },
    end: (end: TerminalEnd) => {
      ends.push(end)
      tell()
    },
  }
  const until = (isSo: () => boolean) =>
    new Promise<void>((done) => {
      tell = () => isSo() && done()
      tell()
    })
  return { shown, ends, until, shell: openShell({ node: 'pve', cols: 80, rows: 24, token, withPassword }, on) }
}
const refuse = (code: string, message: string) => () => ({ ok: false, error: { code, message } })

test('a shell shows what the node sends, from before the answer on, and takes what is typed and its size', async () => {
  answers.push((socket) => {
    socket.emit('terminal:output', { terminalId: 't1', data: 'Welcome' })
    return { ok: true, terminalId: 't1' }
  })
  const { shown, ends, shell, until } = open()
  const { type, resize } = await shell
  expect(opened).toEqual([{ node: 'pve', cols: 80, rows: 24 }])
  expect(shown).toEqual(['Welcome'])
  resize({ cols: 90, rows: 30 })
  type('x'.repeat(16_001))
  type('exit\r')
  last.on('terminal:input', ({ data }) => {
    if (data === 'exit\r') last.emit('terminal:exit', { terminalId: 't1', reason: 'exited', exitCode: 3 })
  })
  await until(() => ends.length > 0)
  expect(sizes).toEqual([{ terminalId: 't1', cols: 90, rows: 30 }])
  expect(typed.map(({ length }) => length)).toEqual([16_000, 1, 5])
  expect(ends).toEqual([{ reason: 'exited', exitCode: 3 }])
})

test('a shell that the page closes ends once', async () => {
  const { ends, shell } = open()
  const { close } = await shell
  close()
  close()
  expect(ends).toEqual([{ reason: 'closed' }])
})

test('a lost connection and a refused key end the shell in words', async () => {
  const lost = open()
  await lost.shell
  last.disconnect(true)
  await lost.until(() => lost.ends.length > 0)
  expect(lost.ends).toEqual([{ reason: 'The connection was lost.' }])
  isClosing = true
  const refused = open()
  ;(await refused.shell).type('ls')
  await refused.until(() => refused.ends.length > 0)
  expect(refused.ends).toEqual([{ reason: 'It is closed.' }])
})

test('the password is asked for over the same connection, and the shell opens after it', async () => {
  answers.push(refuse('step_up_required', 'Give the password.'))
  const codes: unknown[] = []
  const { shell } = open({
    withPassword: (attempt) =>
      attempt().catch((error: { code: unknown }) => {
        codes.push(error.code)
        return attempt()
      }),
  })
  ;(await shell).close()
  expect(codes).toEqual(['step_up_required'])
  expect(opened).toHaveLength(2)
})

test.each([
  ['a refusal', refuse('forbidden', 'Viewers open no shell.'), 'Viewers open no shell.'],
  [
    'a connection that is lost before the answer',
    (socket: Socket) => void socket.disconnect(true),
    'No answer came. The shell was not opened.',
  ],
])('%s is an error in words, and leaves no connection', async (_, answer, message) => {
  answers.push(answer)
  const { shell, ends } = open()
  await expect(shell).rejects.toThrow(message)
  await expect.poll(() => io.of('/terminal').sockets.size, { interval: 5 }).toBe(0)
  expect(ends).toEqual([])
})

test('a refused sign-in and a server that is away are said', async () => {
  await expect(open({ token: 'old' }).shell).rejects.toThrow('Sign in again.')
  await io.close()
  await expect(open().shell).rejects.toThrow('JARVIS could not be reached.')
})
