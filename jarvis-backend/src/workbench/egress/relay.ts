import { inside } from '../sandbox/argv.ts'

/** Where the relay listens inside a sandbox, on the sandbox's own loopback. */
export const relayPort = 3128
const relayUrl = `http://127.0.0.1:${relayPort}`
/** The address, inside a sandbox, of the proxy behind a socket by its place in `sockets` of `relayed`. */
export const relayAt = (lane: number): string => `http://127.0.0.1:${relayPort + lane}`
const nodeInside = '/run/node'

/** Environment variables by which programs find the proxy. */
export const relayEnv: Readonly<Record<string, string>> = {
  HTTP_PROXY: relayUrl,
  HTTPS_PROXY: relayUrl,
  http_proxy: relayUrl,
  https_proxy: relayUrl,
  NO_PROXY: '',
  no_proxy: '',
}

/**
 * The program that connects ports of the sandbox's loopback to the sockets of our proxies, one each, as programs speak to no UNIX socket. It starts the program
 * of its arguments, hands its own files 0 to 4 on, and ends as that program does. As text, because no file of ours is in a sandbox.
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

/** This process's Node. The sandbox needs it if there is no Node in `/usr`. */
export const relayBind = { from: process.execPath, to: nodeInside } as const

/**
 * A program with the relay before it. The cell needs `relayBind`, and `egress` or binds for `sockets`.
 * @param files how many files the program inherits, from 0 on
 * @param sockets where the proxies' sockets are inside; `relayAt` tells the address of each
 */
export const relayed = (
  program: readonly string[],
  files = 3,
  sockets: readonly string[] = [inside.egress],
): string[] => [
  ...[nodeInside, '--max-old-space-size=64', '-e', source, '--', String(files), sockets.join(':'), ...program],
]
