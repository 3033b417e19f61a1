export type CappedOutput = {
  add(chunk: Buffer): void
  /** The kept text; a line between start and end tells how many bytes are missing. */
  text(): string
  leftOutBytes(): number
}

/** The partial line at the cut is dropped, up to this many bytes, because the redaction does not recognise half a secret. */
const seamBytes = 8_192

/** Keeps whole lines of the first and the last `keepBytes` of a stream. */
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
      // Trimming is rare, because it joins the buffers. Until then at most twice the limit is kept.
      if (tailBytes > 2 * keepBytes) trim()
    },
    text() {
      const { before, after, leftOut } = parts()
      if (leftOut === 0) return Buffer.concat([before, after]).toString()
      return `${before.toString()}\n… ${leftOut.toLocaleString('en')} bytes left out …\n${after.toString()}`
    },
    leftOutBytes: () => parts().leftOut,
  }

  function trim() {
    const over = tailBytes - keepBytes
    if (over <= 0) return
    tail = [Buffer.concat(tail).subarray(over)]
    tailBytes = keepBytes
    dropped += over
  }

  function parts() {
    trim()
    const [start, end] = [Buffer.concat(head), Buffer.concat(tail)]
    if (dropped === 0) return { before: start, after: end, leftOut: 0 }
    const seam = Math.min(seamBytes, keepBytes / 2)
    const [before, after] = [wholeEnd(start, seam), wholeStart(end, seam)]
    return { before, after, leftOut: dropped + start.length - before.length + end.length - after.length }
  }
}

const newline = 10
const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80

/** Drops the partial line at the end, or the last `seam` bytes of a longer one. */
function wholeEnd(bytes: Buffer, seam: number): Buffer {
  const line = bytes.lastIndexOf(newline)
  if (line >= bytes.length - seam) return bytes.subarray(0, line)
  let at = bytes.length - Math.floor(seam)
  while (at > 0 && isContinuation(bytes[at])) at -= 1
  return bytes.subarray(0, at)
}

/** Drops the partial line at the start, or the first `seam` bytes of a longer one. */
function wholeStart(bytes: Buffer, seam: number): Buffer {
  const line = bytes.indexOf(newline)
  if (line !== -1 && line < seam) return bytes.subarray(line + 1)
  let at = Math.floor(seam)
  while (at < bytes.length && isContinuation(bytes[at])) at += 1
  return bytes.subarray(at)
}
