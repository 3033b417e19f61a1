import { StringDecoder } from 'node:string_decoder'

/** Numbers of characters that are kept: the first (`head`) and the last (`tail`). */
const kept = { head: 30_000, tail: 70_000 }
/** Number of bytes after which reading stops. */
const mostBytes = 16 * 1024 ** 2
const headBytes = 8
/** Stream numbers. If the container has no terminal, each chunk begins with a header of 8 bytes: the stream, three zeros, the length. */
const streams = new Set([0, 1, 2])

/**
 * Reads the output of a container. Both streams become one text, in the order of writing. @param isTty true: the output has no headers
 * @see Docker Engine API, "Attach to a container", stream format
 */
export function createLogReader(isTty: boolean) {
  const decoder = new StringDecoder('utf8')
  let rest: Buffer = Buffer.alloc(0)
  let [head, tail, left, size] = ['', '', 0, 0]
  let isRaw = isTty

  function keep(bytes: Buffer) {
    let text = decoder.write(bytes)
    if (head.length < kept.head) {
      const taken = text.slice(0, kept.head - head.length)
      head += taken
      text = text.slice(taken.length)
    }
    tail += text
    if (tail.length <= 2 * kept.tail) return
    left += tail.length - kept.tail
    tail = tail.slice(-kept.tail)
  }

  return {
    /** Adds bytes. @returns false if no more are wanted */
    add(chunk: Buffer): boolean {
      size += chunk.length
      if (isRaw) {
        keep(chunk)
        return size < mostBytes
      }
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      while (rest.length >= headBytes) {
        const isHead = streams.has(rest[0] ?? -1) && rest.readUIntBE(1, 3) === 0
        if (!isHead) {
          // The container engine is another product that sends no headers.
          isRaw = true
          keep(rest)
          rest = Buffer.alloc(0)
          break
        }
        const length = rest.readUInt32BE(4)
        if (rest.length < headBytes + length) break
        keep(rest.subarray(headBytes, headBytes + length))
        rest = rest.subarray(headBytes + length)
      }
      return size < mostBytes && rest.length < mostBytes
    },
    text(): { text: string; isCut: boolean } {
      if (tail.length > kept.tail) {
        left += tail.length - kept.tail
        tail = tail.slice(-kept.tail)
      }
      const whole = left === 0 ? `${head}${tail}` : `${head}\n… ${left} characters left out …\n${tail}`
      return { text: `${whole}${decoder.end()}`, isCut: left > 0 || size >= mostBytes }
    },
  }
}
