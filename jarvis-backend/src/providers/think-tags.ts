/**
 * What a piece of a reply comes to, in order. `back`: all text so far was reasoning. `forth`: all reasoning so far, of a reply that was taken to
 * begin with it, was the answer.
 */
export type Said =
  | { kind: 'text'; text: string }
  | { kind: 'thought'; text: string }
  | { kind: 'back' }
  | { kind: 'forth' }

type Tag = 'open' | 'close' | 'channel' | 'end'

const xmlNames = ['think', 'thinking', 'thought', 'thoughts', 'reasoning', 'seed:think', 'mm:think']
/** Written without blanks, in lower case. A channel is gpt-oss's harmony: a header up to `<|message|>` says what follows. */
const tags = new Map<string, Tag>([
  ...xmlNames.flatMap((name): [string, Tag][] => [
    [`<${name}>`, 'open'],
    [`</${name}>`, 'close'],
  ]),
  ['[think]', 'open'],
  ['[/think]', 'close'],
  ['◁think▷', 'open'],
  ['◁/think▷', 'close'],
  ['<|begin_of_thought|>', 'open'],
  ['<|end_of_thought|>', 'close'],
  ['<|start_thinking|>', 'open'],
  ['<|end_thinking|>', 'close'],
  ['<|channel>thought', 'open'],
  ['<channel|>', 'close'],
  ['<|start|>', 'channel'],
  ['<|channel|>', 'channel'],
  ['<|end|>', 'end'],
  ['<|return|>', 'end'],
  ['<|call|>', 'end'],
])
const prefixes = new Set([...tags.keys()].flatMap((tag) => [...tag].map((_, at) => tag.slice(0, at + 1))))
const opener = /[<[◁]/g
const longestTag = 64
const message = '<|message|>'
const longestHeader = 200

/** The tag at a place; `more` where the text ends before that is certain. */
function tagAt(text: string, at: number): { tag: Tag; end: number } | 'more' | undefined {
  let read = ''
  for (let i = at; i < at + longestTag; i += 1) {
    const char = text[i]
    if (char === undefined) return 'more'
    if (/\s/.test(char)) continue
    read += char.toLowerCase()
    const tag = tags.get(read)
    if (tag !== undefined) return { tag, end: i + 1 }
    if (!prefixes.has(read)) return undefined
  }
  return undefined
}

/**
 * Separates reasoning that servers send in tags from the answer. Tags may arrive in pieces, and are only text within code. A closing tag alone says that
 * the prompt had opened it.
 * @param beginsInside the reply is taken to begin with reasoning, up to a closing tag
 */
export function createThinkTags(beginsInside = false) {
  let mode: 'text' | 'thought' | 'header' = beginsInside ? 'thought' : 'text'
  let held = ''
  /** Blank text before the answer's first word. */
  let lead = ''
  let hasSaid = false
  let hasThought = false
  let isAssumed = beginsInside
  let hasClosedAlone = false
  let hasChannels = false
  /** Opening tags that were left in the answer, because they stand within a line. */
  let mentions = 0
  let code = createCodeWatch()
  let out: Said[] = []

  function say(text: string) {
    if (text === '') return
    if (!hasSaid && text.trim() === '') {
      lead += text
      return
    }
    const words = hasSaid ? text : hasThought ? text.trimStart() : lead + text
    hasSaid = true
    code.add(words)
    out.push({ kind: 'text', text: words })
  }
  function think(text: string) {
    if (text === '') return
    hasThought ||= text.trim() !== ''
    if (isAssumed) code.add(text)
    out.push({ kind: 'thought', text })
  }
  function begin(next: typeof mode) {
    mode = next
    lead = ''
  }
  function takeBack() {
    out.push({ kind: 'back' })
    hasThought = true
    hasClosedAlone = true
    forget()
  }
  function close() {
    if (isAssumed) {
      hasClosedAlone = true
      forget()
    }
    isAssumed = false
    hasThought = true
    begin('text')
  }
  function forget() {
    hasSaid = false
    lead = ''
    mentions = 0
    code = createCodeWatch()
  }

  /** In the answer. @returns whether the tag is one */
  function meet(tag: Tag): boolean {
    if (code.isCode()) return false
    const isFirst = !hasSaid || code.isLineStart()
    switch (tag) {
      case 'open':
        if (isFirst) begin('thought')
        else mentions += 1
        return isFirst
      case 'close':
        if (!hasSaid) return true
        if (mentions > 0) {
          mentions -= 1
          return false
        }
        if (hasThought && !isFirst) return false
        takeBack()
        return true
      case 'channel':
        begin('header')
        return true
      case 'end':
        return hasChannels
      default:
        return tag satisfies never
    }
  }

  /** Within reasoning. @returns whether the tag is one */
  function meetInside(tag: Tag): boolean {
    if (isAssumed && code.isCode()) return false
    switch (tag) {
      case 'open':
        if (hasThought && !isAssumed) return false
        if (hasThought && !code.isLineStart()) {
          mentions += 1
          return false
        }
        // The reply opens its reasoning itself, so that what came before was none.
        if (hasThought) {
          out.push({ kind: 'forth' })
          hasSaid = true
        }
        isAssumed = false
        return true
      case 'close':
        if (isAssumed && mentions > 0) {
          mentions -= 1
          return false
        }
        close()
        return true
      case 'channel':
        if (!hasChannels && !isAssumed) return false
        begin('header')
        return true
      case 'end':
        if (hasChannels) close()
        return hasChannels
      default:
        return tag satisfies never
    }
  }

  /** What began like a header is none. */
  function leaveHeader() {
    mode = isAssumed ? 'thought' : 'text'
    if (isAssumed) think(held)
    else say(held)
    held = ''
  }

  /** @returns whether there is more to read */
  function readHeader(): boolean {
    const end = held.indexOf(message)
    if (end < 0 && held.length < longestHeader) return false
    const header = held.slice(0, Math.max(0, end))
    if (end < 0) {
      leaveHeader()
      return false
    }
    const isThought = /<\|channel\|>\s*(?:analysis|thought)/i.test(header)
    if (!hasChannels && hasSaid && !isThought && !/\bto=/.test(header)) takeBack()
    if (isAssumed && !isThought) close()
    isAssumed = false
    hasChannels = true
    held = held.slice(end + message.length)
    begin(isThought ? 'thought' : 'text')
    // A call in a channel of its own stays as it was written.
    if (/\bto=/.test(header)) say(`${header}${message}`)
    return true
  }

  /** @returns whether there is more to read */
  function read(): boolean {
    if (mode === 'header') return readHeader()
    const speak = mode === 'text' ? say : think
    opener.lastIndex = 0
    let from = 0
    for (let found = opener.exec(held); found !== null; found = opener.exec(held)) {
      const at = found.index
      const met = tagAt(held, at)
      if (met === undefined) continue
      speak(held.slice(from, at))
      from = at
      if (met === 'more') break
      if (mode === 'text' ? meet(met.tag) : meetInside(met.tag)) {
        // The header keeps its tags, because they say what it is.
        held = held.slice(met.tag === 'channel' ? at : met.end)
        return true
      }
      speak(held.slice(at, met.end))
      from = met.end
      opener.lastIndex = from
    }
    const isHeld = from < held.length && tagAt(held, from) === 'more'
    if (!isHeld) speak(held.slice(from))
    held = isHeld ? held.slice(from) : ''
    return false
  }

  const taken = (): Said[] => {
    const said = out
    out = []
    return said
  }
  return {
    /** @returns what is certain */
    add(piece: string): Said[] {
      held += piece
      while (held !== '' && read());
      return taken()
    },
    /** Something else came, so that no tag goes on. */
    pause(): Said[] {
      if (mode === 'header') return []
      if (mode === 'text') say(held)
      else think(held)
      held = ''
      return taken()
    },
    /** Reasoning came by itself. */
    reasoned() {
      hasThought = true
      if (!isAssumed) return
      isAssumed = false
      mode = 'text'
    },
    /** @param isCut the reply may have been cut within its reasoning */
    end(isCut: boolean): Said[] {
      if (mode === 'header' && !hasChannels && (hasSaid || isAssumed)) leaveHeader()
      else if (mode === 'text') say(held)
      else if (mode === 'thought') think(held)
      held = ''
      if (isAssumed && !isCut) out.push({ kind: 'forth' })
      return taken()
    },
    /** Whether a closing tag came that the prompt had opened. */
    hasClosedAlone: () => hasClosedAlone,
  }
}

/** Follows Markdown: whether the end of a text stands within code, or at the start of a line. */
function createCodeWatch() {
  let line = ''
  let fence: string | undefined
  const endLine = () => {
    const [, mark = ''] = /^\s{0,3}(`{3,}|~{3,})/.exec(line) ?? []
    if (fence === undefined) fence = mark === '' ? undefined : mark
    else if (mark.startsWith(fence) && line.trim() === mark) fence = undefined
    line = ''
  }
  return {
    add(text: string) {
      const [first = '', ...rest] = text.split('\n')
      line += first
      for (const next of rest) {
        endLine()
        line = next
      }
    },
    isLineStart: () => line.trim() === '',
    isCode() {
      if (fence !== undefined || /^\s{0,3}(?:`{3,}|~{3,})/.test(line)) return true
      return (line.match(/`+/g) ?? []).length % 2 === 1
    },
  }
}
