/**
 * What a piece of a reply comes to, in order. `back`: all text so far was reasoning. `forth`: all reasoning so far, of a reply that was taken to
 * begin with it, was the answer. `rest`: the reasoning since the last text was the rest of the answer; `text` is all of it, as it was written.
 */
export type Said =
  | { kind: 'text'; text: string }
  | { kind: 'thought'; text: string }
  | { kind: 'back' }
  | { kind: 'forth' }
  | { kind: 'rest'; text: string }

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
/** If a closing tag has no opening one, the text before it counts as reasoning up to this length, characters. A tag that begins or ends a line has no such limit. */
const longestInline = 400
/** gpt-oss's channels, where a server strips their marks: `analysisWe need …assistantfinalYes.` */
const strippedStart = /^\s*analysis(?=[A-Z])/
const strippedTurn = /assistant(final|commentary|analysis)/
const mayBecomeCall = /^(?: ?| t| to| to=[^{]{0,200})$/
const longestTurn = 'assistantcommentary'.length

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

/** True if the start of a reply may turn out to be the start of a stripped channel. */
const mayBeStripped = (text: string) => 'analysis'.startsWith(text.trimStart())

/** True if a tag stands in a sentence about tags: between words, or in quotes. */
const isMention = (before: string, after: string) =>
  (/\S[ \t]+$/.test(before) && /^[ \t]+\S/.test(after)) ||
  (/["'“‘«([]$/.test(before) && /^["'”’»)\].,;:!?]/.test(after))

/**
 * Separates reasoning that servers send in tags from the answer. Tags may arrive in pieces, and are only text within code and within a sentence. A closing
 * tag alone says that the prompt had opened it. An opening tag in the middle of the answer that is never closed is text.
 * @param beginsInside the reply is taken to begin with reasoning, up to a closing tag
 * @param isGuess nothing is known of that yet
 */
export function createThinkTags(beginsInside = false, isGuess = false) {
  let mode: 'text' | 'thought' | 'header' | 'stripped' = beginsInside ? 'thought' : 'text'
  let held = ''
  /** Nothing follows what is held. */
  let isLast = false
  /** Nothing but blanks came. */
  let isStart = true
  /** Characters of the answer since it began. */
  let said = 0
  /** The reasoning that was opened in the middle of the answer, as it was written. */
  let opened: string | undefined
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
    said += words.length
    code.add(words)
    out.push({ kind: 'text', text: words })
  }
  function think(text: string) {
    if (text === '') return
    hasThought ||= text.trim() !== ''
    if (opened !== undefined) opened += text
    if (isAssumed) {
      said += text.length
      code.add(text)
    }
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
    opened = undefined
    begin('text')
  }
  function forget() {
    hasSaid = false
    said = 0
    lead = ''
    mentions = 0
    code = createCodeWatch()
  }

  /** True if a closing tag without an opening one may end the reasoning here. */
  const endsThere = (after: string) => said <= longestInline || code.isLineStart() || /^[ \t]*(?:\r?\n|$)/.test(after)

  /** In the answer. @param after what follows the tag @returns whether the tag is one */
  function meet(tag: Tag, written: string, after: string): boolean {
    if (code.isCode()) return false
    const isFirst = !hasSaid || code.isLineStart()
    switch (tag) {
      case 'open':
        if (isFirst) {
          opened = hasSaid ? written : undefined
          begin('thought')
        } else mentions += 1
        return isFirst
      case 'close':
        if (!hasSaid) return true
        if (mentions > 0) {
          mentions -= 1
          return false
        }
        if (isMention(code.line(), after) || (hasThought ? !isFirst : !endsThere(after))) return false
        // Reasoning was marked before, so that a long text after it is the answer.
        if (!hasThought || said <= longestInline) takeBack()
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

  /** Within reasoning. @param after what follows the tag @returns whether the tag is one */
  function meetInside(tag: Tag, written: string, after: string): boolean {
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
          opened = written
        }
        isAssumed = false
        return true
      case 'close':
        if (isAssumed && mentions > 0) {
          mentions -= 1
          return false
        }
        if (isAssumed && (isMention(code.line(), after) || (isGuess && !endsThere(after)))) return false
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

  /** The held text began like a header and turned out to be ordinary text. */
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

  /** @returns whether the start of the reply decides itself: it is that of stripped channels, or is not long enough to say */
  function readStart(): boolean {
    if (!isStart) return false
    const stripped = strippedStart.exec(held)
    if (stripped === null) {
      const isOpen = !isLast && mayBeStripped(held)
      isStart = isOpen || held.trim() === ''
      return isOpen
    }
    isStart = false
    isAssumed = false
    opened = stripped[0].trimStart()
    held = held.slice(stripped[0].length)
    mode = 'stripped'
    return true
  }

  /** In stripped channels that are reasoning. @returns whether there is more to read */
  function readStripped(): boolean {
    const turn = strippedTurn.exec(held)
    const after = turn === null ? '' : held.slice(turn.index + turn[0].length)
    if (turn?.[1] === 'commentary' && !isLast && mayBecomeCall.test(after)) {
      think(held.slice(0, turn.index))
      held = held.slice(turn.index)
      return false
    }
    const end = turn?.index ?? Math.max(0, held.length - (isLast ? 0 : longestTurn))
    think(held.slice(0, end))
    held = held.slice(end + (turn?.[0].length ?? 0))
    if (turn === null) return false
    if (turn[1] === 'analysis') return held !== ''
    close()
    // A call in a channel of its own is written as with its marks, which says what it is.
    const call = turn[1] === 'commentary' ? /^ to=(\S+?)(?: ?(?:code|json))?(?=\s*\{)/.exec(held) : null
    if (call !== null) {
      say(`<|start|>assistant<|channel|>commentary to=${call[1]}${message}`)
      held = held.slice(call[0].length)
    }
    return held !== ''
  }

  /** @returns whether there is more to read */
  function read(): boolean {
    if (mode === 'header') return readHeader()
    if (mode === 'stripped') return readStripped()
    if (readStart()) return held !== '' && !isStart
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
      const after = held.slice(met.end)
      const isOpenEnd = !isLast && /^[ \t]*\r?$/.test(after)
      if (isOpenEnd && met.tag === 'close' && (mode === 'text' ? hasSaid : isAssumed)) {
        held = held.slice(at)
        return false
      }
      const written = held.slice(at, met.end)
      if (mode === 'text' ? meet(met.tag, written, after) : meetInside(met.tag, written, after)) {
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

  /** Reads what is held as if nothing followed. */
  function finish() {
    isLast = true
    while (held !== '' && read());
    isLast = false
    if (mode === 'text') say(held)
    else think(held)
    held = ''
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
      finish()
      return taken()
    },
    /** Reasoning came by itself. */
    reasoned() {
      hasThought = true
      isStart = false
      if (!isAssumed) return
      isAssumed = false
      mode = 'text'
    },
    /** @param mayEndInside the reply may have ended within its reasoning: it was cut, or goes on with calls */
    end(mayEndInside: boolean): Said[] {
      if (mode === 'header' && !hasChannels && (hasSaid || isAssumed)) leaveHeader()
      else if (mode !== 'header') finish()
      held = ''
      if (isAssumed && !mayEndInside) out.push({ kind: 'forth' })
      else if (opened !== undefined && !mayEndInside) out.push({ kind: 'rest', text: opened })
      return taken()
    },
    /** True if a closing tag came whose opening tag was in the prompt. */
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
    /** The last line so far. */
    line: () => line,
    isCode() {
      if (fence !== undefined || /^\s{0,3}(?:`{3,}|~{3,})/.test(line)) return true
      return (line.match(/`+/g) ?? []).length % 2 === 1
    },
  }
}
