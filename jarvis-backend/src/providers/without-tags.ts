import type { Model, ModelSink } from '../agent/model.ts'
import type { Content } from '../protocol/index.ts'
import type { Learned } from './learned.ts'
import { createThinkTags, type Said } from './think-tags.ts'

/** Whether the prompt's template opens the model's reasoning. */
const opened = 'reasoning:opened'
const plain = 'reasoning:plain'

/**
 * The same model, whose reasoning is never part of the answer, however its server marks it. Where the prompt opens the reasoning, what was told as the
 * answer is taken back at the first closing tag; from then on the model's replies are taken to begin with reasoning, as long as they do. Where nothing can
 * be taken back, the first reply of a model is told at its end.
 */
export function withoutTags(model: Model, learned: Learned): Model {
  let beginsInside = learned.has(opened)
  return {
    ...model,
    async generate(request, sink, signal) {
      const isGuess = request.isFinal === true && !beginsInside && !learned.has(plain)
      const isInside = beginsInside || isGuess
      const tags = createThinkTags(isInside)
      const { tell, rest } = teller(sink, isGuess)
      const split: ModelSink = {
        ...sink,
        text: (delta) => tell(tags.add(delta)),
        thinking(delta) {
          tell(tags.pause())
          tags.reasoned()
          sink.thinking(delta)
        },
      }
      try {
        const turn = await model.generate(request, split, signal)
        const isCut = turn.stopReason === 'max_tokens'
        tell(tags.end(isCut))
        rest()
        beginsInside = tags.hasClosedAlone()
        const found = beginsInside ? opened : plain
        const hasAnswered = turn.content.some(({ type }) => type === 'text') && !isCut
        if (hasAnswered && !learned.has(found)) learned.add(found)
        return { ...turn, content: sorted(turn.content, isInside, isCut) }
      } catch (error) {
        tell(tags.pause())
        rest()
        throw error
      }
    },
  }
}

/**
 * Tells a sink. An answer that was told as reasoning is told once more, as what it is.
 * @param holds reasoning at the start is told only when it is certain
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
        if (piece.kind === 'text') sink.text(piece.text)
        else sink.takeBack?.()
      }
    }
  }
  return { tell, rest }
}

/** The content of a reply with the reasoning of its texts apart. */
function sorted(content: readonly Content[], beginsInside: boolean, isCut: boolean): Content[] {
  const tags = createThinkTags(beginsInside)
  /** Pieces that were read from texts, whose kind may still change. */
  let pieces: (Content | { type: 'read'; kind: 'text' | 'thinking'; text: string })[] = []
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
  const take = (said: readonly Said[]) => {
    for (const piece of said) {
      if (piece.kind === 'back' || piece.kind === 'forth') turned(piece.kind === 'back' ? 'thinking' : 'text')
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
  take(tags.end(isCut))
  return pieces.flatMap((piece): Content[] => {
    if (piece.type !== 'read') return [piece]
    const text = piece.kind === 'thinking' ? piece.text.trim() : piece.text
    return text.trim() === '' ? [] : [{ type: piece.kind, text }]
  })
}
