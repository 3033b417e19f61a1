import { StringDecoder } from 'node:string_decoder'
import type { TerminalSize, Terminals } from 'homelab-ports/ports'
import { JarvisError } from 'protocol'
import type { ClientChannel } from 'ssh2'
import { type Connection, connect, type SshOptions } from './connect.ts'

/** Maximum input that the node has not read yet, bytes. */
const maxUnreadBytes = 1024 * 1024

/** Shells on nodes. Each has its own connection, so a flood of output delays no command, and cutting the connection ends it. */
export function createSshTerminals(options: SshOptions): Terminals {
  return {
    async open(node, { size, signal, onOutput, onEnd }) {
      signal.throwIfAborted()
      const connection = await connect(node, options)
      signal.addEventListener('abort', connection.cut, { once: true })
      if (signal.aborted) connection.cut()
      const channel = await shellOn(connection, { node, size }, options).catch((error: unknown) => {
        connection.cut()
        throw signal.aborted ? signal.reason : error
      })
      signal.removeEventListener('abort', connection.cut)

      const decoder = new StringDecoder()
      let code: number | undefined
      channel.pause()
      channel.on('data', (chunk: Buffer) => onOutput(decoder.write(chunk)))
      channel.stderr.resume()
      channel.on('error', () => {})
      channel.on('exit', (exitCode: number | null) => {
        code = exitCode ?? undefined
      })
      channel.once('close', connection.cut)
      connection.onLost(() => onEnd(code))

      return {
        write(data) {
          if (channel.writableLength > maxUnreadBytes) {
            throw new JarvisError('too_many_requests', 'The shell does not read what is typed. Wait, or close it.')
          }
          if (channel.writable) channel.write(data)
        },
        resize: ({ rows, cols }) => channel.setWindow(rows, cols, 0, 0),
        pause: () => void channel.pause(),
        resume: () => void channel.resume(),
        close: connection.cut,
      }
    },
  }
}

function shellOn(
  { client, cut, onLost }: Connection,
  { node, size }: { node: string; size: TerminalSize },
  { clock, connectMs = 10_000 }: SshOptions,
): Promise<ClientChannel> {
  return new Promise<ClientChannel>((resolve, reject) => {
    const fail = (text: string, cause?: unknown) => reject(new JarvisError('cluster_unreachable', text, { cause }))
    onLost(() => fail(`The connection to ${node} was lost before the shell began.`))
    const disarm = clock.after(connectMs, cut)
    client.shell({ ...size, term: 'xterm-256color' }, (error, channel) => {
      disarm()
      if (error === undefined) resolve(channel)
      else fail(`${node} opened no shell over SSH.`, error)
    })
  })
}
