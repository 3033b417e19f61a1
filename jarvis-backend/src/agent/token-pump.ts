type Send = (kind: 'text' | 'thinking', text: string) => void

/** Opens one streaming answer. It sends the first delta at once, and later ones in frames: one every `windowMs`, or every second one if the stream is fast. */
export type OpenStream = (send: Send) => { push: Send; flush(): void }

type Stream = { kind: 'text' | 'thinking'; buffer: string; isOpen: boolean; isHeld: boolean; send: Send }

/** A screen draws 60 times a second. */
const frameMs = 16
/** A stream with more new characters in a frame has over 500 tokens a second. Nobody reads that fast, so every second frame is enough. */
const fastChars = 32

/**
 * Makes the pump. This is the hot path. A delta goes out at once if nothing was sent for `windowMs`; deltas that follow within the window go out
 * together at its end. One timer serves all answers, and no timer runs while nothing streams.
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
