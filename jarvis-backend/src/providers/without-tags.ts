import type { Content, Effort } from 'protocol'
import type { Model, ModelSink } from '../agent/model.ts'
import type { Learned } from './learned.ts'
import { type ReplyStart, type Said, ThinkTags } from './think-tags.ts'

/** Name of a learned part: the prompt's template opens the model's reasoning, so replies begin inside it. */
const opened = 'reasoning:opened'
/** Name of a learned part: replies begin outside reasoning. Kept for each effort, because some models reason at some efforts only. */
const plainAt = (effort: Effort | undefined) => `reasoning:plain${effort === undefined ? '' : `:${effort}`}`

/**
 * Wraps a model so that its reasoning is never part of the answer, whatever tags its server uses. If the prompt opens the reasoning, the first
 * closing tag takes back the text that was passed on as the answer. Later replies are then assumed to begin with reasoning, until one does not. In a
 * final request, text cannot be taken back. The first such reply of a model is therefore passed on at its end, and so is a reply that begins like
 * reasoning.
 */
export function withoutTags(model: Model, learned: Learned): Model {
  let beginsInside = learned.has(opened)
  return {
    ...model,
    async generate(request, sink, signal) {
      const plain = plainAt(request.effort)
      const isGuess = request.isFinal === true && !beginsInside && !learned.has(plain)
      const isInside = beginsInside || isGuess
      const tags = new ThinkTags({ isInside, isGuess })
      const told: Sink = request.isFinal === true && !isInside ? heldWhereThought(sink) : sink
      const { tell, rest } = teller(told, isGuess)
      const split: ModelSink = {
        ...sink,
        text: (delta) => tell(tags.add(delta)),
        thinking(delta) {
          tell(tags.pause())
          tags.reasoned()
          told.thinking(delta)
        },
      }
      try {
        const turn = await model.generate(request, split, signal)
        const isCut = turn.stopReason === 'max_tokens'
        const mayEndInside = isCut || turn.content.some(({ type }) => type === 'tool_call')
        tell(tags.end(mayEndInside))
        rest()
        told.release?.()
        beginsInside = tags.hasClosedAlone()
        const found = beginsInside ? opened : plain
        const hasAnswered = turn.content.some(({ type }) => type === 'text') && !isCut
        if (hasAnswered && !learned.has(found)) learned.add(found)
        return { ...turn, content: sorted(turn.content, { isInside, isGuess, mayEndInside }) }
      } catch (error) {
        tell(tags.pause())
        rest()
        told.release?.()
        throw error
      }
    },
  }
}

/**
 * Returns functions that pass the findings of `ThinkTags` on to a sink. If text was passed on as reasoning and turns out to be the answer, it is
 * passed on again, as the answer.
 * @param holds true: text at the start of a reply is held back until it is certain that it is reasoning
 */
function teller(sink: ModelSink, holds: boolean) {
  let thought = ''
  let isHeld = holds
  const rest = () => {
    if (isHeld && thought !== '') sink.thinking(thought)
    isHeld = false
  }
  const tell = (said: readonly Said[]) => {
    for (const piece of said) {
      if (piece.kind === 'thought') {
        thought += piece.text
        if (!isHeld) sink.thinking(piece.text)
      } else if (piece.kind === 'forth') {
        if (thought.trim() !== '') sink.text(thought)
        thought = ''
        isHeld = false
      } else {
        rest()
        if (piece.kind === 'text' || piece.kind === 'rest') sink.text(piece.text)
        else sink.takeBack?.()
      }
    }
  }
  return { tell, rest }
}

/** Matches the first words of a model that writes its reasoning into the answer. */
const likeThought =
  /^\s*(?:(?:okay|ok|alright|all right|so|hmm+|well|right|wait)[,.… ]+(?:so[, ]+)?(?:the user|let(?:'|’)?s|let me|i (?:need|should|have) to|we (?:need|should|have) to)|hmm+\b|the user (?:is|was|wants?|asks?|asked|said|has|needs)\b|user (?:asks?|wants?)\b|we need to\b|i need to (?:figure|think|understand)|let(?:’|')?s (?:think|see)|let me (?:think|see)|first, i (?:need|should))/i
/** Number of characters that decide if a reply begins like reasoning. */
const enough = 40

type Sink = ModelSink & { release?(): void }

/** Returns a sink that holds back a reply that begins like reasoning until its end, because its text cannot be taken back later. */
function heldWhereThought(sink: ModelSink): Sink {
  let held: string | undefined = ''
  let isThought = false
  const release = () => {
    if (held !== undefined && held !== '') sink.text(held)
    held = undefined
  }
  return {
    ...sink,
    text(delta) {
      if (held === undefined) return sink.text(delta)
      held += delta
      isThought ||= likeThought.test(held)
      if (!isThought && held.length >= enough) release()
    },
    takeBack() {
      if (held === undefined) return sink.takeBack?.()
      if (held !== '') sink.thinking(held)
      held = undefined
    },
    release,
  }
}

/** Returns the content of a reply, with the reasoning in its texts as separate pieces. */
function sorted(
  content: readonly Content[],
  { mayEndInside, ...start }: ReplyStart & { mayEndInside: boolean },
): Content[] {
  const tags = new ThinkTags(start)
  /** Pieces that were read from texts, whose kind may still change. */
  let pieces: Piece[] = []
  const put = (kind: 'text' | 'thinking', text: string) => {
    const last = pieces.at(-1)
    if (last?.type === 'read' && last.kind === kind) last.text += text
    else pieces.push({ type: 'read', kind, text })
  }
  const turned = (kind: 'text' | 'thinking') => {
    const all = pieces
    pieces = []
    for (const piece of all)
      if (piece.type === 'read') put(kind, piece.text)
      else pieces.push(piece)
  }
  /** The reasoning at the end was the rest of the answer. */
  const giveRest = (text: string) => {
    while (isRead(pieces.at(-1), 'thinking')) pieces.pop()
    put('text', text)
  }
  const take = (said: readonly Said[]) => {
    for (const piece of said) {
      if (piece.kind === 'rest') giveRest(piece.text)
      else if (piece.kind === 'back' || piece.kind === 'forth') turned(piece.kind === 'back' ? 'thinking' : 'text')
      else put(piece.kind === 'text' ? 'text' : 'thinking', piece.text)
    }
  }
  for (const piece of content) {
    if (piece.type === 'text') {
      take(tags.add(piece.text))
      continue
    }
    take(tags.pause())
    if (piece.type === 'thinking') tags.reasoned()
    pieces.push(piece)
  }
  take(tags.end(mayEndInside))
  return pieces.flatMap((piece): Content[] => {
    if (piece.type !== 'read') return [piece]
    const text = piece.kind === 'thinking' ? piece.text.trim() : piece.text
    return text.trim() === '' ? [] : [{ type: piece.kind, text }]
  })
}

type Piece = Content | { type: 'read'; kind: 'text' | 'thinking'; text: string }
const isRead = (piece: Piece | undefined, kind: 'text' | 'thinking') => piece?.type === 'read' && piece.kind === kind
