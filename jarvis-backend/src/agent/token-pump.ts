type Send = (kind: 'text' | 'thinking', text: string) => void

/**
 * Opens one streaming answer. The first delta is sent at once. Later deltas are sent in frames: every `windowMs`, or at every second frame if the
 * stream is fast.
 */
export type OpenStream = (send: Send) => { push: Send; flush(): void }

type Stream = { kind: 'text' | 'thinking'; buffer: string; isOpen: boolean; isHeld: boolean; send: Send }

/** The length of a frame, ms. A screen draws 60 times a second. */
const frameMs = 16
/** A stream with more new characters a frame is fast (over 500 tokens a second). Nobody reads that fast, so it is sent at every second frame. */
const fastChars = 32

/**
 * Creates the pump that sends streamed text in frames; this is the hot path. A delta is sent at once if nothing was sent for `windowMs`. Deltas that
 * follow within the window are sent together at its end. One timer serves all answers, and no timer runs while nothing streams.
 */
export function createTokenPump(windowMs = frameMs): OpenStream {
  let open: Stream[] = []
  let isTicking = false

  function tick() {
    const due = open
    open = []
    for (const stream of due) {
      if (stream.buffer === '') {
        stream.isOpen = false
        continue
      }
      open.push(stream)
      stream.isHeld = !stream.isHeld && stream.buffer.length > fastChars
      if (!stream.isHeld) flush(stream)
    }
    isTicking = open.length > 0
    if (isTicking) setTimeout(tick, windowMs)
  }

  function flush(stream: Stream) {
    const text = stream.buffer
    stream.buffer = ''
    if (text !== '') stream.send(stream.kind, text)
  }

  return (send) => {
    const stream: Stream = { kind: 'text', buffer: '', isOpen: false, isHeld: false, send }
    return {
      push(kind, delta) {
        if (kind !== stream.kind) {
          flush(stream)
          stream.kind = kind
        }
        if (stream.isOpen) {
          stream.buffer += delta
          return
        }
        stream.isOpen = true
        open.push(stream)
        if (!isTicking) setTimeout(tick, windowMs)
        isTicking = true
        stream.send(kind, delta)
      },
      flush: () => flush(stream),
    }
  }
}
