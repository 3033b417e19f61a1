import type { IncomingMessage } from 'node:http'

/**
 * Reads a request's body by events, because the async iterator is slow.
 * @param most bytes @param tooLarge the error for a larger body, of which the rest is not read
 */
export function bodyBytes(request: IncomingMessage, most: number, tooLarge: () => Error): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      chunks.push(chunk)
      if (size <= most) return
      request.removeAllListeners('data')
      // The rest is not read; the answer closes the connection.
      request.pause()
      reject(tooLarge())
    })
    request.once('end', () => resolve(Buffer.concat(chunks)))
    request.once('error', reject)
  })
}
