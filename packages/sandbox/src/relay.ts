import { inside } from './argv.ts'

/** The port of the relay inside a sandbox, on the sandbox's own loopback. */
export const relayPort = 3128
const relayUrl = `http://127.0.0.1:${relayPort}`
/** The URL, inside a sandbox, of the proxy behind a socket. @param lane the socket's index in `sockets` of `relayed` */
export const relayAt = (lane: number): string => `http://127.0.0.1:${relayPort + lane}`
const nodeInside = '/run/node'

/** Environment variables that tell programs to use the proxy. */
export const relayEnv: Readonly<Record<string, string>> = {
  HTTP_PROXY: relayUrl,
  HTTPS_PROXY: relayUrl,
  http_proxy: relayUrl,
  https_proxy: relayUrl,
  NO_PROXY: '',
  no_proxy: '',
}

/**
 * A program that forwards ports of the sandbox's loopback to the sockets of proxies on the host, one port for each socket, because programs cannot
 * use a UNIX socket as a proxy. It starts the program in its arguments, passes its own file descriptors on, and ends as that program ends. It is a text,
 * because no file of this package is inside a sandbox.
 */
const source = `
const { connect, createServer } = require('node:net')
const { spawn } = require('node:child_process')
const { constants } = require('node:os')
const [files, sockets, program, ...rest] = process.argv.slice(1)
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => undefined)
const listening = sockets.split(':').map((socket, lane) => new Promise((done) => createServer((client) => {
  const way = connect(socket)
  client.on('error', () => way.destroy()).on('close', () => way.destroy())
  way.on('error', () => client.destroy()).on('close', () => client.destroy())
  client.pipe(way).pipe(client)
}).listen(${relayPort} + lane, '127.0.0.1', done)))
Promise.all(listening).then(() => {
  const child = spawn(program, rest, { stdio: Array.from({ length: Number(files) }, (_, file) => file) })
  child.on('error', (error) => { console.error(error.message); process.exit(127) })
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
})
`

/** The executable of this process's Node. It is bound into the sandbox, because `/usr` may hold no Node. */
export const relayBind = { from: process.execPath, to: nodeInside } as const

/**
 * Puts the relay before a program. The cell needs `relayBind`, and `egress` or binds for `sockets`.
 * @param files the number of file descriptors that the program inherits, from 0 on
 * @param sockets paths of the proxies' sockets inside the sandbox; `relayAt` gives the URL for each
 */
export const relayed = (
  program: readonly string[],
  files = 3,
  sockets: readonly string[] = [inside.egress],
): string[] => [
  ...[nodeInside, '--max-old-space-size=64', '-e', source, '--', String(files), sockets.join(':'), ...program],
]
