import { inside } from '../sandbox/argv.ts'

/** Where the relay listens inside a sandbox, on the sandbox's own loopback. */
export const relayPort = 3128
const relayUrl = `http://127.0.0.1:${relayPort}`
const nodeInside = '/run/node'

/** What programs read to find the way out. */
export const relayEnv: Readonly<Record<string, string>> = {
  ...{ HTTP_PROXY: relayUrl, HTTPS_PROXY: relayUrl, http_proxy: relayUrl, https_proxy: relayUrl },
  ...{ NO_PROXY: '', no_proxy: '' },
}

/**
 * The program that connects the sandbox's loopback to the socket of our proxy, as programs speak to no UNIX socket. It starts the program
 * of its arguments, hands its own files 0 to 4 on, and ends as that program does. As text, because no file of ours is in a sandbox.
 */
const source = `
const { connect, createServer } = require('node:net')
const { spawn } = require('node:child_process')
const { constants } = require('node:os')
const [files, socket, program, ...rest] = process.argv.slice(1)
const server = createServer((client) => {
  const way = connect(socket)
  client.on('error', () => way.destroy()).on('close', () => way.destroy())
  way.on('error', () => client.destroy()).on('close', () => client.destroy())
  client.pipe(way).pipe(client)
})
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => undefined)
server.listen(${relayPort}, '127.0.0.1', () => {
  const child = spawn(program, rest, { stdio: Array.from({ length: Number(files) }, (_, file) => file) })
  child.on('error', (error) => { console.error(error.message); process.exit(127) })
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
})
`

/** This Node, which the sandbox needs where it has none in `/usr`. */
export const relayBind = { from: process.execPath, to: nodeInside } as const

/**
 * A program with the relay before it. The cell needs `egress` and `relayBind`.
 * @param files how many files the program inherits, from 0 on
 */
export const relayed = (program: readonly string[], files = 3): string[] => [
  ...[nodeInside, '--max-old-space-size=64', '-e', source, '--', String(files), inside.egress, ...program],
]
