import type { IncomingMessage } from 'node:http'

/**
 * Reads a request’s body with events, because the async iterator is slow.
 * @param most maximum length, bytes @param tooLarge returns the error for a longer body; the rest of such a body is not read
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
      // Stops reading. The response then closes the connection.
      request.pause()
      reject(tooLarge())
    })
    request.once('end', () => resolve(Buffer.concat(chunks)))
    request.once('error', reject)
  })
}
