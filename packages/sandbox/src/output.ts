/** Numbers of bytes that are kept of a program's output: the first (`head`) and the last (`tail`), and the first ones for the log. */
export const keptBytes = { head: 32 * 1024, tail: 68 * 1024, log: 5 * 1024 ** 2 }

/** The output of a program. It is text of strangers: redact it and make invisible characters visible before anybody reads it. */
export type Output = {
  add(chunk: Buffer): void
  /** Calls one listener for each chunk from now on. */
  listen(listener: () => void): void
  /** The number of bytes so far, including dropped ones. */
  bytes(): number
  /** The first and the last bytes, and between them the number of bytes that were left out. */
  text(): string
  /** The last lines, oldest first. */
  lastLines(most: number): string[]
  /** The first 5 MiB. */
  log(): string
}

/** Makes an output that counts dropped bytes and never stops reading, because a full pipe would block the program. */
export function createOutput(kept = keptBytes): Output {
  const log: Buffer[] = []
  let logged = 0
  let tail = Buffer.alloc(0)
  let bytes = 0
  let heard: () => void = () => undefined

  const text = () => {
    const whole = Buffer.concat(log)
    if (bytes <= kept.head + kept.tail) return decoded(bytes <= logged ? whole : joined(whole, tail, bytes))
    const first = upToABreak(whole.subarray(0, kept.head))
    const last = fromABreak(tail)
    return `${decoded(first)}\n… ${bytes - first.length - last.length} bytes left out …\n${decoded(last)}`
  }
  return {
    add(chunk) {
      bytes += chunk.length
      if (logged < kept.log) {
        const part = chunk.subarray(0, kept.log - logged)
        log.push(part)
        logged += part.length
      }
      tail = Buffer.concat([tail, chunk.subarray(-kept.tail)]).subarray(-kept.tail)
      heard()
    },
    listen(listener) {
      heard = listener
    },
    bytes: () => bytes,
    text,
    lastLines: (most) =>
      decoded(bytes > kept.tail ? fromABreak(tail) : tail)
        .trimEnd()
        .split('\n')
        .slice(-most),
    log: () => decoded(cutEnd(Buffer.concat(log))),
  }
}

const joined = (log: Buffer, tail: Buffer, bytes: number) => Buffer.concat([log, tail.subarray(-(bytes - log.length))])

const decoded = (bytes: Buffer) => bytes.toString('utf8')

/** The most by which a cut moves to the next break, bytes. */
const slack = 4096
const isBreak = (byte: number | undefined) => byte === 0x0a || byte === 0x20

/** Cuts at the end of a word, or up to 4,096 bytes earlier, because half of a secret would not be recognised as a secret. */
function upToABreak(bytes: Buffer): Buffer {
  let at = bytes.length
  const least = Math.max(0, bytes.length - slack)
  while (at > least && !isBreak(bytes[at - 1])) at -= 1
  return cutEnd(bytes.subarray(0, at))
}

function fromABreak(bytes: Buffer): Buffer {
  let at = 0
  while (at < Math.min(slack, bytes.length) && !isBreak(bytes[at])) at += 1
  return cutStart(bytes.subarray(at))
}

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80

/** Removes up to three first bytes if they continue a character whose beginning is missing. */
function cutStart(bytes: Buffer): Buffer {
  let at = 0
  while (at < 3 && isContinuation(bytes[at])) at += 1
  return bytes.subarray(at)
}

/** Removes the last character if its end is missing. */
function cutEnd(bytes: Buffer): Buffer {
  let at = bytes.length - 1
  while (at > bytes.length - 4 && isContinuation(bytes[at])) at -= 1
  const first = bytes[at] ?? 0
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1
  return bytes.length - at < length ? bytes.subarray(0, Math.max(at, 0)) : bytes
}
