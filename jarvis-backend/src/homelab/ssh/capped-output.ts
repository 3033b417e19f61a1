export type CappedOutput = {
  add(chunk: Buffer): void
  /** What was kept; between head and tail a line that says how much was not. */
  text(): string
  leftOutBytes(): number
}

/** Keeps the first and the last `keepBytes` of a stream, whatever its length. */
export function cappedOutput(keepBytes: number): CappedOutput {
  const head: Buffer[] = []
  let room = keepBytes
  let tail: Buffer[] = []
  let tailBytes = 0
  let dropped = 0
  return {
    add(chunk) {
      const first = chunk.subarray(0, room)
      room -= first.length
      if (first.length > 0) head.push(first)
      const rest = chunk.subarray(first.length)
      if (rest.length === 0) return
      tail.push(rest)
      tailBytes += rest.length
      // Joined only now and then: what is kept meanwhile is at most twice as much.
      if (tailBytes > 2 * keepBytes) trim()
    },
    text() {
      trim()
      if (dropped === 0) return Buffer.concat([...head, ...tail]).toString()
      const end = Buffer.concat(tail)
      const [before, after] = [wholeEnd(Buffer.concat(head)), wholeStart(end)]
      return `${before}\n… ${dropped.toLocaleString('en')} bytes left out …\n${after}`
    },
    leftOutBytes: () => dropped + Math.max(0, tailBytes - keepBytes),
  }

  function trim() {
    const over = tailBytes - keepBytes
    if (over <= 0) return
    tail = [Buffer.concat(tail).subarray(over)]
    tailBytes = keepBytes
    dropped += over
  }
}

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80

/** Without a character that was cut in two at the end. */
function wholeEnd(bytes: Buffer): string {
  let at = bytes.length - 1
  while (at > 0 && at > bytes.length - 4 && isContinuation(bytes[at])) at -= 1
  const lead = bytes[at] ?? 0
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1
  return bytes.subarray(0, at + length > bytes.length ? at : bytes.length).toString()
}

/** Without a character that was cut in two at the start. */
function wholeStart(bytes: Buffer): string {
  let at = 0
  while (at < 3 && isContinuation(bytes[at])) at += 1
  return bytes.subarray(at).toString()
}
